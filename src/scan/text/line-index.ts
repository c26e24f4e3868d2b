import { firstIndex } from "../first-index.ts";

/** Lines end with LF, CRLF or CR, also mixed. Lines and columns count from 1, columns in UTF-16 units. Read as far as is asked for. */
export class LineIndex {
  readonly #text: string;
  readonly #starts: number[] = [0];
  /** Whether a line may end with CR alone. */
  readonly #returns: boolean;
  #complete = false;

  constructor(text: string) {
    this.#text = text;
    this.#returns = text.includes("\r");
  }

  lineAt(offset: number): number {
    const starts = this.#starts;
    while (!this.#complete && (starts.at(-1) as number) <= offset) this.#readLine();
    return firstIndex(starts.length, (index) => (starts[index] as number) > offset);
  }

  placeAt(offset: number): { readonly line: number; readonly column: number } {
    const line = this.lineAt(offset);
    return { line, column: offset - this.startOf(line) + 1 };
  }

  startOf(line: number): number {
    while (!this.#complete && this.#starts.length < line) this.#readLine();
    return this.#starts[line - 1] ?? this.#text.length;
  }

  /** Text of a line without its end. */
  textOf(line: number): string {
    const start = this.startOf(line);
    let end = this.startOf(line + 1);
    // From the end, so that it takes no longer on a line of a megabyte.
    while (end > start && /[\r\n]/.test(this.#text.charAt(end - 1))) end -= 1;
    return this.#text.slice(start, end);
  }

  /** Finds where the line after the last known one begins. */
  #readLine(): void {
    const from = this.#starts.at(-1) as number;
    const next = this.#returns ? behindLineEnd(this.#text, from) : this.#text.indexOf("\n", from) + 1;
    if (next > 0) this.#starts.push(next);
    else this.#complete = true;
  }
}

/** The offset behind the next line end, or 0. */
function behindLineEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 10) return at + 1;
    if (unit === 13) return text.charCodeAt(at + 1) === 10 ? at + 2 : at + 1;
  }
  return 0;
}

/** The line end that most lines have; LF when there is none. */
export function mainLineEnd(text: string): "\n" | "\r\n" | "\r" {
  const sample = text.slice(0, 65_536);
  const both = sample.match(/\r\n/g)?.length ?? 0;
  const feeds = (sample.match(/\n/g)?.length ?? 0) - both;
  const returns = (sample.match(/\r/g)?.length ?? 0) - both;
  if (both > 0 && both >= feeds && both >= returns) return "\r\n";
  return returns > feeds ? "\r" : "\n";
}
