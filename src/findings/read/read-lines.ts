import type { Finding } from "../../ports/index.ts";
import { steadyRegex, type SteadyRegex } from "../../scan/index.ts";
import { unusablePattern } from "../codes.ts";
import { placing, unnamedRule, type Placing } from "./placing.ts";
import type { Reading, Unplaced } from "./reading.ts";
import { severityOfWord } from "./severity-word.ts";
import { splitLines } from "./split-lines.ts";

/** Colours, links and moves of the cursor, which some tools print even where no terminal is. */
const escapes = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[@-Z\\^_=>])/g;

/** Each line that the pattern fits is a finding, or one without a place; the others are what the tool says around them. */
export async function* readLines(text: AsyncIterable<string>, reading: Reading): AsyncGenerator<Finding | Unplaced, void, undefined> {
  const pattern = compiled(reading);
  const place = placing(reading);
  let isFirst = true;
  for await (const raw of splitLines(text)) {
    const line = (isFirst ? raw.replace(/^\uFEFF/, "") : raw).replace(escapes, "");
    isFirst = false;
    const groups = pattern(line);
    if (groups !== undefined) yield findingOf(groups, line, place);
  }
}

function findingOf(groups: Readonly<Record<string, string | undefined>>, text: string, place: Placing): Finding | Unplaced {
  const of = (group: string): string | undefined => groups[group]?.trim() || undefined;
  const line = numberOf(of("line"));
  const column = line === undefined ? undefined : numberOf(of("column"));
  const said = { rule: of("rule") ?? unnamedRule, severity: severityOfWord(of("severity") ?? ""), message: of("message") ?? text.trim() };
  return place(said, { named: of("file"), region: column === undefined ? { line: line ?? 1 } : { line: line ?? 1, column } });
}

function numberOf(word: string | undefined): number | undefined {
  const number = /^\d{1,15}$/.test(word ?? "") ? Number(word) : 0;
  return number > 0 ? number : undefined;
}

/** An expression that no line can hold up, whatever is on it. */
function compiled({ tool, pattern = "" }: Reading): SteadyRegex {
  if (!pattern.includes("(?<file>"))
    throw unusablePattern(tool, pattern, "it has no group `(?<file>...)`, so nobody would know where a finding is");
  try {
    const regex = steadyRegex(pattern);
    if (typeof regex !== "string") return regex;
    throw unusablePattern(tool, pattern, regex);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw unusablePattern(tool, pattern, `it is not a regular expression (${error.message})`);
  }
}
