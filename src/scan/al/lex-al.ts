import type { Token, TokenKind } from "../token.ts";
import { AlPass } from "./al-pass.ts";
import { alLexRules, type AlLexRules } from "./al-characters.ts";
import type { AlTokens } from "./al-tokens.ts";

/** All tokens but spaces, in order; what is between two of them is space. */
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
  const { count, kinds, starts, ends, marks, directives } = new AlPass(text, rules).read("significant");
  // In one piece, which is quicker to make and to throw away than four.
  const memory = new ArrayBuffer(count * 9 + marks.length * 4);
  const own = (numbers: Int32Array, from: number): Int32Array => {
    const copy = new Int32Array(memory, from, numbers.length);
    copy.set(numbers);
    return copy;
  };
  const ownKinds = new Uint8Array(memory, count * 8 + marks.length * 4, count);
  ownKinds.set(kinds);
  return {
    text,
    count,
    kinds: ownKinds,
    starts: own(starts, 0),
    ends: own(ends, count * 4),
    marks: own(marks, count * 8),
    directives,
    foldCase: rules.foldCase,
  };
}

/**
 * Only what is not code: comments, directives, strings and quoted names, as pairs of start and end, neighbours joined. Quicker than
 * all tokens.
 */
export function lexAlGaps(text: string, rules: AlLexRules = alLexRules): readonly number[] {
  const { count, starts, ends } = new AlPass(text, rules).read("gaps");
  const gaps: number[] = [];
  let end = -1;
  for (let at = 0; at < count; at += 1) {
    const start = starts[at] as number;
    if (start === end) gaps.pop();
    else gaps.push(start);
    end = ends[at] as number;
    gaps.push(end);
  }
  return gaps;
}

/** By the first values of `Kind`, in order; all others are symbols. */
const tokenKinds: readonly TokenKind[] = ["symbol", "name", "quoted_name", "string", "number", "comment", "directive"];
