import type { ScanProblem } from "../../ports/index.ts";
import { parseRegex, type ParsedRegex } from "./parse-regex.ts";
import { slowOn } from "./slow-regex.ts";

export interface RegexWish {
  /** Pattern it belongs to. */
  readonly pattern: string;
  /** What it is, as the message names it: `regular expression`, `exclude` ... */
  readonly role: string;
  readonly source: string;
  /** As the author wrote them; `g` and `y` are taken away. */
  readonly flags: string;
}

/** Accepted by the engine and not known to be endless; without state, since it carries neither `g` nor `y`. */
export interface CheckedRegex {
  readonly regex: RegExp;
  readonly parsed: ParsedRegex;
  readonly flags: string;
}

export function compileRegex(wish: RegexWish): CheckedRegex | ScanProblem {
  const flags = [...new Set(wish.flags)].filter((flag) => flag !== "g" && flag !== "y").join("");
  const owner = `The ${wish.role} of pattern \`${wish.pattern}\``;
  let regex: RegExp;
  let parsed: ParsedRegex;
  let character: string | undefined;
  try {
    regex = new RegExp(wish.source, flags);
    parsed = parseRegex(wish.source, flags);
    character = slowOn(parsed, flags);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, "") : String(error);
    return { code: "SCAN_BAD_PATTERN", message: `${owner} does not compile: ${reason}.`, pattern: wish.pattern };
  }
  if (character === undefined) return { regex, parsed, flags };
  return {
    code: "SCAN_SLOW_PATTERN",
    message: `${owner} would try without end on a long run of \`${shown(character)}\`: a repetition in \`${wish.source}\` matches it in many ways.`,
    pattern: wish.pattern,
  };
}

export function isProblem(value: CheckedRegex | ScanProblem): value is ScanProblem {
  return "code" in value;
}

function shown(character: string): string {
  return JSON.stringify(character).slice(1, -1);
}
