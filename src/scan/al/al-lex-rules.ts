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
