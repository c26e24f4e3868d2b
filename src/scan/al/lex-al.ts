import type { Token, TokenKind } from "../token.ts";
import {
  ASSIGN,
  COMMENT,
  DIRECTIVE,
  DOUBLE_COLON,
  NAME,
  NUMBER,
  OTHER,
  QUOTED,
  RANGE,
  STRING,
  type AlDirective,
  type AlTokens,
} from "./al-tokens.ts";

/** What the lexer knows of AL, one switch each: a test turns them off one by one and must notice. */
export interface AlLexRules {
  /** `'...'` is a string. */
  readonly strings: boolean;
  /** `''` inside a string is a quote and does not end it. */
  readonly doubledQuotes: boolean;
  /** A string without its closing quote ends at the end of its line. */
  readonly stringsEndAtLine: boolean;
  /** `@'...'` may hold line ends. */
  readonly multilineStrings: boolean;
  /** `"..."` is a name. */
  readonly quotedNames: boolean;
  /** `""` inside a quoted name is a quote and does not end it. */
  readonly doubledNameQuotes: boolean;
  /** A quoted name without its closing quote ends at the end of its line. */
  readonly quotedNamesEndAtLine: boolean;
  readonly lineComments: boolean;
  readonly blockComments: boolean;
  /** A block comment ends at the first end mark, whatever stands inside. */
  readonly flatBlockComments: boolean;
  /** A line that begins with `#` is a directive. */
  readonly directives: boolean;
  /** Anywhere else `#` is a sign like any other. */
  readonly directivesBeginLines: boolean;
  /** Names may have letters outside ASCII. */
  readonly unicodeNames: boolean;
  readonly underscoresInNames: boolean;
  readonly digitsInNames: boolean;
  readonly doubleColons: boolean;
  readonly foldCase: boolean;
}

export const alLexRules: AlLexRules = {
  strings: true,
  doubledQuotes: true,
  stringsEndAtLine: true,
  multilineStrings: true,
  quotedNames: true,
  doubledNameQuotes: true,
  quotedNamesEndAtLine: true,
  lineComments: true,
  blockComments: true,
  flatBlockComments: true,
  directives: true,
  directivesBeginLines: true,
  unicodeNames: true,
  underscoresInNames: true,
  digitsInNames: true,
  doubleColons: true,
  foldCase: true,
};

/** All tokens but spaces, in order; what lies between two of them is space. */
export function lexAl(text: string, rules: AlLexRules = alLexRules): readonly Token[] {
  const pass = new Pass(text, rules, true);
  const tokens: Token[] = [];
  for (let at = 0; at < pass.count; at += 1) {
    const kind = tokenKinds[pass.kinds[at] ?? 0] ?? "symbol";
    tokens.push({ kind, start: pass.starts[at] ?? 0, end: pass.ends[at] ?? 0 });
  }
  return tokens;
}

/** The significant tokens, for finders: one pass, flat arrays. */
export function readAlTokens(text: string, rules: AlLexRules = alLexRules): AlTokens {
  const { count, kinds, starts, ends, directives } = new Pass(text, rules, false);
  return { text, count, kinds, starts, ends, directives, foldCase: rules.foldCase };
}

const tokenKinds: readonly (TokenKind | undefined)[] = (() => {
  const kinds: (TokenKind | undefined)[] = [];
  kinds[NAME] = "name";
  kinds[QUOTED] = "quoted_name";
  kinds[STRING] = "string";
  kinds[NUMBER] = "number";
  kinds[COMMENT] = "comment";
  kinds[DIRECTIVE] = "directive";
  return kinds;
})();

const SPACE = 0;
const LINE_END = 11;
const SLASH = 12;
const QUOTE = 13;
const DOUBLE_QUOTE = 14;
const AT = 15;
const HASH_SIGN = 16;
const COLON_SIGN = 17;
const DOT_SIGN = 18;
const SYMBOL = 19;

/** What an ASCII character begins. */
const begins: Uint8Array = (() => {
  const table = new Uint8Array(128).fill(SYMBOL);
  table.fill(SPACE, 0, 33);
  table[127] = SPACE;
  for (let c = 0; c < 26; c += 1) table[65 + c] = table[97 + c] = NAME;
  for (let c = 48; c < 58; c += 1) table[c] = NUMBER;
  table[95] = NAME;
  table[10] = table[13] = LINE_END;
  table[47] = SLASH;
  table[39] = QUOTE;
  table[34] = DOUBLE_QUOTE;
  table[64] = AT;
  table[35] = HASH_SIGN;
  table[58] = COLON_SIGN;
  table[46] = DOT_SIGN;
  return table;
})();

/** ASCII characters that go on with a name. */
const continues: Uint8Array = begins.map((kind) => (kind === NAME || kind === NUMBER ? 1 : 0));

const wideSpace = /[\s\u0085\u200b\u200e\u200f\u2060\ufeff]/;
/** Marks belong to a decomposed letter; the replacement character stands for a letter that a wrong encoding lost. */
const wideLetter = /^[\p{L}\p{M}\p{Nd}\p{Pc}\p{Join_Control}\ufffd]/u;

class Pass {
  readonly text: string;
  readonly rules: AlLexRules;
  readonly trivia: boolean;
  count = 0;
  kinds: Uint8Array;
  starts: Int32Array;
  ends: Int32Array;
  readonly directives: AlDirective[] = [];

  constructor(text: string, rules: AlLexRules, trivia: boolean) {
    this.text = text;
    this.rules = rules;
    this.trivia = trivia;
    const room = (text.length >> 2) + 64;
    this.kinds = new Uint8Array(room);
    this.starts = new Int32Array(room);
    this.ends = new Int32Array(room);
    this.#read();
  }

  /** Spaces and names are most of a file: they are read here, everything else in `#sign`. */
  #read(): void {
    const { text } = this;
    const { length } = text;
    const part = this.#nameParts();
    const kinds = part[95] === 1 ? begins : begins.with(95, SYMBOL);
    let at = 0;
    let lineBegins = true;
    while (at < length) {
      let c = text.charCodeAt(at);
      while (c === 32) c = text.charCodeAt(++at);
      if (at >= length) break;
      const what = c < 128 ? (kinds[c] as number) : this.#wide(at);
      if (what === NAME) {
        const start = at;
        do c = text.charCodeAt(++at);
        while (c < 128 && part[c] === 1);
        if (c >= 128 || text.charCodeAt(start) >= 128) at = this.#wideNameEnd(start, part);
        this.#push(NAME, start, at);
        lineBegins = false;
      } else if (what === SPACE) at += 1;
      else if (what === LINE_END) {
        lineBegins = true;
        at += 1;
      } else {
        // Nothing but spaces may stand before a directive, not even a comment.
        at = this.#sign(what, c, at, lineBegins);
        lineBegins = false;
      }
    }
  }

  /** ASCII characters that go on with a name. */
  #nameParts(): Uint8Array {
    const { digitsInNames, underscoresInNames } = this.rules;
    if (digitsInNames && underscoresInNames) return continues;
    const part = continues.slice();
    if (!digitsInNames) part.fill(0, 48, 58);
    if (!underscoresInNames) part[95] = 0;
    return part;
  }

  #sign(what: number, c: number, at: number, lineBegins: boolean): number {
    const { text, rules } = this;
    const next = text.charCodeAt(at + 1);
    switch (what) {
      case QUOTE:
        return rules.strings
          ? this.#push(STRING, at, this.#quotedEnd(at + 1, c, rules.doubledQuotes, rules.stringsEndAtLine))
          : this.#push(c, at, at + 1);
      case DOUBLE_QUOTE:
        return rules.quotedNames
          ? this.#push(QUOTED, at, this.#quotedEnd(at + 1, c, rules.doubledNameQuotes, rules.quotedNamesEndAtLine))
          : this.#push(c, at, at + 1);
      case AT:
        return next === 39 && rules.multilineStrings
          ? this.#push(STRING, at, this.#quotedEnd(at + 2, 39, true, false))
          : this.#push(c, at, at + 1);
      case SLASH:
        if (next === 47 && rules.lineComments) return this.#comment(at, this.#lineEnd(at));
        return next === 42 && rules.blockComments ? this.#comment(at, this.#blockEnd(at)) : this.#push(c, at, at + 1);
      case NUMBER:
        return this.#push(NUMBER, at, this.#numberEnd(at));
      case HASH_SIGN:
        return rules.directives && (lineBegins || !rules.directivesBeginLines) ? this.#directive(at) : this.#push(c, at, at + 1);
      case COLON_SIGN:
        if (next === 58 && rules.doubleColons) return this.#push(DOUBLE_COLON, at, at + 2);
        return next === 61 ? this.#push(ASSIGN, at, at + 2) : this.#push(c, at, at + 1);
      case DOT_SIGN:
        return next === 46 ? this.#push(RANGE, at, at + 2) : this.#push(c, at, at + 1);
      case OTHER:
        return this.#push(OTHER, at, at + ((text.codePointAt(at) as number) > 0xffff ? 2 : 1));
      default:
        return this.#push(c, at, at + 1);
    }
  }

  #push(kind: number, start: number, end: number): number {
    const { count } = this;
    if (count === this.kinds.length) this.#grow();
    this.kinds[count] = kind;
    this.starts[count] = start;
    this.ends[count] = end;
    this.count = count + 1;
    return end;
  }

  #grow(): void {
    const room = this.kinds.length * 2;
    const [kinds, starts, ends] = [new Uint8Array(room), new Int32Array(room), new Int32Array(room)];
    kinds.set(this.kinds);
    starts.set(this.starts);
    ends.set(this.ends);
    this.kinds = kinds;
    this.starts = starts;
    this.ends = ends;
  }

  #comment(start: number, end: number): number {
    return this.trivia ? this.#push(COMMENT, start, end) : end;
  }

  #directive(start: number): number {
    const end = this.#lineEnd(start);
    if (this.trivia) return this.#push(DIRECTIVE, start, end);
    const word = /^#[ \t]*(if|elif|else|endif)(?![\p{L}\p{Nd}_])/iu
      .exec(this.text.slice(start, Math.min(end, start + 32)))?.[1]
      ?.toLowerCase();
    this.directives.push({ word: (word as AlDirective["word"] | undefined) ?? "other", before: this.count, start, end });
    return end;
  }

  #wideNameEnd(start: number, part: Uint8Array): number {
    const { text } = this;
    let at = start + ((text.codePointAt(start) as number) > 0xffff ? 2 : 1);
    for (; at < text.length; at += 1) {
      const c = text.charCodeAt(at);
      if (c < 128 ? part[c] !== 1 : this.#wide(at) !== NAME) break;
    }
    return at;
  }

  /** Digits, one decimal point before a digit, and the letters that end dates, times and long numbers. */
  #numberEnd(start: number): number {
    const { text } = this;
    let at = start + 1;
    let pointSeen = false;
    for (;;) {
      const c = text.charCodeAt(at);
      if (c < 128 && continues[c] === 1) at += 1;
      else if (c === 46 && !pointSeen && begins[text.charCodeAt(at + 1)] === NUMBER) {
        pointSeen = true;
        at += 2;
      } else return at;
    }
  }

  /** Also of what begins outside ASCII: a letter or mark, a space, or neither. NaN, past the end, is neither. */
  #wide(at: number): number {
    const { text } = this;
    if (at >= text.length) return OTHER;
    const c = text.charCodeAt(at);
    if (wideSpace.test(text[at] as string)) return SPACE;
    if (!this.rules.unicodeNames) return OTHER;
    // The second half of a pair goes with its first, which was a letter if the name came so far.
    if (c >= 0xdc00 && c <= 0xdfff) return NAME;
    return wideLetter.test(c >= 0xd800 && c <= 0xdbff ? text.slice(at, at + 2) : (text[at] as string)) ? NAME : OTHER;
  }

  #quotedEnd(from: number, quote: number, doubled: boolean, endsAtLine: boolean): number {
    const { text } = this;
    const { length } = text;
    let at = from;
    while (at < length) {
      const c = text.charCodeAt(at);
      if (c === quote) {
        if (!doubled || text.charCodeAt(at + 1) !== quote) return at + 1;
        at += 2;
      } else if ((c === 10 || c === 13) && endsAtLine) return at;
      else at += 1;
    }
    return length;
  }

  #lineEnd(from: number): number {
    const { text } = this;
    const feed = text.indexOf("\n", from);
    const end = feed < 0 ? text.length : feed;
    for (let at = from; at < end; at += 1) if (text.charCodeAt(at) === 13) return at;
    return end;
  }

  #blockEnd(from: number): number {
    const { text } = this;
    if (this.rules.flatBlockComments) {
      const close = text.indexOf("*/", from + 2);
      return close < 0 ? text.length : close + 2;
    }
    let depth = 1;
    let at = from + 2;
    for (; at < text.length && depth > 0; at += 1) {
      if (text.startsWith("*/", at)) depth -= 1;
      else if (text.startsWith("/*", at)) depth += 1;
      else continue;
      at += 1;
    }
    return at;
  }
}
