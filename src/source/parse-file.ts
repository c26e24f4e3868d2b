import { isNode, LineCounter, parseDocument, type Node } from "yaml";
import { isObject, type Json } from "../base/index.ts";
import type { DocumentPath, ParsedFile, SourceFile, SourceNode } from "./source-node.ts";
import { textProblem, type ParsedDocument, type TextFault, type TextProblem } from "./text-problem.ts";
import { placedFile, placesIn } from "./yaml/places.ts";
import { mostCopies, readNode } from "./yaml/read-node.ts";
import { syntaxProblems } from "./yaml/syntax-problems.ts";

let last: ParsedDocument | undefined;

/**
 * Text to values with places. Never throws. The root is the document itself, or what its `workflow:` key holds. Nothing in the answer
 * may be changed.
 */
export function parseFile(source: SourceFile): ParsedDocument {
  // Every dialect looks whether a file is its own, then what it names, then what it says: all of that is one reading.
  if (last === undefined || last.file.source.path !== source.path || last.file.source.text !== source.text) last = parsed(source);
  return last;
}

function parsed(source: SourceFile): ParsedDocument {
  const { file, value, broken, syntax, problems } = parseYaml(source);
  const root = findRoot(file, value, problems, broken);
  // Values of a file with syntax errors are a guess, so what else is wrong with them is not worth reporting.
  const worth = broken
    ? onePerLine([...problems.filter(({ fault }) => fault === "unquoted_template"), ...syntax])
    : [...syntax, ...problems];
  return { file, broken, problems: worth, ...(root === undefined ? {} : { root }) };
}

export interface ParsedYaml {
  readonly file: ParsedFile;
  readonly value: Json;
  readonly broken: boolean;
  /** What the parser complained of, and what of the values cannot be kept. */
  readonly syntax: TextProblem[];
  readonly problems: TextProblem[];
}

/** Any YAML text, whatever it holds. */
export function parseYaml(source: SourceFile): ParsedYaml {
  const counter = new LineCounter();
  const document = parseDocument(source.text, { lineCounter: counter, uniqueKeys: true, prettyErrors: false });
  const places = placesIn(source, () => counter);
  const problems: TextProblem[] = [];
  const reading = { places, problems, anchors: new Map(), open: new Set<Node>(), expanding: 0, copiesLeft: mostCopies };
  const root = isNode(document.contents) ? readNode(reading, document.contents, []) : undefined;
  return {
    file: placedFile(source, places, root),
    value: root?.value ?? null,
    broken: document.errors.some((error) => error.code !== "DUPLICATE_KEY"),
    syntax: syntaxProblems(document, places),
    problems,
  };
}

/** The parser stumbles on after an error; the first complaint about a line is the useful one. */
export function onePerLine(problems: readonly TextProblem[]): TextProblem[] {
  const seen = new Set<number>();
  return problems.filter(({ place }) => !seen.has(place.line) && seen.add(place.line).size > 0);
}

/** A shared file may wrap everything in `workflow:`; then nothing else is beside it. */
function findRoot(file: ParsedFile, value: Json, problems: TextProblem[], broken: boolean): SourceNode | undefined {
  const refuse = (fault: TextFault, message: string, fix: string, path: DocumentPath = []): undefined => {
    if (!broken) problems.push(textProblem([fault, message, fix], file.placeOf(path, "value"), path));
    return undefined;
  };
  if (!isObject(value))
    return refuse("not_a_map", value === null ? "The file is empty." : "The file is not a map of keys.", "Begin the file with its keys.");
  if (!Object.hasOwn(value, "workflow") || Object.hasOwn(value, "steps")) return { file, path: [], value };
  const inner = value["workflow"];
  if (!isObject(inner)) {
    const message = "`workflow` wraps nothing: its value is not a map of keys.";
    return refuse("empty_wrapper", message, "Indent the keys of the workflow below `workflow:`.", ["workflow"]);
  }
  for (const key of Object.keys(value).filter((each) => each !== "workflow")) {
    const message = `\`${key}\` is beside \`workflow:\`, where it has no meaning.`;
    const fix = `Indent \`${key}\` below \`workflow:\`, or remove the wrapper.`;
    problems.push(textProblem(["beside_wrapper", message, fix], file.placeOf([key], "key"), [key]));
  }
  return { file, path: ["workflow"], value: inner };
}
