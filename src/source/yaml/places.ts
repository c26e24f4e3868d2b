import type { LineCounter } from "yaml";
import type { Json, Place } from "../../base/index.ts";
import type { DocumentPath, ParsedFile, SourceFile } from "../source-node.ts";
import { offsetInFile } from "./scalar-offset.ts";

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
