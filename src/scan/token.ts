/**
 * A stretch of a file's text. `code` is everything a lexer does not divide further; `name`, `number`, `symbol` and
 * `space` are code as well. Strings hold their quotes, comments their marks.
 */
export type TokenKind = "code" | "name" | "number" | "string" | "quoted_name" | "comment" | "directive" | "symbol" | "space";

/** Offsets count UTF-16 units of the decoded text; the end is exclusive. Tokens of a text ascend and do not overlap. */
export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
}
