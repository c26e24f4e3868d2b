import type { Diagnostic, Json } from "../../../../base/index.ts";
import { parseYaml, type ParsedFile, type TextProblem } from "../../../../source/index.ts";
import { machineFaults } from "../text-faults.ts";
import type { OpenedFile } from "./session-json.ts";
import { sessionReader } from "./session-reader.ts";
import { plainText, reportOnText } from "./text-form.ts";
import { quoteLine, quoteValues } from "./unquoted-values.ts";

export interface OpenedYaml extends OpenedFile {
  /** For a file that is not YAML: the same text with quotes where they are missing, if that makes it YAML. */
  readonly repair?: string;
}

/** Text to a value whose problems have places. Never throws. */
export function openYaml(text: string, path: string): OpenedYaml {
  const plain = plainText(text);
  const { value, file, broken, found } = parsed(plain, path);
  const reader = sessionReader(path, (at) => file.placeOf(at, "value"));
  reportOnText(reader, text);
  if (!broken) {
    reader.problems.push(...found.map((each) => diagnosticOf(each, each.message)));
    return { reader, value };
  }
  const deep = found.some(({ fault }) => fault === "too_deep");
  const repair = deep ? undefined : quoteValues(plain, firstLine(found), (candidate) => firstFault(candidate, path));
  const lines = plain.split("\n");
  const reported = new Set<number>();
  for (const each of found) {
    const { line } = each.place;
    if (reported.has(line)) continue;
    reported.add(line);
    const quoted = repair?.lines.has(line) === true ? quoteLine(lines[line - 1] ?? "") : undefined;
    reader.problems.push(quoted === undefined ? syntaxProblem(each, path) : unquotedProblem(each, quoted.trim()));
  }
  return { reader, ...(repair === undefined ? {} : { repair: repair.text }) };
}

/** Of these files only what an agent can tell apart has a code of its own. */
function diagnosticOf({ fault, message: _message, ...rest }: TextProblem, message: string): Diagnostic {
  const code = fault === "duplicate_key" || fault === "forbidden_key" || fault === "too_deep" ? machineFaults[fault] : machineFaults.syntax;
  return { ...rest, code: typeof code === "string" ? code : code.code, severity: "error", message };
}

function syntaxProblem(found: TextProblem, file: string): Diagnostic {
  const own = diagnosticOf(found, found.message);
  return own.code === machineFaults.syntax
    ? { ...own, message: `\`${file}\` is not YAML. Line ${found.place.line}: ${found.message}` }
    : own;
}

function unquotedProblem({ place, path }: TextProblem, quoted: string): Diagnostic {
  const message = `Line ${place.line} is not YAML: a value without quotes holds \`: \` or begins with a character that has a meaning of its own.`;
  const fix = `Write it in quotes: ${quoted}`;
  return { code: "MACHINE_UNQUOTED", severity: "error", message, fix, place, ...(path === undefined ? {} : { path }) };
}

interface Parsed {
  readonly value: Json;
  readonly file: ParsedFile;
  readonly broken: boolean;
  readonly found: readonly TextProblem[];
}

function parsed(text: string, path: string): Parsed {
  const { value, file, broken, syntax, problems } = parseYaml({ path, text });
  if (broken) return { value: null, file, broken, found: syntax };
  // A star before a word is an alias that names nothing: the text cannot be read as it is meant.
  const lost = problems.some(({ fault }) => fault === "alias");
  return { value, file, broken: lost, found: [...syntax, ...problems] };
}

/** The line of the first fault of a text; undefined for YAML. */
function firstFault(text: string, file: string): number | undefined {
  const { broken, found } = parsed(text, file);
  return broken ? firstLine(found) : undefined;
}

function firstLine(found: readonly TextProblem[]): number {
  return Math.min(...found.map(({ place }) => place.line));
}
