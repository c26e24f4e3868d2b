import { LineCounter } from "yaml";
import { forbiddenKeys, type Json } from "../base/index.ts";
import type { SourceFile } from "./source-node.ts";
import { deepest, type JsonFault, type ParsedDocument } from "./text-problem.ts";
import { matchAt, placedFile, placesIn, type PlacedNode } from "./yaml/places.ts";

/** Text to values with places. Never throws; the root may be any JSON value. */
export function readJson(source: SourceFile): ParsedDocument<JsonFault> {
  const text = withoutMark(source.text);
  const { root, faults } = scanJson(text);
  let lines: LineCounter | undefined;
  const places = placesIn({ path: source.path, text }, () => (lines ??= linesOf(text)));
  const file = placedFile(source, places, root);
  const problems = faults.map(({ offset, ...fault }) => {
    const { file: path, line, column } = places.between(offset, offset);
    return { ...fault, place: { file: path, line, column } };
  });
  return { file, broken: root === undefined, problems, ...(root === undefined ? {} : { root: { file, path: [], value: root.value } }) };
}

/** Some editors begin a file with a byte order mark; it is not part of the text. */
export function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

function linesOf(text: string): LineCounter {
  const counter = new LineCounter();
  counter.lineStarts = [0, ...Array.from(text.matchAll(/\r\n|\r|\n/g), (found) => found.index + found[0].length)];
  return counter;
}

/** Why a text is not JSON, or what a definition may not hold although JSON may. */
interface FoundFault {
  readonly fault: JsonFault;
  readonly offset: number;
  readonly message: string;
  readonly fix: string;
}

/** Strict JSON with places: no comments, no trailing commas. Stops at the first fault of syntax, and then has no root; never throws. */
function scanJson(text: string): { readonly root?: PlacedNode; readonly faults: readonly FoundFault[] } {
  const faults: FoundFault[] = [];
  const scanner: Scanner = { text, faults, at: 0 };
  try {
    skipBlanks(scanner);
    if (scanner.at >= text.length) throw syntax(0, "The file is empty.", "Write a JSON object: `{ ... }`.");
    const root = scanValue(scanner, 0);
    skipBlanks(scanner);
    if (scanner.at < text.length) throw strayAt(scanner, "The JSON value ends before this place.");
    return { root, faults };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { faults: [...faults, error.found] };
  }
}

interface Scanner {
  readonly text: string;
  readonly faults: FoundFault[];
  at: number;
}

/** Leaves the scanner at the first place that cannot be read. */
class Unreadable extends Error {
  readonly found: FoundFault;

  constructor(found: FoundFault) {
    super(found.message);
    this.found = found;
  }
}

function syntax(offset: number, message: string, fix: string): Unreadable {
  return new Unreadable({ fault: "syntax", offset, message, fix });
}

function skipBlanks(scanner: Scanner): void {
  while (scanner.at < scanner.text.length && " \t\r\n".includes(scanner.text[scanner.at] ?? "")) scanner.at++;
}

function scanValue(scanner: Scanner, depth: number): PlacedNode {
  const { text, at: from } = scanner;
  if (depth > deepest) {
    const message = `The file is nested deeper than ${deepest} levels.`;
    throw new Unreadable({ fault: "too_deep", offset: from, message, fix: "Write it with fewer levels." });
  }
  const first = text[from];
  if (first === "{" || first === "[") {
    const inner = first === "{" ? scanObject(scanner, depth) : scanList(scanner, depth);
    const values = [...inner].map(([key, node]) => [key, node.value] as const);
    const value = first === "{" ? Object.fromEntries(values) : values.map(([, each]) => each);
    return { value, range: [from, scanner.at], inner };
  }
  const value = first === '"' ? scanText(scanner) : scanWord(scanner);
  return { value, range: [from, scanner.at], ...(first === '"' && { style: "QUOTE_DOUBLE" }) };
}

/** A number, a flag or null; `at` moves behind it. */
function scanWord(scanner: Scanner): Json {
  const found = matchAt(/[-+.\w]+/y, scanner.text, scanner.at);
  const known = /^(?:null|true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)$/.test(found);
  const value = known ? (JSON.parse(found) as Json) : undefined;
  if (value === undefined || (typeof value === "number" && !Number.isFinite(value))) throw strayAt(scanner, "A value is missing here.");
  scanner.at += found.length;
  return value;
}

/** One text in double quotes; `at` moves behind it. */
function scanText(scanner: Scanner): string {
  const { text, at: from } = scanner;
  for (let at = from + 1; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === '"') {
      scanner.at = at + 1;
      return JSON.parse(text.slice(from, at + 1)) as string;
    }
    if (char < " ") {
      const ends = char === "\n" || char === "\r";
      const what = ends ? "A text does not end on its line." : "A text holds a control character.";
      throw syntax(ends ? from : at, what, "Close the quotes; write a line break as `\\n`, a tab as `\\t`.");
    }
    if (char !== "\\") continue;
    const { length } = matchAt(/\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y, text, at);
    if (length === 0) {
      const fix = 'Write a backslash twice; the escapes of JSON are \\n, \\t, \\r, \\b, \\f, \\/, \\" and \\u with four digits.';
      throw syntax(at, "A backslash does not begin an escape that JSON knows.", fix);
    }
    at += length - 1;
  }
  throw syntax(from, "A text does not end.", "Close the quotes.");
}

function scanList(scanner: Scanner, depth: number): Map<number, PlacedNode> {
  const inner = new Map<number, PlacedNode>();
  while (hasNext(scanner, "]", inner.size === 0)) inner.set(inner.size, scanValue(scanner, depth + 1));
  return inner;
}

function scanObject(scanner: Scanner, depth: number): Map<string, PlacedNode> {
  const inner = new Map<string, PlacedNode>();
  for (let first = true; hasNext(scanner, "}", first); first = false) {
    const start = scanner.at;
    if (scanner.text[start] !== '"') throw strayAt(scanner, "A key in double quotes is missing here.");
    const name = scanText(scanner);
    const key = [start, scanner.at] as const;
    skipBlanks(scanner);
    if (scanner.text[scanner.at] !== ":") throw strayAt(scanner, `The key \`${name}\` has no colon behind it.`);
    scanner.at++;
    skipBlanks(scanner);
    const node = { ...scanValue(scanner, depth + 1), key };
    const refuse = (fault: JsonFault, message: string, fix: string): unknown => scanner.faults.push({ fault, offset: start, message, fix });
    if (forbiddenKeys.has(name)) refuse("forbidden_key", `The key \`${name}\` is not allowed in a definition.`, "Choose another name.");
    else if (inner.has(name)) refuse("duplicate_key", `The key \`${name}\` is here twice.`, "Remove one of them, or rename it.");
    else inner.set(name, node);
  }
  return inner;
}

/** Moves to the next member of a list or object; false behind its end. */
function hasNext(scanner: Scanner, end: "]" | "}", first: boolean): boolean {
  const { text, at: opened } = scanner;
  if (first) scanner.at++;
  skipBlanks(scanner);
  const found = text[scanner.at];
  if (found === end) {
    scanner.at++;
    return false;
  }
  if (found === undefined) throw syntax(first ? opened : text.length, `The file ends before \`${end}\`.`, `Add the missing \`${end}\`.`);
  if (first) return true;
  if (found !== ",") throw strayAt(scanner, `A comma or \`${end}\` is missing here.`);
  const comma = scanner.at++;
  skipBlanks(scanner);
  if (text[scanner.at] !== end) return true;
  throw syntax(comma, `There is a comma before \`${end}\`.`, "Remove the comma behind the last member; JSON allows none.");
}

const commentFix = "Remove the comment, or keep its text under a key such as `description`.";

/** What is wrong at a place where something else was expected; the usual mistakes are named. */
function strayAt({ text, at }: Scanner, expected: string): Unreadable {
  const rest = text.slice(at, at + 40);
  if (/^(?:\/\/|\/\*|#)/.test(rest)) return syntax(at, "There is a comment here, and JSON has no comments.", commentFix);
  if (rest.startsWith("'")) return syntax(at, "A text is in single quotes.", 'Use double quotes: `"..."`.');
  if (rest === "")
    return syntax(Math.max(0, text.length - 1), "The file ends too early.", "Complete the file; look for a bracket that is not closed.");
  const word = /^[-+.\w]+/.exec(rest)?.[0] ?? rest.slice(0, 1);
  const instead: Readonly<Record<string, string>> = { True: "true", False: "false", None: "null", NaN: "null", undefined: "null" };
  const known = Object.hasOwn(instead, word) ? instead[word] : undefined;
  if (known !== undefined) return syntax(at, `\`${word}\` is not a word of JSON.`, `Write \`${known}\`.`);
  return syntax(at, `${expected} Found: \`${word}\`.`, "Correct this place; texts and keys are in double quotes.");
}
