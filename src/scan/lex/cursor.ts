import type { Token, TokenKind } from "../token.ts";

/** Names of rules that are switched off; tests use it to show that each one matters. */
export type RulesOff = ReadonlySet<string>;
export const noRulesOff: RulesOff = new Set();

/** Walks over a text and keeps the tokens, which cover it without a gap. */
export class Cursor {
  readonly text: string;
  readonly tokens: Token[] = [];
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  get done(): boolean {
    return this.at >= this.text.length;
  }

  code(ahead = 0): number {
    return this.text.charCodeAt(this.at + ahead);
  }

  sees(word: string): boolean {
    return this.text.startsWith(word, this.at);
  }

  /** Everything up to `end` becomes one token. At least one unit, so that a lexer always gets on. */
  emit(kind: TokenKind, end: number): void {
    const stop = Math.min(this.text.length, Math.max(end, this.at + 1));
    this.tokens.push({ kind, start: this.at, end: stop });
    this.at = stop;
  }

  /** Takes back everything from a token on. */
  rewind(tokens: number, at: number): void {
    this.tokens.length = tokens;
    this.at = at;
  }

  /** White space, a name, a number or one symbol. `extra` are further characters of names. */
  emitPlain(extra = ""): TokenKind {
    const code = this.code();
    if (isSpace(code)) return this.#emitAs("space", endOfSpaces(this.text, this.at));
    if (isNameStart(this.text, this.at) || (extra !== "" && extra.includes(this.text.charAt(this.at)))) {
      return this.#emitAs("name", endOfName(this.text, this.at + 1, extra));
    }
    if (isDigit(code) || (code === 46 && isDigit(this.code(1)))) return this.#emitAs("number", endOfNumber(this.text, this.at));
    const pair = code >= 0xd800 && code <= 0xdbff ? 2 : 1;
    return this.#emitAs("symbol", this.at + pair);
  }

  #emitAs(kind: TokenKind, end: number): TokenKind {
    this.emit(kind, end);
    return kind;
  }
}

export function endOfLine(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 10 || code === 13) return at;
  }
  return text.length;
}

/** Behind `close`, or the end of the text. */
export function endAfter(text: string, close: string, from: number): number {
  const at = text.indexOf(close, from);
  return at < 0 ? text.length : at + close.length;
}

export function endOfNestedComment(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 42 && text.charCodeAt(at + 1) === 47) {
      at++;
      if (--depth === 0) return at + 1;
    } else if (code === 47 && text.charCodeAt(at + 1) === 42) {
      at++;
      depth++;
    }
  }
  return text.length;
}

export function endOfSpaces(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** The span without white space at its ends. */
export function trimmed(text: string, from: number, to: number): { readonly start: number; readonly end: number } {
  let start = from;
  let end = to;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return { start, end };
}

export function endOfName(text: string, from: number, extra = ""): number {
  let at = from;
  while (at < text.length && (isNamePart(text, at) || (extra !== "" && extra.includes(text.charAt(at))))) at++;
  return at;
}

/** Digits with letters, underscores, one point and an exponent; `1..5` is two numbers. */
function endOfNumber(text: string, from: number): number {
  let at = from;
  const hexadecimal = /^0[xX]/.test(text.slice(from, from + 2));
  let pointed = false;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 46) {
      if (pointed || hexadecimal || !isDigit(text.charCodeAt(at + 1))) break;
      pointed = true;
    } else if (code === 43 || code === 45) {
      if (hexadecimal || !/[eE]/.test(text.charAt(at - 1)) || !isDigit(text.charCodeAt(at + 1))) break;
    } else if (!isNamePart(text, at)) break;
  }
  return at;
}

export interface QuoteRules {
  /** A backslash takes the next character with it. */
  readonly escape?: boolean;
  /** The quote written twice is part of the string. */
  readonly doubled?: boolean;
  /** Line ends are part of the string; otherwise it ends before one. */
  readonly multiline?: boolean;
}

/** Behind the closing quote of a string whose content begins at `from`; a quote may be long. An unclosed one ends with its line, or the text. */
export function endOfQuoted(text: string, from: number, quote: string, rules: QuoteRules): number {
  const close = quote.charCodeAt(0);
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === close && (quote.length === 1 || text.startsWith(quote, at))) {
      if (rules.doubled !== true || text.charCodeAt(at + 1) !== close) return at + quote.length;
      at++;
    } else if (code === 92 && rules.escape === true) {
      at++;
      if (text.charCodeAt(at) === 13 && text.charCodeAt(at + 1) === 10) at++;
    } else if (rules.multiline !== true && (code === 10 || code === 13)) return at;
  }
  return text.length;
}

const nameStart = 1;
const digit = 2;
const space = 4;

/** What the ASCII characters are; the rest is asked of Unicode, since it is rare in code. */
const classes = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  if (/[A-Za-z_]/.test(character)) classes[code] = nameStart;
  else if (/[0-9]/.test(character)) classes[code] = digit;
  else if (/\s/.test(character)) classes[code] = space;
}

function isSpace(code: number): boolean {
  return code < 128 ? classes[code] === space : /\s/.test(String.fromCharCode(code));
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

export function isNameStart(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 128 ? classes[code] === nameStart : code >= 128 && /^[\p{L}\p{Nl}]/u.test(text.slice(at, at + 2));
}

export function isNamePart(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 128) return ((classes[code] ?? 0) & (nameStart | digit)) !== 0;
  if (code >= 0xdc00 && code <= 0xdfff && at > 0) return /^[\p{L}\p{N}\p{M}]/u.test(text.slice(at - 1, at + 1));
  return code >= 128 && /^[\p{L}\p{N}\p{M}\p{Pc}]/u.test(text.slice(at, at + 2));
}
