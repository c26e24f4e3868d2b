/** How strings and comments look. */
export interface LanguageRules {
  readonly lineComments: readonly string[];
  readonly blockComment?: readonly [string, string];
  /** Opening and closing of strings, the longest first. */
  readonly strings: readonly (readonly [string, string])[];
  readonly escapes: "backslash" | "doubled";
  /** `"..."` is a name, not a text. */
  readonly quotedNames: boolean;
  /** Lines that begin with `#` are for the compiler. */
  readonly directives: boolean;
  readonly ignoreCase: boolean;
}

const cLike: LanguageRules = {
  lineComments: ["//"],
  blockComment: ["/*", "*/"],
  strings: [
    ['"', '"'],
    ["'", "'"],
    ["`", "`"],
  ],
  escapes: "backslash",
  quotedNames: false,
  directives: false,
  ignoreCase: false,
};

const hashed: LanguageRules = {
  ...cLike,
  lineComments: ["#"],
  strings: [
    ['"""', '"""'],
    ["'''", "'''"],
    ['"', '"'],
    ["'", "'"],
  ],
};

const rules: Readonly<Record<string, LanguageRules>> = {
  al: {
    lineComments: ["//"],
    blockComment: ["/*", "*/"],
    strings: [
      ["@'", "'"],
      ["'", "'"],
    ],
    escapes: "doubled",
    quotedNames: true,
    directives: true,
    ignoreCase: true,
  },
  sql: { ...cLike, lineComments: ["--"], strings: [["'", "'"]], escapes: "doubled", quotedNames: true, ignoreCase: true },
  python: hashed,
  yaml: hashed,
  shell: hashed,
  ruby: hashed,
  csharp: { ...cLike, directives: true },
};

const byEnding: Readonly<Record<string, string>> = {
  al: "al",
  ts: "typescript",
  tsx: "typescript",
  mts: "typescript",
  cts: "typescript",
  js: "javascript",
  jsx: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  cs: "csharp",
  py: "python",
  sql: "sql",
  yaml: "yaml",
  yml: "yaml",
  sh: "shell",
  rb: "ruby",
  java: "java",
  go: "go",
  rs: "rust",
  php: "php",
  md: "markdown",
};

export function rulesOf(language: string): LanguageRules {
  return rules[language] ?? cLike;
}

/** All names of languages that topics and requests may use. */
export const languages: ReadonlySet<string> = new Set(Object.values(byEnding));

/** By the ending of the path, else by the look of the text; undefined when neither tells. */
export function languageOf(path: string | undefined, text: string): string | undefined {
  const ending = path === undefined ? undefined : /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase();
  if (ending !== undefined) return byEnding[ending];
  return looksLikeAl.test(text) ? "al" : undefined;
}

const looksLikeAl =
  /^\s*(?:codeunit|table|page|report|query|xmlport|enum|interface|(?:table|page|report|enum)extension)\s+(?:\d|"|[A-Z])|^\s*(?:local |internal )?procedure\s+\w|:=|\.(?:FindSet|FindFirst|SetRange|TestField)\b|^\s*begin\s*$/im;
