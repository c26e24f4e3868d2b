import { rulesOf, type LanguageRules } from "./language.ts";

export interface CodeToken {
  readonly kind: "name" | "string" | "number" | "sign";
  /** Names without quotes; texts without theirs. */
  readonly text: string;
  /** For comparison: in lower case where the language ignores case. */
  readonly key: string;
  /** From 1. */
  readonly line: number;
}

export interface Comment {
  readonly text: string;
  readonly line: number;
  readonly start: number;
}

export interface LexedCode {
  readonly language: string;
  readonly tokens: readonly CodeToken[];
  /** Comments and compiler directives. */
  readonly comments: readonly Comment[];
  /** The text with comments blanked. */
  readonly uncommented: string;
}

const twoSigns = new Set([":=", "::", "+=", "-=", "*=", "/=", "<>", "<=", ">=", "=>", "==", "!=", "&&", "||", "->", ".."]);
const nameStart = /[\p{L}_$]/u;
const nameRest = /[\p{L}\p{N}_$]*/uy;

/** Takes code apart, simply: names, texts, numbers and signs, with comments aside. It never fails. */
export function lex(text: string, language: string): LexedCode {
  const rules = rulesOf(language);
  const scanner = new Scanner(text, rules);
  while (!scanner.done) scanner.step();
  return { language, tokens: scanner.tokens, comments: scanner.comments, uncommented: blanked(text, scanner.comments) };
}

function blanked(text: string, comments: readonly Comment[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const { start, text: comment } of comments) {
    parts.push(text.slice(done, start), comment.replace(/[^\n]/g, " "));
    done = start + comment.length;
  }
  return parts.join("") + text.slice(done);
}

class Scanner {
  readonly tokens: CodeToken[] = [];
  readonly comments: Comment[] = [];
  readonly #text: string;
  readonly #rules: LanguageRules;
  #at = 0;
  #line = 1;
  #lineIsFresh = true;

  constructor(text: string, rules: LanguageRules) {
    this.#text = text;
    this.#rules = rules;
  }

  get done(): boolean {
    return this.#at >= this.#text.length;
  }

  step(): void {
    const char = this.#text[this.#at]!;
    if (char === "\n") {
      this.#line += 1;
      this.#lineIsFresh = true;
      this.#at += 1;
    } else if (/\s/.test(char)) this.#at += 1;
    else {
      const taken = this.#comment() || this.#string() || this.#quotedName(char) || this.#word(char);
      if (!taken) this.#sign(char);
      this.#lineIsFresh = false;
    }
  }

  #comment(): boolean {
    const { lineComments, blockComment, directives } = this.#rules;
    const isDirective = directives && this.#lineIsFresh && this.#text[this.#at] === "#";
    if (isDirective || lineComments.some((mark) => this.#text.startsWith(mark, this.#at))) {
      const end = this.#text.indexOf("\n", this.#at);
      this.#takeComment(end < 0 ? this.#text.length : end);
      return true;
    }
    if (blockComment === undefined || !this.#text.startsWith(blockComment[0], this.#at)) return false;
    const end = this.#text.indexOf(blockComment[1], this.#at + blockComment[0].length);
    this.#takeComment(end < 0 ? this.#text.length : end + blockComment[1].length);
    return true;
  }

  #takeComment(end: number): void {
    const text = this.#text.slice(this.#at, end);
    this.comments.push({ text, line: this.#line, start: this.#at });
    this.#advance(end);
  }

  #string(): boolean {
    const form = this.#rules.strings.find(([open]) => this.#text.startsWith(open, this.#at));
    if (form === undefined) return false;
    const [open, close] = form;
    const start = this.#at + open.length;
    const end = this.#endOf(close, start, open.length > 1 || open === "`");
    this.#push("string", this.#text.slice(start, end), this.#line);
    this.#advance(Math.min(end + close.length, this.#text.length));
    return true;
  }

  /** Where a text closes; a text that may not run over the line closes at its end at the latest. */
  #endOf(close: string, from: number, overLines: boolean): number {
    for (let at = from; at < this.#text.length; at++) {
      const char = this.#text[at];
      if (char === "\n" && !overLines) return at - close.length >= from ? at - close.length + 1 : at;
      if (char === "\\" && this.#rules.escapes === "backslash") at += 1;
      else if (this.#text.startsWith(close, at)) {
        if (this.#rules.escapes === "doubled" && this.#text.startsWith(close, at + close.length)) at += close.length;
        else return at;
      }
    }
    return this.#text.length;
  }

  #quotedName(char: string): boolean {
    if (char !== '"' || !this.#rules.quotedNames) return false;
    const end = this.#endOf('"', this.#at + 1, false);
    this.#push("name", this.#text.slice(this.#at + 1, end).replaceAll('""', '"'), this.#line);
    this.#advance(Math.min(end + 1, this.#text.length));
    return true;
  }

  #word(char: string): boolean {
    const isName = nameStart.test(char);
    if (!isName && !/\d/.test(char)) return false;
    nameRest.lastIndex = this.#at;
    const text = nameRest.exec(this.#text)?.[0] || char;
    this.#push(isName ? "name" : "number", text, this.#line);
    this.#at += text.length;
    return true;
  }

  #sign(char: string): void {
    const two = this.#text.slice(this.#at, this.#at + 2);
    const text = twoSigns.has(two) ? two : char;
    this.#push("sign", text, this.#line);
    this.#at += text.length;
  }

  #push(kind: CodeToken["kind"], text: string, line: number): void {
    this.tokens.push({ kind, text, key: this.#rules.ignoreCase && kind === "name" ? text.toLowerCase() : text, line });
  }

  /** Moves on and counts the lines passed. */
  #advance(to: number): void {
    for (let at = this.#text.indexOf("\n", this.#at); at >= 0 && at < to; at = this.#text.indexOf("\n", at + 1)) this.#line += 1;
    this.#at = to;
  }
}
