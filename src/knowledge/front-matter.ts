import { LineCounter, parseDocument } from "yaml";
import { isObject, type Diagnostic, type Json, type JsonObject, type Place } from "../base/index.ts";
import { fileProblem } from "./codes.ts";

export interface FrontMatter {
  /** Empty without front matter, and when it is broken. */
  readonly fields: JsonObject;
  /** Everything below it, line ends as `\n`. */
  readonly body: string;
  /** Line of the file on which the body begins. */
  readonly bodyLine: number;
  readonly problems: readonly Diagnostic[];
  /** Where a key is, for problems with its value. */
  placeOf(key: string): Place;
}

const longest = 64 * 1024;

/** Splits a markdown file. A file without front matter is all body; broken front matter is a problem, and the body stays readable. */
export function splitFrontMatter(source: string, file: string): FrontMatter {
  const text = source.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const opening = /^---[ \t]*\n/.exec(text);
  const closing = opening === null ? null : /^(?:---|\.\.\.)[ \t]*$/m.exec(text.slice(opening[0].length, opening[0].length + longest));
  if (opening === null || closing === null) {
    const start = { file, line: 1, column: 1 };
    const message = `The front matter of \`${file}\` never ends: its second line of \`---\` is missing.`;
    const problems = /^---[ \t]*\n[\w-]+:/.test(text) ? [fileProblem("KNOWLEDGE_FRONT_MATTER", message, start)] : [];
    return { fields: {}, body: text, bodyLine: 1, problems, placeOf: () => start };
  }
  const front = text.slice(opening[0].length, opening[0].length + closing.index);
  const end = opening[0].length + closing.index + closing[0].length + 1;
  return {
    ...parseFields(front, file),
    body: text.slice(end),
    bodyLine: text.slice(0, end).split("\n").length,
    placeOf: (key) => placeOfKey(front, key, file),
  };
}

/** Lines are those of the file, which has the line of `---` before the front matter. */
function parseFields(front: string, file: string): { readonly fields: JsonObject; readonly problems: readonly Diagnostic[] } {
  const { value = null, problems } = parseYaml(front, file, 1);
  const found = problems.map(({ message, place }) =>
    fileProblem("KNOWLEDGE_FRONT_MATTER", `The front matter of \`${file}\` is not valid YAML: ${message}`, place),
  );
  if (isObject(value)) return { fields: value, problems: found };
  if (found.length > 0 || value === null) return { fields: {}, problems: found };
  const message = `The front matter of \`${file}\` is not a map of fields.`;
  return { fields: {}, problems: [fileProblem("KNOWLEDGE_FRONT_MATTER", message, { file, line: 2, column: 1 })] };
}

interface ParsedYaml {
  /** Absent when there is a problem. */
  readonly value?: Json;
  readonly problems: readonly { readonly message: string; readonly place: Place }[];
}

/** A YAML text as JSON; `linesBefore` lines of the file are above it. */
export function parseYaml(text: string, file: string, linesBefore: number): ParsedYaml {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const problems = document.errors.slice(0, 5).map((error) => {
    const { line, col } = lines.linePos(error.pos[0]);
    const message = (error.message.split("\n")[0] ?? "").replace(/\.?$/, ".");
    return { message, place: { file, line: line + linesBefore, column: col } };
  });
  if (problems.length > 0) return { problems };
  try {
    // Through JSON: dates, big numbers and other values that only YAML has become what the rest of the room knows.
    return { value: JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: 50 }) ?? null)) as Json, problems };
  } catch (error) {
    const message = error instanceof Error ? error.message.replace(/\.?$/, ".") : "It cannot be read.";
    return { problems: [{ message, place: { file, line: linesBefore + 1, column: 1 } }] };
  }
}

function placeOfKey(front: string, key: string, file: string): Place {
  const lines = front.split("\n");
  const name = key.slice(key.lastIndexOf(".") + 1);
  const at = lines.findIndex((line) => line.trimStart().startsWith(`${name}:`));
  const column = at < 0 ? 1 : lines[at]!.indexOf(name) + 1;
  return { file, line: Math.max(at, 0) + 2, column };
}
