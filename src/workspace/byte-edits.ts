import type { ByteEdit, Encoding, FileEdit } from "../ports/index.ts";
import { decodeBytes, editBytes, encodeText } from "../scan/index.ts";
import { notText } from "./codes.ts";
import { hashOf } from "./read-regular.ts";

/** All that texts of edits can have been written in, the likeliest first. */
const encodings: readonly Encoding[] = ["utf-8", "windows-1252", "utf-16le", "utf-16be"];

/** A file as it was read. */
interface PlannedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly hash: string;
}

/**
 * Binds edits to a file's content now and to what it will be. Edits at one place keep the order given. Throws `WORKSPACE_NOT_TEXT`,
 * and what the scanner throws on edits that do not fit.
 */
export function planFor({ path, bytes, hash }: PlannedFile, edits: readonly ByteEdit[]): FileEdit {
  const ordered = edits.toSorted((a, b) => a.start - b.start || a.end - b.end);
  const edited = editBytes(bytes, decodeFile(path, bytes).encoding, ordered);
  return {
    path,
    before: hash,
    after: hashOf(edited.bytes),
    edits: ordered,
    removed: edited.removed.map((part) => Buffer.from(part).toString("base64")),
  };
}

/** The same for edits whose places count UTF-16 units of the decoded text. */
export function planForText(file: PlannedFile, edits: readonly ByteEdit[]): FileEdit {
  const { path, bytes } = file;
  const { text, encoding, bom } = decodeFile(path, bytes);
  const place = (unit: number): number => {
    // Outside the text is outside the file: the plan is refused by that.
    if (!(unit >= 0 && unit <= text.length)) return bytes.length + 1 + unit;
    if (encoding === "windows-1252") return bom + unit;
    return bom + (encoding.startsWith("utf-16") ? unit * 2 : Buffer.byteLength(text.slice(0, unit)));
  };
  const byBytes = edits.map((edit) => ({ start: place(edit.start), end: place(edit.end), text: edit.text }));
  return planFor(file, byBytes);
}

/** The content after; undefined when the plan does not lead to the hash that it names. */
export function contentAfter(bytes: Uint8Array, plan: FileEdit): Uint8Array | undefined {
  const edited = editBytes(bytes, decodeFile(plan.path, bytes).encoding, plan.edits);
  return hashOf(edited.bytes) === plan.after ? edited.bytes : undefined;
}

/**
 * The content before, from the content after: the plan carries what was taken away. Once edited, a file may look like one of another
 * encoding, so the hash decides which one was meant; undefined when none leads back to it.
 */
export function contentBefore(bytes: Uint8Array, plan: FileEdit): Uint8Array | undefined {
  for (const encoding of encodings) {
    const restored = takeBack(bytes, plan, encoding);
    if (restored !== undefined && hashOf(restored) === plan.before) return restored;
  }
  return undefined;
}

function takeBack(after: Uint8Array, { edits, removed }: FileEdit, encoding: Encoding): Uint8Array | undefined {
  const parts: Uint8Array[] = [];
  let at = 0;
  let shift = 0;
  for (const [index, { start, end, text }] of edits.entries()) {
    const length = lengthOf(text, encoding);
    const place = start + shift;
    if (length === undefined || place < at || place + length > after.length) return undefined;
    parts.push(after.subarray(at, place), Buffer.from(removed[index] ?? "", "base64"));
    at = place + length;
    shift += length - (end - start);
  }
  parts.push(after.subarray(at));
  return Buffer.concat(parts);
}

function lengthOf(text: string, encoding: Encoding): number | undefined {
  try {
    return encodeText(text, encoding).length;
  } catch {
    return undefined;
  }
}

function decodeFile(path: string, bytes: Uint8Array): Extract<ReturnType<typeof decodeBytes>, { kind: "text" }> {
  const decoded = decodeBytes(bytes);
  if (decoded.kind === "binary") throw notText(path, decoded.reason);
  return decoded;
}
