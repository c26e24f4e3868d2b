import { Kind } from "./al-tokens.ts";

/** What the lexer knows of AL, one switch each: a test turns them off one by one and must notice. */
export const alLexRules = {
  /** `'...'` is a string. */
  strings: true,
  /** `''` inside a string is a quote and does not end it. */
  doubledQuotes: true,
  /** A string without its closing quote ends at the end of its line. */
  stringsEndAtLine: true,
  /** `@'...'` may hold line ends. */
  multilineStrings: true,
  /** `"..."` is a name. */
  quotedNames: true,
  /** `""` inside a quoted name is a quote and does not end it. */
  doubledNameQuotes: true,
  /** A quoted name without its closing quote ends at the end of its line. */
  quotedNamesEndAtLine: true,
  lineComments: true,
  blockComments: true,
  /** A block comment ends at the first end mark, whatever is inside. */
  flatBlockComments: true,
  /** A line that begins with `#` is a directive. */
  directives: true,
  /** Anywhere else `#` is a sign like any other. */
  directivesBeginLines: true,
  /** Names may have letters outside ASCII. */
  unicodeNames: true,
  underscoresInNames: true,
  digitsInNames: true,
  doubleColons: true,
  foldCase: true,
};

export type AlLexRules = Readonly<typeof alLexRules>;

/** What a character begins, beside the kinds of tokens. */
export const Begins = {
  SPACE: 0,
  LINE_END: 11,
  SLASH: 12,
  QUOTE: 13,
  DOUBLE_QUOTE: 14,
  AT: 15,
  HASH: 16,
  COLON: 17,
  DOT: 18,
  SYMBOL: 19,
} as const;

/** By ASCII character. */
export interface AlCharacters {
  /** What it begins. */
  readonly begins: Uint8Array;
  /** 1 when it continues a name. */
  readonly continues: Uint8Array;
  /** 1 when it may begin what is not code, and for the zero behind a text. */
  readonly opens: Uint8Array;
}

const allBegin: Uint8Array = (() => {
  const table = new Uint8Array(128).fill(Begins.SYMBOL);
  table.fill(Begins.SPACE, 0, 33);
  table[127] = Begins.SPACE;
  for (let c = 0; c < 26; c += 1) table[65 + c] = table[97 + c] = Kind.NAME;
  for (let c = 48; c < 58; c += 1) table[c] = Kind.NUMBER;
  table[95] = Kind.NAME;
  table[10] = table[13] = Begins.LINE_END;
  table[47] = Begins.SLASH;
  table[39] = Begins.QUOTE;
  table[34] = Begins.DOUBLE_QUOTE;
  table[64] = Begins.AT;
  table[35] = Begins.HASH;
  table[58] = Begins.COLON;
  table[46] = Begins.DOT;
  return table;
})();
const allContinue: Uint8Array = allBegin.map((kind) => (kind === Kind.NAME || kind === Kind.NUMBER ? 1 : 0));

const known = new WeakMap<AlLexRules, AlCharacters>();

/** A rule that is switched off makes its character a symbol like any other. */
export function alCharacters(rules: AlLexRules): AlCharacters {
  let characters = known.get(rules);
  if (characters === undefined) {
    const [begins, continues] = [allBegin.slice(), allContinue.slice()];
    if (!rules.strings) begins[39] = Begins.SYMBOL;
    if (!rules.quotedNames) begins[34] = Begins.SYMBOL;
    if (!rules.multilineStrings) begins[64] = Begins.SYMBOL;
    if (!rules.directives) begins[35] = Begins.SYMBOL;
    if (!rules.underscoresInNames) {
      begins[95] = Begins.SYMBOL;
      continues[95] = 0;
    }
    if (!rules.digitsInNames) continues.fill(0, 48, 58);
    const opens = begins.map((what, c) => (c === 0 || (what >= Begins.SLASH && what <= Begins.HASH) ? 1 : 0));
    characters = { begins, continues, opens };
    known.set(rules, characters);
  }
  return characters;
}

/** Digits, ASCII letters and `_`, which continue a number whatever the rules say of names. */
export function continuesNumber(unit: number): boolean {
  return allContinue[unit] === 1;
}

export function isDigit(unit: number): boolean {
  return allBegin[unit] === Kind.NUMBER;
}

const wideSpace = /[\s\u0085\u200b\u200e\u200f\u2060\ufeff]/;
/** Marks belong to a decomposed letter; the replacement character takes the place of a letter that a wrong encoding lost. */
const wideLetter = /^[\p{L}\p{M}\p{Nd}\p{Pc}\p{Join_Control}\ufffd]/u;

/** What a character outside ASCII begins: a name, for a letter or mark, a space, or neither. */
export function beginsWide(text: string, at: number, rules: AlLexRules): number {
  const c = text.charCodeAt(at);
  if (wideSpace.test(text[at] as string)) return Begins.SPACE;
  if (!rules.unicodeNames) return Kind.OTHER;
  // The second half of a pair goes with its first, which was a letter if the name came so far.
  if (c >= 0xdc00 && c <= 0xdfff) return Kind.NAME;
  return wideLetter.test(c >= 0xd800 && c <= 0xdbff ? text.slice(at, at + 2) : (text[at] as string)) ? Kind.NAME : Kind.OTHER;
}
