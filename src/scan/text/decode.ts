import type { Encoding } from "../../ports/index.ts";
import { decodeWindows1252 } from "./encode.ts";

type Decoded =
  /** `bom`: bytes of the byte order mark, which is not part of the text. */
  | { readonly kind: "text"; readonly text: string; readonly encoding: Encoding; readonly bom: number }
  | { readonly kind: "binary"; readonly reason: string };

const sample = 8192;

/**
 * Reads a file's bytes as text. A byte order mark decides; without one it is UTF-8 when the bytes are valid UTF-8, UTF-16 when
 * zero bytes are where Latin text in UTF-16 has them, else Windows-1252. Anything else with zero bytes is binary.
 */
export function decodeBytes(bytes: Uint8Array): Decoded {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [first, second, third] = buffer;
  if (first === 0xef && second === 0xbb && third === 0xbf) return utf8WithMark(buffer);
  if (first === 0xff && second === 0xfe) return utf16("utf-16le", buffer, 2);
  if (first === 0xfe && second === 0xff) return utf16("utf-16be", buffer, 2);
  if (buffer.includes(0)) return withZeroBytes(buffer);
  const text = validUtf8(buffer);
  if (text !== undefined) return { kind: "text", text, encoding: "utf-8", bom: 0 };
  return singleBytes(buffer, 0);
}

/** Bytes as characters of the same number. In UTF-8 they need more bytes than there are unless all of them are ASCII. */
function ascii(buffer: Buffer): string | undefined {
  const text = buffer.toString("latin1");
  return Buffer.byteLength(text, "utf8") === buffer.length ? text : undefined;
}

/** A file may carry the mark of UTF-8 and still hold bytes of Windows-1252: it is read byte by byte, so that none is lost. */
function singleBytes(body: Buffer, bom: number): Decoded {
  return looksBinary(body)
    ? { kind: "binary", reason: "it is neither UTF-8 nor free of control characters" }
    : { kind: "text", text: decodeWindows1252(body), encoding: "windows-1252", bom };
}

/** undefined when the bytes are not valid UTF-8. The fast decoder marks faults by U+FFFD, which is looked into only when seen. */
function validUtf8(buffer: Buffer): string | undefined {
  // Nearly all source code is ASCII, which is several times quicker to copy than to decode.
  const text = ascii(buffer) ?? buffer.toString("utf8");
  if (!text.includes("\ufffd")) return text;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(buffer);
  } catch {
    return undefined;
  }
}

function utf8WithMark(buffer: Buffer): Decoded {
  const body = buffer.subarray(3);
  if (body.includes(0)) return { kind: "binary", reason: "it holds zero bytes" };
  const text = validUtf8(body);
  return text === undefined ? singleBytes(body, 3) : { kind: "text", text, encoding: "utf-8-bom", bom: 3 };
}

function utf16(encoding: "utf-16le" | "utf-16be", buffer: Buffer, bom: number): Decoded {
  const even = (buffer.length - bom) & ~1;
  const body = buffer.subarray(bom, bom + even);
  const text = encoding === "utf-16le" ? body.toString("utf16le") : Buffer.from(body).swap16().toString("utf16le");
  if (text.includes("\0")) return { kind: "binary", reason: "it holds zero characters" };
  return { kind: "text", text, encoding, bom };
}

/** Latin text in UTF-16 has a zero byte in nearly every unit, always on the same side, and no control characters. */
function withZeroBytes(buffer: Buffer): Decoded {
  const end = Math.min(buffer.length & ~1, sample);
  let high = 0;
  let low = 0;
  for (let at = 0; at < end; at += 2) {
    if (buffer[at] === 0) high++;
    if (buffer[at + 1] === 0) low++;
  }
  const units = end / 2;
  const little = low * 2 >= units && high * 20 <= units;
  const big = high * 2 >= units && low * 20 <= units;
  if (buffer.length % 2 === 0 && units > 1 && little !== big) {
    const read = utf16(little ? "utf-16le" : "utf-16be", buffer, 0);
    if (read.kind === "text" && !/[\x01-\x08\x0e-\x1f\x7f]/.test(read.text.slice(0, sample))) return read;
  }
  return { kind: "binary", reason: "it holds zero bytes" };
}

/** Bytes that no text in Windows-1252 has, in more than one of a hundred places. */
function looksBinary(buffer: Buffer): boolean {
  const end = Math.min(buffer.length, sample);
  let strange = 0;
  for (let at = 0; at < end; at++) {
    const byte = buffer[at] ?? 0;
    if (byte < 0x20 ? byte < 9 || byte > 13 : byte === 0x81 || byte === 0x8d || byte === 0x8f || byte === 0x90 || byte === 0x9d) strange++;
  }
  return strange * 100 > end;
}
