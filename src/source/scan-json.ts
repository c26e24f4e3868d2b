import { forbiddenKeys, type Json } from "../base/index.ts";
import { deepest, type JsonFault } from "./text-problem.ts";

/** A value of a JSON text and its offsets; `key` is that of the key that leads to it. */
export interface JsonNode {
  readonly value: Json;
  readonly from: number;
  readonly to: number;
  readonly key?: readonly [from: number, to: number];
  readonly inner: ReadonlyMap<string | number, JsonNode>;
}

/** Why a text is not JSON, or what a definition may not hold although JSON may. */
export interface FoundFault {
  readonly fault: JsonFault;
  readonly offset: number;
  readonly message: string;
  readonly fix: string;
}

export interface ScannedJson {
  /** Absent when the text is not JSON. */
  readonly root?: JsonNode;
  readonly faults: readonly FoundFault[];
}

/** Strict JSON with places: no comments, no trailing commas. Stops at the first fault of syntax; never throws. */
export function scanJson(text: string): ScannedJson {
  const faults: FoundFault[] = [];
  const scanner: Scanner = { text, faults, at: 0, failed: false };
  skipBlanks(scanner);
  if (scanner.at >= text.length) return { faults: [syntax(0, "The file is empty.", "Write a JSON object: `{ ... }`.")] };
  const root = scanValue(scanner, 0);
  skipBlanks(scanner);
  if (!scanner.failed && scanner.at < text.length) fail(scanner, strayAt(scanner, "The JSON value ends before this place."));
  return scanner.failed || root === undefined ? { faults } : { root, faults };
}

interface Scanner {
  readonly text: string;
  readonly faults: FoundFault[];
  at: number;
  failed: boolean;
}

function syntax(offset: number, message: string, fix: string): FoundFault {
  return { fault: "syntax", offset, message, fix };
}

function fail(scanner: Scanner, fault: FoundFault): undefined {
  if (!scanner.failed) scanner.faults.push(fault);
  scanner.failed = true;
  return undefined;
}

function skipBlanks(scanner: Scanner): void {
  while (scanner.at < scanner.text.length && " \t\r\n".includes(scanner.text[scanner.at] ?? "")) scanner.at++;
}

function scanValue(scanner: Scanner, depth: number): JsonNode | undefined {
  const { text, at: from } = scanner;
  if (depth > deepest) {
    const message = `The file is nested deeper than ${deepest} levels.`;
    return fail(scanner, { fault: "too_deep", offset: from, message, fix: "Write it with fewer levels." });
  }
  const first = text[from];
  if (first === "{") return scanObject(scanner, depth);
  if (first === "[") return scanList(scanner, depth);
  if (first === '"') {
    const value = scanText(scanner);
    return value === undefined ? undefined : leaf(value, from, scanner.at);
  }
  const word = /[-+.\w]+/y;
  word.lastIndex = from;
  const found = word.exec(text)?.[0] ?? "";
  const value = plainValue(found);
  if (value === undefined) return fail(scanner, strayAt(scanner, "A value is missing here."));
  scanner.at += found.length;
  return leaf(value, from, scanner.at);
}

function leaf(value: Json, from: number, to: number): JsonNode {
  return { value, from, to, inner: new Map() };
}

function plainValue(word: string): Json | undefined {
  if (word === "null") return null;
  if (word === "true" || word === "false") return word === "true";
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(word)) return undefined;
  const number = Number(word);
  return Number.isFinite(number) ? number : undefined;
}

/** One text in double quotes; `at` moves behind it. */
function scanText(scanner: Scanner): string | undefined {
  const { text, at: from } = scanner;
  for (let at = from + 1; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === '"') {
      scanner.at = at + 1;
      return JSON.parse(text.slice(from, at + 1)) as string;
    }
    if (char < " ") {
      const what = char === "\n" || char === "\r" ? "A text does not end on its line." : "A text holds a control character.";
      return fail(
        scanner,
        syntax(char === "\n" || char === "\r" ? from : at, what, "Close the quotes; write a line break as `\\n`, a tab as `\\t`."),
      );
    }
    if (char !== "\\") continue;
    const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
    escape.lastIndex = at;
    const length = escape.exec(text)?.[0].length;
    if (length === undefined) {
      const fix = 'Write a backslash twice; the escapes of JSON are \\n, \\t, \\r, \\b, \\f, \\/, \\" and \\u with four digits.';
      return fail(scanner, syntax(at, "A backslash does not begin an escape that JSON knows.", fix));
    }
    at += length - 1;
  }
  return fail(scanner, syntax(from, "A text does not end.", "Close the quotes."));
}

function scanList(scanner: Scanner, depth: number): JsonNode | undefined {
  const from = scanner.at;
  const inner = new Map<string | number, JsonNode>();
  const values: Json[] = [];
  for (let index = 0; ; index++) {
    if (!nextMember(scanner, "]", index === 0)) break;
    const node = scanValue(scanner, depth + 1);
    if (node === undefined) break;
    inner.set(index, node);
    values.push(node.value);
  }
  return scanner.failed ? undefined : { value: values, from, to: scanner.at, inner };
}

function scanObject(scanner: Scanner, depth: number): JsonNode | undefined {
  const from = scanner.at;
  const inner = new Map<string, JsonNode>();
  for (let first = true; nextMember(scanner, "}", first); first = false) {
    const start = scanner.at;
    if (scanner.text[start] !== '"') return fail(scanner, strayAt(scanner, "A key in double quotes is missing here."));
    const name = scanText(scanner);
    const key = [start, scanner.at] as const;
    skipBlanks(scanner);
    if (scanner.failed || name === undefined) return undefined;
    if (scanner.text[scanner.at] !== ":") return fail(scanner, strayAt(scanner, `The key \`${name}\` has no colon behind it.`));
    scanner.at++;
    skipBlanks(scanner);
    const node = scanValue(scanner, depth + 1);
    if (node === undefined) return undefined;
    takeKey(scanner, inner, name, { ...node, key });
  }
  if (scanner.failed) return undefined;
  const value = Object.fromEntries([...inner].map(([name, node]) => [name, node.value]));
  return { value, from, to: scanner.at, inner };
}

function takeKey(scanner: Scanner, inner: Map<string, JsonNode>, name: string, node: JsonNode): void {
  const offset = node.key?.[0] ?? node.from;
  if (forbiddenKeys.has(name)) {
    const message = `The key \`${name}\` is not allowed in a definition.`;
    scanner.faults.push({ fault: "forbidden_key", offset, message, fix: "Choose another name." });
  } else if (inner.has(name)) {
    const message = `The key \`${name}\` is here twice.`;
    scanner.faults.push({ fault: "duplicate_key", offset, message, fix: "Remove one of them, or rename it." });
  } else {
    inner.set(name, node);
  }
}

/** Moves to the next member of a list or object; false at its end, or when something else is there. */
function nextMember(scanner: Scanner, end: "]" | "}", first: boolean): boolean {
  if (scanner.failed) return false;
  const opened = scanner.at;
  if (first) scanner.at++;
  skipBlanks(scanner);
  const found = scanner.text[scanner.at];
  if (found === end) {
    scanner.at++;
    return false;
  }
  if (first && found !== undefined) return true;
  if (found === undefined) {
    fail(scanner, syntax(first ? opened : scanner.text.length, `The file ends before \`${end}\`.`, `Add the missing \`${end}\`.`));
    return false;
  }
  if (found !== ",") {
    fail(scanner, strayAt(scanner, `A comma or \`${end}\` is missing here.`));
    return false;
  }
  const comma = scanner.at++;
  skipBlanks(scanner);
  if (scanner.text[scanner.at] !== end) return true;
  fail(scanner, syntax(comma, `There is a comma before \`${end}\`.`, "Remove the comma behind the last member; JSON allows none."));
  return false;
}

/** What is wrong at a place where something else was expected; the usual mistakes are named. */
function strayAt({ text, at }: Scanner, expected: string): FoundFault {
  const rest = text.slice(at, at + 40);
  if (/^(?:\/\/|\/\*|#)/.test(rest))
    return syntax(
      at,
      "There is a comment here, and JSON has no comments.",
      "Remove the comment, or keep its text under a key such as `description`.",
    );
  if (rest.startsWith("'")) return syntax(at, "A text is in single quotes.", 'Use double quotes: `"..."`.');
  if (rest === "")
    return syntax(Math.max(0, text.length - 1), "The file ends too early.", "Complete the file; look for a bracket that is not closed.");
  const word = /^[-+.\w]+/.exec(rest)?.[0] ?? rest.slice(0, 1);
  const instead: Readonly<Record<string, string>> = { True: "true", False: "false", None: "null", NaN: "null", undefined: "null" };
  const known = Object.hasOwn(instead, word) ? instead[word] : undefined;
  if (known !== undefined) return syntax(at, `\`${word}\` is not a word of JSON.`, `Write \`${known}\`.`);
  return syntax(at, `${expected} Found: \`${word}\`.`, "Correct this place; texts and keys are in double quotes.");
}
