import type { LineCounter } from "yaml";
import type { Json, Place } from "../../base/index.ts";
import type { DocumentPath, ParsedFile, SourceFile } from "../source-node.ts";

type Range = readonly [from: number, to: number];

/** A value of a document and its offsets. */
export interface PlacedNode {
  readonly value: Json;
  readonly range: Range;
  /** The key that leads to it. */
  readonly key?: Range;
  /** What is inside a map or a list. */
  readonly inner?: ReadonlyMap<string | number, PlacedNode>;
  /** How a text is written, in the words of `yaml`. */
  readonly style?: string;
}

/** Turns offsets into lines and columns. */
export interface Places {
  readonly text: string;
  readonly between: (...range: Range) => Place;
}

export function placesIn({ path: file, text }: SourceFile, counter: () => LineCounter): Places {
  const position = (offset: number): { line: number; column: number } => {
    const { line, col } = counter().linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  return {
    text,
    between(from, to) {
      const last = position(Math.max(from, from + text.slice(from, to).trimEnd().length));
      return { file, ...position(from), endLine: last.line, endColumn: last.column };
    },
  };
}

export function placedFile(source: SourceFile, { text, between }: Places, root: PlacedNode | undefined): ParsedFile {
  const placeOf: ParsedFile["placeOf"] = (path, part) => {
    const { range, key = range } = nodeAt(root, path) ?? { range: [0, 0] };
    return between(...(part === "key" ? key : range));
  };
  return {
    source,
    placeOf,
    placeInText(path, offset, length) {
      const { value, style, range: [start, end] = [0, 0] } = nodeAt(root, path) ?? {};
      if (typeof value !== "string" || style === undefined) return placeOf(path, "value");
      const at = offsetInFile(text, { style, start, end }, offset, value);
      return between(at, Math.max(at, offsetInFile(text, { style, start, end }, offset + length - 1, value)) + 1);
    },
  };
}

/** The node at a path, or the nearest one above it. */
function nodeAt(root: PlacedNode | undefined, path: DocumentPath): PlacedNode | undefined {
  let node = root;
  for (const step of path) {
    const inner = node?.inner?.get(step);
    if (inner === undefined) break;
    node = inner;
  }
  return node;
}

/** How a text was written in YAML, and where: `start` is the offset of its first character, quote or block header. */
interface ScalarSource {
  readonly style: string;
  readonly start: number;
  readonly end: number;
}

const escapes: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/**
 * Offset in the file of a character of a parsed text. Quotes, escapes, folding and block indentation are undone; where that
 * is not exact the result is at most a little late in the same text, never outside of it.
 */
function offsetInFile(file: string, scalar: ScalarSource, offset: number, value: string): number {
  const find = scalar.style === "BLOCK_LITERAL" ? inLiteralBlock : scalar.style === "QUOTE_DOUBLE" ? inDoubleQuotes : alongside;
  const found = find(file, scalar, Math.min(offset, value.length), value);
  return Math.max(scalar.start, Math.min(found, scalar.end - 1));
}

/** Line by line: a literal block keeps every line and loses only its indentation. */
function inLiteralBlock(file: string, scalar: ScalarSource, wanted: number, value: string): number {
  const before = value.slice(0, wanted).split("\n");
  let line = afterHeader(file, scalar);
  const indent = blockIndent(file, scalar);
  for (let skipped = 1; skipped < before.length; skipped++) {
    const next = file.indexOf("\n", line);
    if (next < 0) break;
    line = next + 1;
  }
  return line + indent + (before.at(-1) ?? "").length;
}

function afterHeader(file: string, scalar: ScalarSource): number {
  const end = file.indexOf("\n", scalar.start);
  return end < 0 ? scalar.start : end + 1;
}

function blockIndent(file: string, scalar: ScalarSource): number {
  const lines = file.slice(afterHeader(file, scalar), scalar.end).split("\n");
  const first = lines.find((line) => line.trim() !== "");
  return first === undefined ? 0 : first.length - first.trimStart().length;
}

const fold = /[ \t\r]*\n\s*/y;
const continuation = /\\\r?\n\s*/y;

/** Follows escapes and folded lines: one line break is a blank, each further one a line break of the text. */
function inDoubleQuotes(file: string, scalar: ScalarSource, wanted: number): number {
  let at = scalar.start + 1;
  let produced = 0;
  while (at < scalar.end) {
    at += matchAt(continuation, file, at).length;
    if (produced >= wanted) return at;
    const blank = matchAt(fold, file, at);
    if (file[at] === "\\") {
      const digits = escapes[file[at + 1] ?? ""] ?? 0;
      at += 2 + digits;
      produced += digits === 8 && Number.parseInt(file.slice(at - 8, at), 16) > 0xffff ? 2 : 1;
    } else if (blank !== "") {
      at += blank.length;
      produced += Math.max(1, blank.split("\n").length - 2);
    } else {
      at++;
      produced++;
    }
  }
  return at;
}

/** What a sticky pattern finds at an offset, or nothing. */
export function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

function skipBlank(file: string, from: number): number {
  let at = from;
  while (/\s/.test(file[at] ?? "")) at++;
  return at;
}

/** Walks text and source together: blanks match any run of blanks, a doubled single quote is one character. */
function alongside(file: string, scalar: ScalarSource, wanted: number, value: string): number {
  const single = scalar.style === "QUOTE_SINGLE";
  let at = scalar.style === "BLOCK_FOLDED" ? skipBlank(file, afterHeader(file, scalar)) : scalar.start + (single ? 1 : 0);
  for (let produced = 0; produced < wanted && at < scalar.end; produced++) {
    const folded = /\s/.test(value[produced] ?? "") && file[at] === "\n";
    if (folded) {
      at = skipBlank(file, at);
      while (/\s/.test(value[produced + 1] ?? "")) produced++;
    } else {
      at += single && file[at] === "'" ? 2 : 1;
    }
  }
  return at;
}
