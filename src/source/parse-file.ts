import { isNode, LineCounter, parseDocument, type Alias, type Node } from "yaml";
import { isObject, type Diagnostic, type Json } from "../base/index.ts";
import { Places } from "./yaml/places.ts";
import { problem, unquotedTemplate } from "./yaml/problem.ts";
import { syntaxDiagnostics } from "./yaml/syntax-diagnostics.ts";
import { mostCopies, toJson, type Reading } from "./yaml/to-json.ts";
import type { DocumentPath, ParsedFile, SourceFile, SourceNode } from "./source-node.ts";

let last: ParsedFile | undefined;

/** Text to values with places. Never throws; every problem of the text is in `diagnostics`. Nothing in it may be changed. */
export function parseFile(source: SourceFile): ParsedFile {
  // Every dialect looks whether a file is its own, then what it names, then what it says: all of that is one reading.
  if (last === undefined || last.source.path !== source.path || last.source.text !== source.text) last = parsed(source);
  return last;
}

function parsed(source: SourceFile): ParsedFile {
  const counter = new LineCounter();
  const document = parseDocument(source.text, { lineCounter: counter, uniqueKeys: true, prettyErrors: false });
  const aliases = new Map<Alias, Node>();
  const places = new Places(source, document, counter, aliases);
  const diagnostics: Diagnostic[] = syntaxDiagnostics(document, places);
  const broken = document.errors.some((error) => error.code !== "DUPLICATE_KEY");
  const found: Diagnostic[] = [];
  const file: { -readonly [K in keyof ParsedFile]: ParsedFile[K] } = {
    source,
    broken,
    diagnostics,
    placeOf: (path, part) => places.of(path, part),
    placeInText: (path, offset, length) => places.inText(path, offset, length),
  };
  const reading: Reading = {
    source,
    places,
    diagnostics: found,
    aliases,
    anchors: new Map(),
    open: new Set(),
    expanding: 0,
    copiesLeft: mostCopies,
  };
  const value = document.contents === null || !isNode(document.contents) ? null : toJson(reading, document.contents, []);
  const root = findRoot(file, value, found, broken);
  if (root !== undefined) file.root = root;
  // Values of a file with syntax errors are a guess, so what else is wrong with them is not worth telling.
  file.diagnostics = broken
    ? onePerLine([...found.filter((each) => each.code === unquotedTemplate[0]), ...diagnostics])
    : [...diagnostics, ...found];
  return file;
}

/** The parser stumbles on after an error; the first complaint about a line is the useful one. */
function onePerLine(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const seen = new Set<number>();
  return diagnostics.filter(({ place }) => place === undefined || (!seen.has(place.line) && seen.add(place.line).size > 0));
}

/** A shared file may wrap everything in `workflow:`; then nothing else stands beside it. */
function findRoot(file: ParsedFile, value: Json, diagnostics: Diagnostic[], broken: boolean): SourceNode | undefined {
  const refuse = (message: string, fix: string, path: DocumentPath = []): undefined => {
    if (!broken) diagnostics.push(problem(["STEPS_NOT_A_MAP", message, fix], file.placeOf(path, "value"), path));
    return undefined;
  };
  if (!isObject(value))
    return refuse(value === null ? "The file is empty." : "The file is not a map of keys.", "Begin the file with `name:` and `steps:`.");
  if (!Object.hasOwn(value, "workflow") || Object.hasOwn(value, "steps")) return { file, path: [], value };
  const inner = value["workflow"];
  if (!isObject(inner))
    return refuse("`workflow` wraps nothing: its value is not a map of keys.", "Indent `name:` and `steps:` below `workflow:`.", [
      "workflow",
    ]);
  for (const key of Object.keys(value).filter((each) => each !== "workflow")) {
    const message = `\`${key}\` stands beside \`workflow:\`, where it has no meaning.`;
    const fix = `Indent \`${key}\` below \`workflow:\`, or remove the wrapper.`;
    diagnostics.push(problem(["STEPS_UNKNOWN_KEY", message, fix], file.placeOf([key], "key"), [key]));
  }
  return { file, path: ["workflow"], value: inner };
}
