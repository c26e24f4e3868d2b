import type { Token, TokenKind } from "../token.ts";
import { AlPass } from "./al-pass.ts";
import { alLexRules, type AlLexRules } from "./al-lex-rules.ts";
import { COMMENT, DIRECTIVE, NAME, NUMBER, QUOTED, STRING, type AlTokens } from "./al-tokens.ts";

export { alLexRules, type AlLexRules } from "./al-lex-rules.ts";

/** All tokens but spaces, in order; what lies between two of them is space. */
export function lexAl(text: string, rules: AlLexRules = alLexRules): readonly Token[] {
  const { count, kinds, starts, ends } = new AlPass(text, rules).read("all");
  const tokens: Token[] = [];
  for (let at = 0; at < count; at += 1) {
    tokens.push({ kind: tokenKinds[kinds[at] as number] ?? "symbol", start: starts[at] as number, end: ends[at] as number });
  }
  return tokens;
}

/** The significant tokens, for finders: one pass, flat arrays. */
export function readAlTokens(text: string, rules: AlLexRules = alLexRules): AlTokens {
  const { count, kinds, starts, ends, directives } = new AlPass(text, rules).read("significant");
  return { text, count, kinds: kinds.slice(), starts: starts.slice(), ends: ends.slice(), directives, foldCase: rules.foldCase };
}

/** Only comments, directives, strings and quoted names: what a mask of code blanks. Much quicker than all tokens. */
export function lexAlGaps(text: string, rules: AlLexRules = alLexRules): Int32Array {
  const { count, starts, ends } = new AlPass(text, rules).read("gaps");
  const gaps = new Int32Array(count * 2);
  for (let at = 0; at < count; at += 1) {
    gaps[at * 2] = starts[at] as number;
    gaps[at * 2 + 1] = ends[at] as number;
  }
  return gaps;
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
