import { firstIndex } from "../first-index.ts";
import type { Token, TokenKind } from "../token.ts";
import { trimmed } from "./cursor.ts";

/** Which part of a text a mask leaves: code without strings, comments, quoted names and directives, or one of the two alone. */
export type MaskPart = "code" | "comments" | "strings";

function isDropped(kind: TokenKind, part: MaskPart): boolean {
  if (part === "code") return kind === "string" || kind === "comment" || kind === "quoted_name" || kind === "directive";
  return kind !== (part === "comments" ? "comment" : "string");
}

export interface MaskedText {
  /** As long as the original; what is masked is blank, line ends stay. */
  readonly text: string;
  /** What was masked, as pairs of start and end; ascending, neighbours joined. */
  readonly gaps: readonly number[];
}

export function maskText(text: string, tokens: readonly Token[], part: MaskPart): MaskedText {
  return maskGaps(text, gapsOf(text, tokens, part));
}

/** `gaps`: pairs of start and end; ascending, neighbours joined. */
export function maskGaps(text: string, gaps: readonly number[]): MaskedText {
  return { text: gaps.length === 0 ? text : blanked(text, gaps), gaps };
}

/** Memory for the text while its gaps are blanked; for longer texts it is not kept. */
const keptBytes = 1 << 19;
let kept: Buffer = Buffer.alloc(0);

function blanked(text: string, gaps: readonly number[]): string {
  // A text of ASCII has as many bytes as units, in every encoding of one byte.
  const width = Buffer.byteLength(text, "utf8") === text.length ? 1 : 2;
  const encoding = width === 1 ? "latin1" : "utf16le";
  const needed = text.length * width;
  let bytes = kept;
  if (needed > kept.length) {
    bytes = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(keptBytes, needed * 2)));
    if (needed <= keptBytes) kept = bytes;
  }
  bytes.write(text, encoding);
  blank(bytes, gaps, width);
  return bytes.toString(encoding, 0, needed);
}

/** Line ends stay. A unit has one byte or two, the lower one first. */
function blank(bytes: Buffer, gaps: readonly number[], width: 1 | 2): void {
  for (let index = 0; index < gaps.length; index += 2) {
    const end = (gaps[index + 1] as number) * width;
    for (let at = (gaps[index] as number) * width; at < end; at += width) {
      const low = bytes[at] as number;
      if ((low === 10 || low === 13) && (width === 1 || bytes[at + 1] === 0)) continue;
      bytes[at] = 32;
      if (width === 2) bytes[at + 1] = 0;
    }
  }
}

/** Text between tokens is code. */
function gapsOf(text: string, tokens: readonly Token[], part: MaskPart): number[] {
  const gaps: number[] = [];
  const add = (start: number, end: number): void => {
    if (start >= end) return;
    if (gaps[gaps.length - 1] === start) gaps[gaps.length - 1] = end;
    else gaps.push(start, end);
  };
  let done = 0;
  for (const { kind, start, end } of tokens) {
    if (part !== "code") add(done, start);
    if (isDropped(kind, part)) add(start, end);
    done = end;
  }
  if (part !== "code") add(done, text.length);
  return gaps;
}

/** The span without what is masked at its ends, also behind white space; undefined when nothing is left. */
export function trimToMask({ text, gaps }: MaskedText, start: number, end: number): { start: number; end: number } | undefined {
  const seen = trimmed(text, start, end);
  if (seen.start === seen.end) return undefined;
  const before = lastGapBefore(gaps, seen.start);
  const behind = lastGapBefore(gaps, seen.end) + 2;
  return { start: Math.max(start, gaps[before + 1] ?? start), end: Math.min(end, gaps[behind] ?? end) };
}

/** Index of the last gap that begins before an offset, or -2. */
function lastGapBefore(gaps: readonly number[], offset: number): number {
  return (firstIndex(gaps.length / 2, (pair) => (gaps[pair * 2] as number) >= offset) - 1) * 2;
}
