/** Lines end with LF, CRLF or CR, also mixed. Lines and columns count from 1, columns in UTF-16 units. */
export class LineIndex {
  readonly #text: string;
  readonly #starts: readonly number[];

  constructor(text: string) {
    this.#text = text;
    this.#starts = lineStarts(text);
  }

  get count(): number {
    return this.#starts.length;
  }

  lineAt(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  }

  placeAt(offset: number): { readonly line: number; readonly column: number } {
    const line = this.lineAt(offset);
    return { line, column: offset - this.startOf(line) + 1 };
  }

  startOf(line: number): number {
    return this.#starts[line - 1] ?? this.#text.length;
  }

  /** Text of a line without its end. */
  textOf(line: number): string {
    const end = this.#starts[line] ?? this.#text.length;
    return this.#text.slice(this.startOf(line), end).replace(/[\r\n]+$/, "");
  }
}

function lineStarts(text: string): number[] {
  const starts = [0];
  if (hasLoneReturn(text)) {
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit === 10 || (unit === 13 && text.charCodeAt(at + 1) !== 10)) starts.push(at + 1);
    }
    return starts;
  }
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function hasLoneReturn(text: string): boolean {
  for (let at = text.indexOf("\r"); at >= 0; at = text.indexOf("\r", at + 2)) if (text.charCodeAt(at + 1) !== 10) return true;
  return false;
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
