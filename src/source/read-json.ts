import type { Place } from "../base/index.ts";
import { scanJson, type JsonNode } from "./scan-json.ts";
import type { DocumentPath, ParsedFile, SourceFile } from "./source-node.ts";
import type { JsonFault, ParsedDocument } from "./text-problem.ts";

/** Text to values with places. Never throws; the root may be any JSON value. */
export function readJson(source: SourceFile): ParsedDocument<JsonFault> {
  const text = withoutMark(source.text);
  const { root, faults } = scanJson(text);
  let lines: readonly number[] | undefined;
  const position = (offset: number): { line: number; column: number } => positionIn((lines ??= lineStarts(text)), offset);
  const between = (from: number, to: number): Place => {
    const last = position(to);
    return { file: source.path, ...position(from), endLine: last.line, endColumn: last.column };
  };
  const file: ParsedFile = {
    source,
    placeOf(path, part) {
      const node = nodeAt(root, path);
      if (node === undefined) return between(0, 0);
      return part === "key" && node.key !== undefined ? between(...node.key) : between(node.from, node.to);
    },
    placeInText(path, offset, length) {
      const node = nodeAt(root, path);
      if (node === undefined || typeof node.value !== "string") return file.placeOf(path, "value");
      // Escapes make the text in the file longer than its value, so the place is at most a little early.
      const from = Math.min(node.from + 1 + offset, node.to - 1);
      return between(from, Math.min(from + length, node.to - 1));
    },
  };
  const problems = faults.map(({ offset, ...fault }) => ({ ...fault, place: { file: source.path, ...position(offset) } }));
  return { file, broken: root === undefined, problems, ...(root === undefined ? {} : { root: { file, path: [], value: root.value } }) };
}

/** Some editors begin a file with a byte order mark; it is not part of the text. */
export function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/** The node at a path, or the nearest one above it. */
function nodeAt(root: JsonNode | undefined, path: DocumentPath): JsonNode | undefined {
  let node = root;
  for (const step of path) {
    const inner = node?.inner.get(step);
    if (inner === undefined) break;
    node = inner;
  }
  return node;
}

function lineStarts(text: string): number[] {
  return [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map((found) => found.index + found[0].length)];
}

function positionIn(lines: readonly number[], offset: number): { line: number; column: number } {
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((lines[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (lines[low] ?? 0) + 1 };
}
