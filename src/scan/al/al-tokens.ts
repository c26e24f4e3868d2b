import { firstIndex } from "../first-index.ts";

/**
 * The significant tokens of an AL file in flat arrays: no comments, no spaces, and directives in a list of their own, because they may
 * come between any two tokens. A symbol's kind is its ASCII code; the kinds below are codes that no symbol has.
 */
export interface AlTokens {
  readonly text: string;
  readonly count: number;
  readonly kinds: Uint8Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly directives: readonly AlDirective[];
  /**
   * Tokens at which a declaration may begin or a block of an object end, ascending: braces, names before a number, and all names that
   * may be `var`, `begin`, `event`, `subtype`, `trigger` or `procedure`, and some more.
   */
  readonly marks: Int32Array;
  /** Whether names compare without case; always so in AL. */
  readonly foldCase: boolean;
}

export interface AlDirective {
  readonly word: "if" | "elif" | "else" | "endif" | "other";
  /** Number of significant tokens before it. */
  readonly before: number;
  readonly start: number;
  readonly end: number;
}

/** Kinds of tokens. */
export const Kind = {
  NAME: 1,
  QUOTED: 2,
  STRING: 3,
  NUMBER: 4,
  COMMENT: 5,
  DIRECTIVE: 6,
  DOUBLE_COLON: 7,
  ASSIGN: 8,
  RANGE: 9,
  /** A sign outside ASCII that is not a letter. */
  OTHER: 10,
  PAREN_OPEN: 40,
  PAREN_CLOSE: 41,
  PLUS: 43,
  COMMA: 44,
  DOT: 46,
  COLON: 58,
  SEMICOLON: 59,
  EQUALS: 61,
  BRACKET_OPEN: 91,
  BRACKET_CLOSE: 93,
  BRACE_OPEN: 123,
  BRACE_CLOSE: 125,
} as const;

/** 0 outside the file. */
export function kindAt(tokens: AlTokens, index: number): number {
  return index >= 0 && index < tokens.count ? (tokens.kinds[index] ?? 0) : 0;
}

export function startAt(tokens: AlTokens, index: number): number {
  return tokens.starts[index] ?? tokens.text.length;
}

export function endAt(tokens: AlTokens, index: number): number {
  return tokens.ends[index] ?? tokens.text.length;
}

export function textAt(tokens: AlTokens, index: number): string {
  return tokens.text.slice(startAt(tokens, index), endAt(tokens, index));
}

/** The token that begins at an offset of the text, or -1. */
export function tokenAt({ starts, count }: AlTokens, offset: number): number {
  const index = firstIndex(count, (token) => (starts[token] as number) >= offset);
  return starts[index] === offset ? index : -1;
}

/** Whether the token is the plain name `word`, which must be given in lower-case ASCII letters. */
export function isWord(tokens: AlTokens, index: number, word: string): boolean {
  if (kindAt(tokens, index) !== Kind.NAME) return false;
  const start = startAt(tokens, index);
  const length = word.length;
  if (endAt(tokens, index) - start !== length) return false;
  if (!tokens.foldCase) return tokens.text.startsWith(word, start);
  for (let at = 0; at < length; at += 1) {
    if ((tokens.text.charCodeAt(start + at) | 32) !== word.charCodeAt(at)) return false;
  }
  return true;
}

/** Plain or quoted. */
export function isNameAt(tokens: AlTokens, index: number): boolean {
  const kind = kindAt(tokens, index);
  return kind === Kind.NAME || kind === Kind.QUOTED;
}

/** The name as it compares: without quotes and without case. */
export function nameKey(tokens: AlTokens, index: number): string {
  const name = plainName(tokens, index);
  return tokens.foldCase ? name.toLowerCase() : name;
}

/** The name as written, without quotes. */
export function plainName(tokens: AlTokens, index: number): string {
  const raw = textAt(tokens, index);
  if (kindAt(tokens, index) !== Kind.QUOTED) return raw;
  return raw.slice(1, raw.length > 1 && raw.endsWith('"') ? -1 : undefined).replaceAll('""', '"');
}

/** Whether a string token has its closing quote; one that lacks it ends at the end of its line. */
export function isClosedString(raw: string): boolean {
  const from = raw.startsWith("@") ? 2 : 1;
  const inner = raw.slice(from);
  if (!inner.endsWith("'")) return false;
  let quotes = 0;
  for (let at = inner.length - 1; at >= 0 && inner[at] === "'"; at -= 1) quotes += 1;
  return quotes % 2 === 1;
}
