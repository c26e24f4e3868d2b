import { parseRegex, type ParsedRegex } from "./parse-regex.ts";
import { slowOn } from "./slow-regex.ts";

/** Takes note of a problem with one pattern. */
export type Report = (code: string, message: string) => void;

/** Accepted by the engine and not known to be endless; without state, since it has neither `g` nor `y`. */
export interface CheckedRegex {
  readonly regex: RegExp;
  readonly parsed: ParsedRegex;
  readonly flags: string;
}

/** `owner` begins the message: `The exclude of pattern ...`. Of the flags that the author wrote, `g` and `y` are removed. */
export function compileRegex(owner: string, source: string, written: string, report: Report): CheckedRegex | undefined {
  const flags = [...new Set(written)].filter((flag) => flag !== "g" && flag !== "y").join("");
  try {
    const regex = new RegExp(source, flags);
    const parsed = parseRegex(source, flags);
    const character = slowOn(parsed, flags);
    if (character === undefined) return { regex, parsed, flags };
    const shown = JSON.stringify(character).slice(1, -1);
    const message = `${owner} would try without end on a long run of \`${shown}\`: a repetition in \`${source}\` matches it in many ways.`;
    report("SCAN_SLOW_PATTERN", message);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, "") : String(error);
    report("SCAN_BAD_PATTERN", `${owner} does not compile: ${reason}.`);
  }
  return undefined;
}
