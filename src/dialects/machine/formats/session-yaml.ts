import { isNode, LineCounter, parseDocument, type Alias, type Node } from "yaml";
import type { Diagnostic, Json } from "../../../base/index.ts";
import { mostCopies, Places, syntaxDiagnostics, toJson } from "../../../source/index.ts";
import type { OpenedFile } from "./session-json.ts";
import { sessionReader } from "./session-reader.ts";
import { plainText, tellOfText } from "./text-form.ts";
import { quoteLine, quoteValues } from "./unquoted-values.ts";

const codes: Readonly<Record<string, string>> = {
  STEPS_DUPLICATE_KEY: "MACHINE_DUPLICATE_KEY",
  STEPS_FORBIDDEN_KEY: "MACHINE_FORBIDDEN_KEY",
  STEPS_TOO_DEEP: "MACHINE_TOO_DEEP",
};

export interface OpenedYaml extends OpenedFile {
  /** For a file that is not YAML: the same text with quotes where they are missing, if that makes it YAML. */
  readonly repair?: string;
}

/** Text to a value whose problems have places. Never throws. */
export function openYaml(text: string, file: string): OpenedYaml {
  const plain = plainText(text);
  const { value, places, broken, found } = parsed(plain, file);
  const reader = sessionReader(file, (path) => places.of(path, "value"));
  tellOfText(reader, text);
  if (!broken) {
    reader.problems.push(...found.map((each) => ({ ...each, code: codes[each.code] ?? "MACHINE_SYNTAX" })));
    return { reader, value };
  }
  const deep = found.some(({ code }) => code === "STEPS_TOO_DEEP");
  const repair = deep ? undefined : quoteValues(plain, firstLine(found), (candidate) => firstFault(candidate, file));
  const lines = plain.split("\n");
  const told = new Set<number>();
  for (const each of found) {
    const line = each.place?.line ?? 1;
    if (told.has(line)) continue;
    told.add(line);
    const quoted = repair?.lines.has(line) === true ? quoteLine(lines[line - 1] ?? "") : undefined;
    reader.problems.push(quoted === undefined ? syntaxProblem(each, file) : unquotedProblem(each, line, quoted.trim()));
  }
  return { reader, ...(repair === undefined ? {} : { repair: repair.text }) };
}

function syntaxProblem(found: Diagnostic, file: string): Diagnostic {
  const code = codes[found.code] ?? "MACHINE_SYNTAX";
  const message = code === "MACHINE_SYNTAX" ? `\`${file}\` is not YAML. Line ${found.place?.line ?? 1}: ${found.message}` : found.message;
  return { ...found, code, severity: "error", message };
}

function unquotedProblem(found: Diagnostic, line: number, quoted: string): Diagnostic {
  const message = `Line ${line} is not YAML: a value without quotes holds \`: \` or begins with a character that has a meaning of its own.`;
  return { ...found, code: "MACHINE_UNQUOTED", severity: "error", message, fix: `Write it in quotes: ${quoted}` };
}

interface Parsed {
  readonly value: Json;
  readonly places: Places;
  readonly broken: boolean;
  readonly found: readonly Diagnostic[];
}

function parsed(text: string, file: string): Parsed {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, uniqueKeys: true, prettyErrors: false });
  const aliases = new Map<Alias, Node>();
  const source = { path: file, text };
  const places = new Places(source, document, counter, aliases);
  const broken = document.errors.some((error) => error.code !== "DUPLICATE_KEY");
  const found = syntaxDiagnostics(document, places);
  if (broken || !isNode(document.contents)) return { value: null, places, broken, found };
  const reading = {
    source,
    places,
    diagnostics: found,
    aliases,
    anchors: new Map(),
    open: new Set<Node>(),
    expanding: 0,
    copiesLeft: mostCopies,
  };
  const value = toJson(reading, document.contents, []);
  // A star before a word is an alias that names nothing: the text cannot be read as it is meant.
  const lost = found.some(({ code }) => code === "STEPS_ALIAS");
  return { value, places, broken: lost, found };
}

/** The line of the first fault of a text; undefined for YAML. */
function firstFault(text: string, file: string): number | undefined {
  const { broken, found } = parsed(text, file);
  return broken ? firstLine(found) : undefined;
}

function firstLine(found: readonly Diagnostic[]): number {
  return Math.min(...found.map(({ place }) => place?.line ?? 1));
}
