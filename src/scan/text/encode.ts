import type { ByteEdit, Encoding } from "../../ports/index.ts";
import { scanError } from "../codes.ts";

/** Why a text cannot be written in an encoding, in a sentence; undefined when it can. */
export function unencodableReason(text: string, encoding: Encoding): string | undefined {
  if (/^[\x01-\x7f]*$/.test(text)) return undefined;
  if (text.includes("\0")) return "The text holds a zero character, which would make the file binary.";
  if (encoding !== "windows-1252") return /\p{Surrogate}/u.test(text) ? "The text holds half of a surrogate pair." : undefined;
  for (const character of text) {
    if (character.length > 1 || windows1252Byte(character.charCodeAt(0)) < 0) {
      return `The file is written in Windows-1252, which has no \`${character}\`.`;
    }
  }
  return undefined;
}

/** Bytes of a text in an encoding, without a byte order mark. Throws `SCAN_UNENCODABLE`. */
export function encodeText(text: string, encoding: Encoding): Uint8Array {
  const reason = unencodableReason(text, encoding);
  if (reason !== undefined) throw scanError("SCAN_UNENCODABLE", reason);
  switch (encoding) {
    case "utf-8":
    case "utf-8-bom":
      return Buffer.from(text, "utf8");
    case "utf-16le":
      return Buffer.from(text, "utf16le");
    case "utf-16be":
      return Buffer.from(text, "utf16le").swap16();
    case "windows-1252":
      return Uint8Array.from(text, (character) => windows1252Byte(character.charCodeAt(0)));
  }
}

/**
 * The file with its edits made: every byte outside them stays. `removed` has what each edit takes away, in their order.
 * Throws `SCAN_BAD_EDIT` and `SCAN_UNENCODABLE`.
 */
export function editBytes(
  bytes: Uint8Array,
  encoding: Encoding,
  edits: readonly ByteEdit[],
): { readonly bytes: Uint8Array; readonly removed: readonly Uint8Array[] } {
  const parts: Uint8Array[] = [];
  const removed: Uint8Array[] = [];
  let done = 0;
  for (const edit of edits) {
    checkEdit(bytes, encoding, edit, done);
    parts.push(bytes.subarray(done, edit.start), encodeText(edit.text, encoding));
    removed.push(bytes.slice(edit.start, edit.end));
    done = edit.end;
  }
  parts.push(bytes.subarray(done));
  return { bytes: Buffer.concat(parts), removed };
}

function checkEdit(bytes: Uint8Array, encoding: Encoding, edit: ByteEdit, after: number): void {
  const { start, end } = edit;
  if (!Number.isInteger(start) || !Number.isInteger(end) || start > end || start < 0 || end > bytes.length) {
    throw scanError("SCAN_BAD_EDIT", `The edit of bytes ${start} to ${end} is outside the file, which has ${bytes.length}.`);
  }
  if (start < after)
    throw scanError("SCAN_BAD_EDIT", `The edit of bytes ${start} to ${end} overlaps the one before it, or comes too late in the list.`);
  if (!isBorder(bytes, encoding, start) || !isBorder(bytes, encoding, end)) {
    throw scanError("SCAN_BAD_EDIT", `The edit of bytes ${start} to ${end} cuts a character or the byte order mark in two.`);
  }
}

function isBorder(bytes: Uint8Array, encoding: Encoding, at: number): boolean {
  switch (encoding) {
    case "windows-1252":
      return at >= 3 || !(bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf);
    case "utf-8":
    case "utf-8-bom":
      return (encoding === "utf-8" || at >= 3) && ((bytes[at] ?? 0) & 0xc0) !== 0x80;
    case "utf-16le":
    case "utf-16be":
      return isUnitBorder(bytes, encoding, at);
  }
}

function isUnitBorder(bytes: Uint8Array, encoding: "utf-16le" | "utf-16be", at: number): boolean {
  const marked = encoding === "utf-16le" ? bytes[0] === 0xff && bytes[1] === 0xfe : bytes[0] === 0xfe && bytes[1] === 0xff;
  if (at % 2 !== 0 || (marked && at < 2)) return false;
  const top = encoding === "utf-16le" ? 1 : 0;
  const isLow = ((bytes[at + top] ?? 0) & 0xfc) === 0xdc && at + 1 < bytes.length;
  const afterHigh = at >= 2 && ((bytes[at - 2 + top] ?? 0) & 0xfc) === 0xd8;
  return !(isLow && afterHigh);
}

/** The characters of bytes 0x80 to 0x9f; bytes without a character keep their number, so that every byte can be read. */
const upper =
  "\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f" +
  "\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178";

const byteOf: ReadonlyMap<number, number> = new Map(Array.from(upper, (character, index) => [character.charCodeAt(0), 0x80 + index]));

export function decodeWindows1252(bytes: Buffer): string {
  return bytes.toString("latin1").replace(/[\x80-\x9f]/g, (character) => upper[character.charCodeAt(0) - 0x80] ?? character);
}

/** The byte of one UTF-16 unit, or -1 when the encoding has none for it. */
function windows1252Byte(unit: number): number {
  if (unit < 0x80 || (unit > 0x9f && unit < 0x100)) return unit;
  return byteOf.get(unit) ?? -1;
}
