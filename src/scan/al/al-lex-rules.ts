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
