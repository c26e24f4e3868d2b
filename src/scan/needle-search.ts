/**
 * Looks for many short ASCII texts at once, in any case, in bytes: the table says for each pair of bytes how far the window may
 * move, so most bytes are never looked at. A file is read once however many patterns there are. Of each byte five bits count:
 * they are the same for both cases of a letter and keep the table small; what agrees in them is compared in full.
 */
export class NeedleSearch {
  readonly needles: readonly string[];
  /** Length of the window: that of the shortest needle. */
  readonly #window: number;
  readonly #shift: Uint8Array;
  /** Pair of bytes at the end of the window to its list of needles, or -1. */
  readonly #bucket: Int16Array;
  readonly #lists: number[][] = [];
  readonly #codes: readonly Uint8Array[];

  /** `needles`: lower-case ASCII, at least two characters each. */
  constructor(needles: readonly string[]) {
    this.needles = needles;
    this.#window = Math.min(255, ...needles.map((needle) => needle.length));
    this.#shift = new Uint8Array(1024).fill(this.#window - 1);
    this.#bucket = new Int16Array(1024).fill(-1);
    this.#codes = needles.map((needle) => Uint8Array.from(needle, (character) => character.charCodeAt(0)));
    for (const [index, needle] of needles.entries()) this.#add(needle, index);
  }

  #add(needle: string, index: number): void {
    for (let at = 0; at + 1 < this.#window; at++) {
      const distance = this.#window - 2 - at;
      const pair = ((needle.charCodeAt(at) & 31) << 5) | (needle.charCodeAt(at + 1) & 31);
      if (distance < (this.#shift[pair] ?? 0)) this.#shift[pair] = distance;
      if (distance === 0) this.#file(pair, index);
    }
  }

  #file(pair: number, index: number): void {
    let list = this.#bucket[pair] ?? -1;
    if (list < 0) {
      list = this.#lists.push([]) - 1;
      this.#bucket[pair] = list;
    }
    this.#lists[list]?.push(index);
  }

  /** By index of the needle: 1 when it was seen. */
  search(bytes: Uint8Array): Uint8Array {
    const seen = new Uint8Array(this.needles.length);
    const shift = this.#shift;
    const length = bytes.length;
    let left = this.needles.length;
    let at = this.#window - 1;
    while (at < length && left > 0) {
      const pair = (((bytes[at - 1] as number) & 31) << 5) | ((bytes[at] as number) & 31);
      const step = shift[pair] as number;
      if (step > 0) {
        at += step;
        continue;
      }
      for (const index of this.#lists[this.#bucket[pair] ?? -1] ?? []) {
        if (seen[index] === 0 && this.#isAt(bytes, at - this.#window + 1, index)) {
          seen[index] = 1;
          left--;
        }
      }
      at++;
    }
    return seen;
  }

  #isAt(bytes: Uint8Array, start: number, index: number): boolean {
    const codes = this.#codes[index];
    if (codes === undefined || start + codes.length > bytes.length) return false;
    for (let at = 0; at < codes.length; at++) {
      const byte = bytes[start + at] as number;
      if ((byte >= 65 && byte <= 90 ? byte + 32 : byte) !== codes[at]) return false;
    }
    return true;
  }
}

/** Units of a text as bytes, with what is not ASCII as 255, so that text in UTF-16 can be searched like any other. */
export function narrowed(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    bytes[at] = unit < 128 ? unit : 255;
  }
  return bytes;
}
