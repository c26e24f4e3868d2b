/** East Asian scripts, symbols and pictures take two columns. What takes none is counted as one: too narrow is safe, too wide breaks lines. */
const wide =
  /[\u1100-\u115f\u2329\u232a\u2600-\u27bf\u2b00-\u2bff\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** How many columns of a terminal the text takes at most. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += wide.test(character) ? 2 : 1;
  return columns;
}

/** The text in one line of at most so many columns, with dots where it was cut. */
export function fitColumns(text: string, columns: number): string {
  const line = text.replaceAll(/\s+/g, " ");
  if (columnsOf(line) <= columns) return line;
  let [kept, used] = ["", 0];
  for (const character of line) {
    used += columnsOf(character);
    if (used > columns - 3) break;
    kept += character;
  }
  return kept + "...".slice(0, Math.max(0, columns));
}
