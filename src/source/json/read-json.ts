import type { Diagnostic, Place } from "../../base/index.ts";
import { type DocumentPath, type ParsedFile, type SourceFile } from "../source-node.ts";
import { scanJson, type JsonFault, type JsonNode } from "./scan-json.ts";

const codes: Readonly<Record<JsonFault["kind"], string>> = {
  syntax: "BOTS_JSON_SYNTAX",
  duplicate: "BOTS_DUPLICATE_KEY",
  forbidden: "BOTS_FORBIDDEN_KEY",
  deep: "BOTS_TOO_DEEP",
};

/** Text to values with places. Never throws; every problem of the text is in `diagnostics`. `root` may be any JSON value. */
export function readJson(source: SourceFile): ParsedFile {
  const text = withoutMark(source.text);
  const { root, faults } = scanJson(text);
  const lines = lineStarts(text);
  const between = (from: number, to: number): Place => {
    const first = position(lines, from);
    const last = position(lines, to);
    return { file: source.path, ...first, endLine: last.line, endColumn: last.column };
  };
  const diagnostics: Diagnostic[] = faults.map(({ kind, offset, message, fix }) => ({
    code: codes[kind],
    severity: "error",
    message,
    fix,
    place: { file: source.path, ...position(lines, offset) },
  }));
  const file: ParsedFile = {
    source,
    broken: root === undefined,
    diagnostics,
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
  return root === undefined ? file : { ...file, root: { file, path: [], value: root.value } };
}

/** Some editors begin a file with a byte order mark; it is no part of the text. */
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

export function lineStarts(text: string): number[] {
  return [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map((found) => found.index + found[0].length)];
}

export function position(lines: readonly number[], offset: number): { line: number; column: number } {
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((lines[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (lines[low] ?? 0) + 1 };
}
