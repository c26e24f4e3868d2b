import type { ByteEdit } from "../../../ports/index.ts";
import type { TextChange } from "../../../views/index.ts";

/** Edits name bytes; a difference is made of text. Every edit begins and ends between characters. */
export function editsInText(bytes: Uint8Array, encoding: string, edits: readonly ByteEdit[]): readonly TextChange[] {
  const name = encoding === "utf-8-bom" ? "utf-8" : encoding;
  let [byte, place] = [0, 0];
  const placeOf = (offset: number): number => {
    // Only the sign at the very beginning of a file is not text.
    place += new TextDecoder(name, { ignoreBOM: byte > 0 }).decode(bytes.subarray(byte, offset)).length;
    byte = offset;
    return place;
  };
  const sorted = edits.toSorted((a, b) => a.start - b.start || a.end - b.end);
  return sorted.map(({ start, end, text }) => ({ start: placeOf(start), end: placeOf(end), text }));
}
