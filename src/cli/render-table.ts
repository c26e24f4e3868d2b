import { stripVTControlCharacters } from "node:util";

/** Rows with aligned columns, two spaces between them and none at the end. Line breaks inside a cell become spaces. */
export function renderTable(rows: readonly (readonly string[])[]): string[] {
  const cells = rows.map((row) => row.map((cell) => cell.replace(/\s*\r?\n\s*/g, " ")));
  const widths: number[] = [];
  for (const row of cells) for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, width(cell));
  return cells.map((row) =>
    row
      .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - width(cell)))
      .join("  ")
      .trimEnd(),
  );
}

/** Columns a text takes on a terminal: styles take none, wide East Asian characters and pictures two. */
export function width(text: string): number {
  let columns = 0;
  for (const mark of stripVTControlCharacters(text)) columns += /\p{Mark}/u.test(mark) ? 0 : isWide(mark) ? 2 : 1;
  return columns;
}

function isWide(mark: string): boolean {
  return /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u.test(
    mark,
  );
}
