import { defined, WaymarkError, type Catalogue } from "../base/index.ts";
import type { ScanProblem } from "../ports/index.ts";

export const scanCodes: Catalogue = {
  SCAN_BAD_PATTERN: {
    what: "A pattern cannot be used.",
    why: "Its regular expression does not compile, or its keys contradict each other.",
    fix: "Correct the pattern that the message names.",
  },
  SCAN_SLOW_PATTERN: {
    what: "A regular expression can need more steps than any file is worth.",
    why: "A repetition is inside another one and both can match the same text in many ways.",
    fix: "Remove one of the two repetitions, or put something between them that cannot be part of the inner one.",
  },
  SCAN_BAD_TEMPLATE: {
    what: "A transformation uses a placeholder that nothing fills, or belongs to a type that no rule gives.",
    why: "The name is misspelt, or the group or rule was renamed.",
    fix: "Use the match, its name, its arguments or a named group of the pattern, and the name of one of its rules.",
  },
  SCAN_UNKNOWN_FINDER: {
    what: "A pattern names a finder that does not exist.",
    why: "The name is misspelt, or it belongs to a newer version.",
    fix: "Use one of the finders that the message lists, or write a regular expression.",
  },
  SCAN_BAD_VERSION: {
    what: "The Business Central version of the rules cannot be read.",
    why: "It is not of the form `BC24`, `24` or `24.0`.",
    fix: "Write the version as `BC` and its number.",
  },
  SCAN_BINARY: {
    what: "A file was not scanned because it is not text.",
    why: "It holds zero bytes or other signs of binary content.",
    fix: "Exclude it from the workflow's files, or save it as text.",
  },
  SCAN_CUT_OFF: {
    what: "A pattern was not run on a file.",
    why: "It took too long there and was stopped.",
    fix: "Make the regular expression simpler, or exclude the file.",
  },
  SCAN_IGNORED_WITHOUT_REASON: {
    what: "A `waymark-ignore` does not count.",
    why: "It names no rule, or gives no reason.",
    fix: "Write `waymark-ignore <rule> <reason>` at the end of the line, or alone on the line before.",
  },
  SCAN_TOO_MANY: {
    what: "A pattern has more matches in one file than are listed.",
    why: "It matches nearly everything, or the file was generated.",
    fix: "Make the pattern say more, or exclude the file.",
  },
  SCAN_PATTERN_FAILED: {
    what: "A pattern failed on a file.",
    why: "Its regular expression is too large to run, or the file has a form that a finder does not expect.",
    fix: "Make the regular expression smaller; report a finder that fails, with the file. Other patterns were scanned.",
  },
  SCAN_UNENCODABLE: {
    what: "An edit cannot be written in the encoding of its file.",
    why: "Its text has characters that the encoding lacks.",
    fix: "Save the file as UTF-8 first, or use other characters.",
  },
  SCAN_BAD_EDIT: {
    what: "Edits of a file do not fit it.",
    why: "They overlap, are outside the file or cut a character in two.",
    fix: "Scan the file again and plan the edits from the new result.",
  },
};

export function scanError(code: string, message: string, details: Readonly<Record<string, unknown>> = {}): WaymarkError {
  return new WaymarkError({ code, message, fix: scanCodes[code]?.fix ?? "", details });
}

/** One error for all problems of a set of rules, which are in `details.problems`. */
export function badRules(problems: readonly [ScanProblem, ...ScanProblem[]]): WaymarkError {
  const [{ code, pattern }] = problems;
  return scanError(code, problems.map(({ message }) => message).join("\n"), { problems, ...defined({ pattern }) });
}
