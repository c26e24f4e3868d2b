/** The characters of bytes 0x80 to 0x9f; bytes without a character keep their number, so that every byte can be read. */
const upper =
  "\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f" +
  "\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178";

const byteOf: ReadonlyMap<number, number> = new Map(Array.from(upper, (character, index) => [character.charCodeAt(0), 0x80 + index]));

export function decodeWindows1252(bytes: Buffer): string {
  return bytes.toString("latin1").replace(/[\x80-\x9f]/g, (character) => upper[character.charCodeAt(0) - 0x80] ?? character);
}

/** The byte of one UTF-16 unit, or -1 when the encoding has none for it. */
export function windows1252Byte(unit: number): number {
  if (unit < 0x80 || (unit > 0x9f && unit < 0x100)) return unit;
  return byteOf.get(unit) ?? -1;
}
