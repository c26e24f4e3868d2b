import type { ParsedFile, SourceFile, TextNode } from "../../../../source/index.ts";

/** A file that is one text, as a node whose problems are shown in that file. */
export function textFileNode(source: SourceFile): TextNode {
  const between = (from: number, to: number): ReturnType<ParsedFile["placeOf"]> => {
    const [start, end] = [from, to].map((offset) => {
      const lines = source.text.slice(0, offset).split("\n");
      return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
    });
    return { file: source.path, ...start!, endLine: end!.line, endColumn: end!.column };
  };
  const file: ParsedFile = {
    source,
    placeOf: () => between(0, 1),
    placeInText: (_path, offset, length) => between(offset, offset + length),
  };
  return { file, path: [], value: source.text };
}
