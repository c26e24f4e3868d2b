import type { AlLexRules } from "./al-lex-rules.ts";
import { NAME, NUMBER, OTHER } from "./al-tokens.ts";

/** What a character begins, beside the kinds of tokens. */
export const SPACE = 0;
export const LINE_END = 11;
export const SLASH = 12;
export const QUOTE = 13;
export const DOUBLE_QUOTE = 14;
export const AT = 15;
export const HASH_SIGN = 16;
export const COLON_SIGN = 17;
export const DOT_SIGN = 18;
export const SYMBOL = 19;

/** By ASCII character. */
export interface AlCharacters {
  /** What it begins. */
  readonly begins: Uint8Array;
  /** 1 when it goes on with a name. */
  readonly continues: Uint8Array;
  /** 1 when it may begin what is not code, and for the zero behind a text. */
  readonly opens: Uint8Array;
}

const allBegin: Uint8Array = (() => {
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
const allContinue: Uint8Array = allBegin.map((kind) => (kind === NAME || kind === NUMBER ? 1 : 0));

const known = new WeakMap<AlLexRules, AlCharacters>();

/** A rule that is switched off makes its character a symbol like any other. */
export function alCharacters(rules: AlLexRules): AlCharacters {
  let characters = known.get(rules);
  if (characters === undefined) {
    const [begins, continues] = [allBegin.slice(), allContinue.slice()];
    if (!rules.strings) begins[39] = SYMBOL;
    if (!rules.quotedNames) begins[34] = SYMBOL;
    if (!rules.multilineStrings) begins[64] = SYMBOL;
    if (!rules.directives) begins[35] = SYMBOL;
    if (!rules.underscoresInNames) {
      begins[95] = SYMBOL;
      continues[95] = 0;
    }
    if (!rules.digitsInNames) continues.fill(0, 48, 58);
    const opens = begins.map((what, c) => (c === 0 || (what >= SLASH && what <= HASH_SIGN) ? 1 : 0));
    characters = { begins, continues, opens };
    known.set(rules, characters);
  }
  return characters;
}

/** Digits, ASCII letters and `_`, which go on with a number whatever the rules say of names. */
export function continuesNumber(unit: number): boolean {
  return allContinue[unit] === 1;
}

export function isDigit(unit: number): boolean {
  return allBegin[unit] === NUMBER;
}

const wideSpace = /[\s\u0085\u200b\u200e\u200f\u2060\ufeff]/;
/** Marks belong to a decomposed letter; the replacement character stands for a letter that a wrong encoding lost. */
const wideLetter = /^[\p{L}\p{M}\p{Nd}\p{Pc}\p{Join_Control}\ufffd]/u;

/** What a character outside ASCII begins: a name, for a letter or mark, a space, or neither. */
export function beginsWide(text: string, at: number, rules: AlLexRules): number {
  const c = text.charCodeAt(at);
  if (wideSpace.test(text[at] as string)) return SPACE;
  if (!rules.unicodeNames) return OTHER;
  // The second half of a pair goes with its first, which was a letter if the name came so far.
  if (c >= 0xdc00 && c <= 0xdfff) return NAME;
  return wideLetter.test(c >= 0xd800 && c <= 0xdbff ? text.slice(at, at + 2) : (text[at] as string)) ? NAME : OTHER;
}
