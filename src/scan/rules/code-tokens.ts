import type { Token, TokenKind } from "../token.ts";

/** The tokens of a file that mean something: neither space nor comment. Places are asked for by index; outside there is nothing. */
export class CodeTokens {
  readonly text: string;
  readonly tokens: readonly Token[];

  constructor(text: string, tokens: readonly Token[]) {
    this.text = text;
    this.tokens = tokens.filter(({ kind }) => kind !== "space" && kind !== "comment");
  }

  get length(): number {
    return this.tokens.length;
  }

  kind(at: number): TokenKind | undefined {
    return this.tokens[at]?.kind;
  }

  /** Empty outside. */
  word(at: number): string {
    const token = this.tokens[at];
    return token === undefined ? "" : this.text.slice(token.start, token.end);
  }

  start(at: number): number {
    return this.tokens[at]?.start ?? this.text.length;
  }

  end(at: number): number {
    return this.tokens[at]?.end ?? this.text.length;
  }

  /** Whether these words follow one another from a place on. */
  sees(at: number, ...words: readonly string[]): boolean {
    return words.every((word, index) => this.word(at + index) === word);
  }

  /** Nothing is between the token and the one before it. */
  touches(at: number): boolean {
    return at > 0 && this.end(at - 1) === this.start(at);
  }

  /** Index of the bracket that closes the one at a place; undefined when it stays open. */
  closing(at: number): number | undefined {
    let depth = 0;
    for (let index = at; index < this.tokens.length; index += 1) {
      const { start, end, kind } = this.tokens[index] as Token;
      if (kind !== "symbol" || end - start !== 1) continue;
      const sign = this.text.charAt(start);
      if (sign === "(" || sign === "[" || sign === "{") depth += 1;
      else if (sign === ")" || sign === "]" || sign === "}") {
        depth -= 1;
        if (depth === 0) return index;
        if (depth < 0) return undefined;
      }
    }
    return undefined;
  }

  /** Index of the bracket that is open at a place, angle brackets of types among them; -1 without one. */
  opener(at: number): number {
    let depth = 0;
    for (let index = at; index >= 0; index -= 1) {
      if (this.kind(index) !== "symbol") continue;
      const sign = this.word(index);
      if (sign === ")" || sign === "]" || sign === "}" || (sign === ">" && this.word(index - 1) !== "=")) depth += 1;
      else if (sign === "(" || sign === "[" || sign === "{" || sign === "<") {
        if (depth === 0) return index;
        depth -= 1;
      }
    }
    return -1;
  }

  /** What is in the quotes of a string, without its prefix; of a part of a template what it holds. */
  inside(at: number): string {
    return this.word(at)
      .replace(/^[A-Za-z$@]{0,3}(?:"""|'''|["'`])|^\}/, "")
      .replace(/(?:"""|'''|["'`]|\$?\{)$/, "");
  }
}
