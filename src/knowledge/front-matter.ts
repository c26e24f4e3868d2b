import { LineCounter, parseDocument } from "yaml";
import { isObject, type Diagnostic, type JsonObject, type Place } from "../base/index.ts";
import { fileProblem } from "./codes.ts";
import { readSimpleYaml } from "./simple-yaml.ts";

export interface FrontMatter {
  /** Empty without front matter, and when it is broken. */
  readonly fields: JsonObject;
  /** Everything below it, line ends as `\n`. */
  readonly body: string;
  /** Line of the file on which the body begins. */
  readonly bodyLine: number;
  readonly problems: readonly Diagnostic[];
  /** Where a key stands, for complaints about its value. */
  placeOf(key: string): Place;
}

const longest = 64 * 1024;

/** Splits a markdown file. A file without front matter is all body; broken front matter is a problem, and the body stays readable. */
export function splitFrontMatter(source: string, file: string): FrontMatter {
  const text = source.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const opening = /^---[ \t]*\n/.exec(text);
  const closing = opening === null ? null : /^(?:---|\.\.\.)[ \t]*$/m.exec(text.slice(opening[0].length, opening[0].length + longest));
  if (opening === null || closing === null) {
    const problems = opening === null || !/^---[ \t]*\n[\w-]+:/.test(text) ? [] : [neverEnds(file)];
    return { fields: {}, body: text, bodyLine: 1, problems, placeOf: () => ({ file, line: 1, column: 1 }) };
  }
  const front = text.slice(opening[0].length, opening[0].length + closing.index);
  const end = opening[0].length + closing.index + closing[0].length + 1;
  const parsed = parseFields(front, file);
  return {
    ...parsed,
    body: text.slice(end),
    bodyLine: linesIn(text.slice(0, end)) + 1,
    placeOf: (key) => placeOfKey(front, key, file),
  };
}

function neverEnds(file: string): Diagnostic {
  return fileProblem("KNOWLEDGE_FRONT_MATTER", `The front matter of \`${file}\` never ends: its second line of \`---\` is missing.`, {
    file,
    line: 1,
    column: 1,
  });
}

function parseFields(front: string, file: string): { readonly fields: JsonObject; readonly problems: readonly Diagnostic[] } {
  const simple = readSimpleYaml(front);
  return simple === undefined ? parseAnyYaml(front, file) : { fields: simple, problems: [] };
}

/** Front matter by the real parser; lines are those of the file, which has the line of `---` before them. */
function parseAnyYaml(front: string, file: string): { readonly fields: JsonObject; readonly problems: readonly Diagnostic[] } {
  const { value, problems } = parseYamlText(front, file, 1);
  const told = problems.map((problem) =>
    fileProblem("KNOWLEDGE_FRONT_MATTER", `The front matter of \`${file}\` is not valid YAML: ${problem.message}`, problem.place),
  );
  if (told.length > 0) return { fields: {}, problems: told };
  if (value === null || value === undefined) return { fields: {}, problems: [] };
  if (isObject(value)) return { fields: value, problems: [] };
  const notAMap = fileProblem("KNOWLEDGE_FRONT_MATTER", `The front matter of \`${file}\` is not a map of fields.`, {
    file,
    line: 2,
    column: 1,
  });
  return { fields: {}, problems: [notAMap] };
}

export interface YamlProblem {
  readonly message: string;
  readonly place: Place;
}

/** A YAML text as JSON; `linesBefore` lines of the file stand above it. */
export function parseYamlText(
  text: string,
  file: string,
  linesBefore: number,
): { readonly value: unknown; readonly problems: readonly YamlProblem[] } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const problems = document.errors.slice(0, 5).map((error): YamlProblem => {
    const { line, col } = lines.linePos(error.pos[0]);
    const said = (error.message.split("\n")[0] ?? "").replace(/\.?$/, ".");
    return { message: said, place: { file, line: line + linesBefore, column: col } };
  });
  if (problems.length > 0) return { value: undefined, problems };
  try {
    // Through JSON: dates, big numbers and other guests of YAML become what the rest of the room knows.
    const value: unknown = JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: 50 }) ?? null));
    return { value, problems };
  } catch (error) {
    const message = error instanceof Error ? error.message.replace(/\.?$/, ".") : "It cannot be read.";
    return { value: undefined, problems: [{ message, place: { file, line: linesBefore + 1, column: 1 } }] };
  }
}

function placeOfKey(front: string, key: string, file: string): Place {
  const lines = front.split("\n");
  const name = key.slice(key.lastIndexOf(".") + 1);
  const at = lines.findIndex((line) => line.trimStart().startsWith(`${name}:`));
  const column = at < 0 ? 1 : lines[at]!.indexOf(name) + 1;
  return { file, line: Math.max(at, 0) + 2, column };
}

function linesIn(text: string): number {
  return text.split("\n").length - 1;
}
