import type { Encoding } from "../../ports/index.ts";

const step = 1024;

/** Turns offsets in the decoded text into offsets in the file. Offsets inside a surrogate pair count as its end. */
export class ByteOffsets {
  readonly #decoded: { readonly text: string; readonly encoding: Encoding; readonly bom: number };
  readonly #plain: boolean;
  /** Bytes before every 1024th unit, filled as far as was asked for. */
  readonly #marks: number[] = [0];

  /** `size`: bytes of the whole file; equal lengths prove that every unit is one byte. */
  constructor(decoded: { readonly text: string; readonly encoding: Encoding; readonly bom: number }, size: number) {
    this.#decoded = decoded;
    this.#plain = decoded.encoding === "windows-1252" || decoded.text.length === size - decoded.bom;
  }

  at(unit: number): number {
    const { text, encoding, bom } = this.#decoded;
    if (this.#plain) return bom + unit;
    if (encoding === "utf-16le" || encoding === "utf-16be") return bom + unit * 2;
    const wanted = Math.floor(unit / step);
    for (let known = this.#marks.length - 1; known < wanted; known++) {
      this.#marks.push((this.#marks[known] ?? 0) + utf8Length(text, known * step, (known + 1) * step));
    }
    return bom + (this.#marks[wanted] ?? 0) + utf8Length(text, wanted * step, unit);
  }
}

/** A pair is counted at its first half. */
function utf8Length(text: string, start: number, end: number): number {
  let bytes = 0;
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) bytes++;
    else if (unit < 0x800) bytes += 2;
    else if (unit < 0xd800 || unit > 0xdfff) bytes += 3;
    else if (unit < 0xdc00) bytes += 4;
  }
  return bytes;
}
