import { shorten, visibleText, WaymarkError, type Catalogue } from "../base/index.ts";
import { absent, nothing, type Damage } from "./read/json/damage.ts";
import type { Reading } from "./read/reading.ts";

/** Every code this room throws. */
export const findingsCodes: Catalogue = {
  FINDINGS_UNREADABLE: {
    what: "The output of a tool is not in the format that the workflow names for it.",
    why: "It is empty, was cut off, is not JSON, or has another shape than the format. What the tool found is unknown, so nothing is counted.",
    fix: "Run the tool's command yourself and look at its stdout: it must hold the format named and nothing else, also no lines of a script runner.",
  },
  FINDINGS_PATTERN: {
    what: "The pattern of a tool with `format: lines` cannot be used.",
    why: "It is not a regular expression, has no group `file`, or has parts that could take without end on some lines: references to groups, looks behind.",
    fix: "Correct `pattern`: named groups `file` and `line`, without these parts.",
  },
};

const names: Readonly<Record<Reading["format"], string>> = {
  sarif: "SARIF 2.1.0",
  eslint: "ESLint's JSON",
  lines: "text in lines",
};

const hints: Readonly<Record<Reading["format"], string>> = {
  sarif: "SARIF 2.1.0 and nothing else, as of `oxlint -f sarif` or `biome lint --reporter=sarif`",
  eslint: "JSON of ESLint and nothing else, as of `eslint -f json`",
  lines: "text in lines",
};

/** Characters of the faulty output that a message repeats. */
const told = 60;

/** The output of a tool cannot be read in its format. */
export function unreadable({ tool, format }: Pick<Reading, "tool" | "format">, { expected, at, found = "" }: Damage): WaymarkError {
  const path = at.path.replace(/^\./, "");
  const place = `${path === "" ? "" : `in \`${path}\` `}at line ${at.line}, column ${at.column}`;
  const start = shorten(
    visibleText(found.slice(0, 4 * told))
      .replaceAll("\n", "\\n")
      .replaceAll("`", "'"),
    told,
  );
  const there = start === "" ? "the output ends there" : found === absent ? "there is none" : `found \`${start}\``;
  const what = found === nothing ? "It is empty" : `Expected ${expected} ${place}, but ${there}`;
  const encoding = /(?:[^\0]\0){3}/.test(found) ? " It looks like UTF-16: the tool must print UTF-8." : "";
  return new WaymarkError({
    code: "FINDINGS_UNREADABLE",
    message: `The output of \`${tool}\` is not ${names[format]}. ${what}.${encoding}`,
    fix: `Run the command of \`${tool}\` yourself and look at what it prints to stdout. It must be ${hints[format]}. Log lines, progress and colours belong on stderr; \`npm run\` needs \`--silent\`.`,
    details: { tool, format, expected, found: start, line: at.line, column: at.column, ...(path === "" ? {} : { path }) },
  });
}

export function unusablePattern(tool: string, pattern: string, why: string): WaymarkError {
  return new WaymarkError({
    code: "FINDINGS_PATTERN",
    message: `The pattern of \`${tool}\` cannot be used: ${why}. It is \`${shorten(visibleText(pattern), 200).replaceAll("`", "'")}\`.`,
    fix: `Correct \`pattern\` of \`${tool}\` in the workflow: a regular expression with the named groups \`file\` and \`line\`.`,
    details: { tool, pattern },
  });
}
