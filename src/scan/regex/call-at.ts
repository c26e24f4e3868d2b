import type { ArgumentShape } from "../../ports/index.ts";
import { firstIndex } from "../first-index.ts";
import { isNamePart, trimmed } from "../lex/cursor.ts";
import { type Grammar, lexGeneric } from "../lex/generic.ts";
import type { Token, TokenKind } from "../token.ts";

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Call {
  /** The name right before the bracket; empty when there is none. */
  readonly name: Span;
  readonly open: number;
  /** Behind the closing bracket. */
  readonly end: number;
  /** Without white space at their ends; a comma before the closing bracket adds none. */
  readonly arguments: readonly Span[];
}

/** `code` is the text with everything but code blank. */
interface CallText {
  readonly text: string;
  readonly code: string;
  readonly language: string;
}

/** In these `<` and `>` may be brackets around types, whose commas separate no arguments. */
const languagesWithGenerics = new Set("typescript tsx csharp java kotlin scala swift cpp dart rust".split(" "));

/**
 * Where brackets that are opened in a span and not closed there end; `start` to `end` itself when none is open, undefined when
 * the text ends first. `code` is the text with everything but code blank.
 */
export function balancedEnd(code: string, start: number, end: number): number | undefined {
  const open: number[] = [];
  for (let at = start; at < code.length; at++) {
    if (at >= end && open.length === 0) return end;
    const unit = code.charCodeAt(at);
    if (isOpening(unit)) {
      // Behind the span only what is inside its brackets counts.
      if (at < end || open.length > 0) open.push(unit === 40 ? 41 : unit + 2);
    } else if (isClosing(unit) && open.includes(unit)) {
      while (open.pop() !== unit);
      if (at >= end && open.length === 0) return at + 1;
    }
  }
  return open.length === 0 ? end : undefined;
}

/**
 * The call that a match is about: the first bracket in it that follows a name, else its first bracket, else the one that comes
 * next behind it. undefined when there is none or it is not closed.
 */
export function callAt({ code, text, language }: CallText, match: Span): Call | undefined {
  const open = openingOf(code, text, match);
  if (open < 0) return undefined;
  const end = balancedEnd(code, open, open + 1);
  if (end === undefined || code.charCodeAt(end - 1) !== 41) return undefined;
  const generics = languagesWithGenerics.has(language);
  return { name: nameBefore(text, open), open, end, arguments: splitArguments(code, text, { start: open + 1, end: end - 1, generics }) };
}

function openingOf(code: string, text: string, match: Span): number {
  let first = -1;
  for (let at = code.indexOf("(", match.start); at >= 0 && at < match.end; at = code.indexOf("(", at + 1)) {
    const { start, end } = nameBefore(text, at);
    if (end > start) return at;
    if (first < 0) first = at;
  }
  if (first >= 0) return first;
  const next = /\S/.exec(code.slice(match.end, match.end + 1000));
  return next?.[0] === "(" ? match.end + next.index : -1;
}

/** A plain name, or one in quotes or brackets as some languages write them. */
function nameBefore(text: string, open: number): Span {
  let end = open;
  while (end > 0 && /\s/.test(text.charAt(end - 1))) end--;
  let start = end;
  if (text.charAt(end - 1) === '"') start = text.lastIndexOf('"', end - 2);
  else while (start > 0 && (isNamePart(text, start - 1) || text.charAt(start - 1) === "$")) start--;
  return start < 0 ? { start: end, end } : { start, end };
}

function splitArguments(code: string, text: string, inside: Span & { readonly generics: boolean }): Span[] {
  const found: Span[] = [];
  let depth = 0;
  let from = inside.start;
  for (let at = inside.start; at <= inside.end; at++) {
    const isLast = at === inside.end;
    const unit = isLast ? 44 : code.charCodeAt(at);
    if (isOpening(unit)) depth++;
    else if (isClosing(unit)) depth--;
    else if (unit === 60 && inside.generics) at += typeArguments(code, at);
    else if (unit === 44 && (depth === 0 || isLast)) {
      const span = trimmed(text, from, at);
      if (!isLast || span.end > span.start) found.push(span);
      from = at + 1;
    }
  }
  return found;
}

/** Length of what follows the bracket up to its `>` when that is a list of types, else 0. */
function typeArguments(code: string, at: number): number {
  if (!isNamePart(code, at - 1) && code.charAt(at - 1) !== ":") return 0;
  const list = /^<[\w\s.,?[\]|&<>]*?>+(?=\s*[()[\]{}.,;:])/.exec(code.slice(at, at + 200))?.[0];
  return list === undefined ? 0 : list.length - 1;
}

function isOpening(unit: number): boolean {
  return unit === 40 || unit === 91 || unit === 123;
}

function isClosing(unit: number): boolean {
  return unit === 41 || unit === 93 || unit === 125;
}

/** In a language without a lexer, quotes mean what they mean nearly everywhere. */
const plainQuotes: Grammar = {
  line: [],
  quotes: [
    { open: '"', escape: true },
    { open: "'", escape: true },
  ],
};

/** What kind of thing an argument is. Comments count for nothing; `expression` is what no other word describes. */
export function shapeOf(text: string, tokens: readonly Token[], span: Span): Exclude<ArgumentShape, "any"> {
  const inside = tokensIn(tokens, span);
  if (inside.some(({ kind }) => kind === "code")) {
    const piece = text.slice(span.start, span.end);
    return shapeOf(piece, lexGeneric(piece, plainQuotes), { start: 0, end: piece.length });
  }
  const parts = inside.filter(({ kind }) => kind !== "space" && kind !== "comment" && kind !== "directive");
  const word = parts.map(({ kind, start, end }) => letters[kind] ?? text.slice(start, end).replace(/[sn#]/g, "_")).join("");
  if (word === "s") return "string";
  if (/^[+-]?#$/.test(word)) return "number";
  if (word === "n") return "name";
  if (/^n(?:(?:\?\.|\.|::|->)n)+$/.test(word)) return "member";
  return isCall(word) ? "call" : "expression";
}

const letters: Readonly<Partial<Record<TokenKind, string>>> = { string: "s", number: "#", name: "n", quoted_name: "n" };

/** A name or member with one list of arguments that ends with the argument itself. */
function isCall(word: string): boolean {
  const head = /^n(?:(?:\?\.|\.|::|->)n)*\(/.exec(word)?.[0];
  return head !== undefined && balancedEnd(word, head.length - 1, head.length) === word.length;
}

/** Tokens that are in a span, in whole or in part. */
export function tokensIn(tokens: readonly Token[], { start, end }: Span): readonly Token[] {
  const first = firstIndex(tokens.length, (index) => (tokens[index] as Token).end > start);
  let last = first;
  while (last < tokens.length && (tokens[last] as Token).start < end) last++;
  return tokens.slice(first, last);
}
