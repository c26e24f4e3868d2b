import type { Token, TokenKind } from "../token.ts";
import { isSpace } from "./character-classes.ts";

/** Which part of a text a mask leaves: code without strings, comments, quoted names and directives, or one of the two alone. */
export type MaskPart = "code" | "comments" | "strings";

const dropped: Readonly<Record<MaskPart, (kind: TokenKind) => boolean>> = {
  code: (kind) => kind === "string" || kind === "comment" || kind === "quoted_name" || kind === "directive",
  comments: (kind) => kind !== "comment",
  strings: (kind) => kind !== "string",
};

export interface MaskedText {
  /** As long as the original; what is masked is blank, line ends stay. */
  readonly text: string;
  /** What was masked, as pairs of start and end; ascending, neighbours joined. */
  readonly gaps: readonly number[];
}

export function maskText(text: string, tokens: readonly Token[], part: MaskPart): MaskedText {
  const gaps = gapsOf(text, tokens, part);
  if (gaps.length === 0) return { text, gaps };
  const pieces: string[] = [];
  let done = 0;
  for (let index = 0; index < gaps.length; index += 2) {
    const start = gaps[index] ?? 0;
    const end = gaps[index + 1] ?? start;
    if (start > done) pieces.push(text.slice(done, start));
    pieces.push(blank(text, start, end));
    done = end;
  }
  pieces.push(text.slice(done));
  return { text: pieces.join(""), gaps };
}

/** Text between tokens is code. */
function gapsOf(text: string, tokens: readonly Token[], part: MaskPart): number[] {
  const gaps: number[] = [];
  const drop = dropped[part];
  const add = (start: number, end: number): void => {
    if (start >= end) return;
    if (gaps.at(-1) === start) gaps[gaps.length - 1] = end;
    else gaps.push(start, end);
  };
  let done = 0;
  for (const { kind, start, end } of tokens) {
    if (part !== "code") add(done, start);
    if (drop(kind)) add(start, end);
    done = end;
  }
  if (part !== "code") add(done, text.length);
  return gaps;
}

function blank(text: string, start: number, end: number): string {
  const piece = text.slice(start, end);
  if (!piece.includes("\n") && !piece.includes("\r")) return " ".repeat(end - start);
  return piece.replace(/[^\r\n]+/g, (run) => " ".repeat(run.length));
}

/** The span without what is masked at its ends, also behind white space; undefined when nothing is left. */
export function trimToMask({ text, gaps }: MaskedText, start: number, end: number): { start: number; end: number } | undefined {
  let first = start;
  while (first < end && isSpace(text.charCodeAt(first))) first++;
  let last = end;
  while (last > first && isSpace(text.charCodeAt(last - 1))) last--;
  if (first === last) return undefined;
  const before = lastGapBefore(gaps, first);
  const behind = lastGapBefore(gaps, last) + 2;
  return { start: Math.max(start, gaps[before + 1] ?? start), end: Math.min(end, gaps[behind] ?? end) };
}

/** Index of the last gap that begins before an offset, or -2. */
function lastGapBefore(gaps: readonly number[], offset: number): number {
  let low = 0;
  let high = gaps.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((gaps[middle * 2] ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return (low - 1) * 2;
}
