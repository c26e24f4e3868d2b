import { columnsOf } from "../../src/cli/fit-columns.ts";

/**
 * A terminal as far as the product uses one: text that wraps at the edge and scrolls at the bottom, cursor up (`A`), clear to the end (`J`),
 * carriage return, a cursor that can be hidden. Refuses every other control, so that none goes unnoticed. A narrower screen breaks lines.
 */
export class FakeTerminal {
  columns: number;
  readonly rows: number;
  #lines: string[] = [""];
  #row = 0;
  #column = 0;
  #isVisible = true;

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
  }

  write(text: string): void {
    for (const [part, control] of text.matchAll(/\u001b\[([?\d]*[A-Za-z])|[^\u001b]|\u001b/gsu)) {
      if (control !== undefined) this.#control(control);
      else if (part === "\n") this.#down();
      else if (part === "\r") this.#column = 0;
      else if (part < " ") throw new Error(`The control character ${JSON.stringify(part)} was written.`);
      else this.#put(part);
    }
  }

  /** Rows that the screen shows, without empty ones at the end. */
  screen(): string[] {
    return this.all().slice(Math.max(0, this.#lines.length - this.rows));
  }

  /** With what has scrolled away. */
  all(): string[] {
    const texts = this.#lines.map((text) => text.trimEnd());
    return texts.slice(0, texts.findLastIndex((text) => text !== "") + 1);
  }

  cursor(): { readonly row: number; readonly column: number; readonly isVisible: boolean } {
    return { row: this.#row, column: this.#column, isVisible: this.#isVisible };
  }

  /** Breaks every line again, as terminals do; the cursor stays in its line. */
  resize(columns: number): void {
    const after = this.#lines.slice(this.#row);
    const before = this.#lines.slice(0, this.#row).flatMap((text) => text.match(new RegExp(`.{1,${columns}}`, "gu")) ?? [""]);
    this.columns = columns;
    this.#lines = [...before, ...after];
    this.#row = before.length;
  }

  #control(control: string): void {
    if (control.endsWith("A")) this.#row = Math.max(this.#lines.length - this.rows, 0, this.#row - Number(control.slice(0, -1) || 1));
    else if (control === "J") {
      this.#lines.splice(this.#row + 1);
      this.#lines[this.#row] = (this.#lines[this.#row] ?? "").slice(0, this.#column);
    } else if (control === "?25l" || control === "?25h") this.#isVisible = control.endsWith("h");
    else throw new Error(`The control \`${control}\` was written.`);
  }

  #put(character: string): void {
    const width = columnsOf(character);
    if (this.#column + width > this.columns) this.#down();
    this.#lines[this.#row] = `${(this.#lines[this.#row] ?? "").slice(0, this.#column)}${character}`;
    this.#column += width;
  }

  #down(): void {
    this.#row += 1;
    this.#column = 0;
    if (this.#lines[this.#row] === undefined) this.#lines.push("");
  }
}
