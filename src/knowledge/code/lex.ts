import { own } from "../../base/index.ts";
import { languageOf as languageOfPath, lexAl, lexGeneric, maskGaps, type Grammar } from "../../scan/index.ts";

export interface CodeToken {
  readonly kind: "name" | "string" | "number" | "sign";
  /** Names and texts without their quotes. */
  readonly text: string;
  /** For comparison: in lower case where the language ignores case. */
  readonly key: string;
  /** From 1. */
  readonly line: number;
}

export interface LexedCode {
  readonly language: string;
  readonly tokens: readonly CodeToken[];
  /** Comments and compiler directives. */
  readonly comments: readonly { readonly text: string; readonly line: number }[];
  /** The text with comments blanked. */
  readonly uncommented: string;
}

/** All names of languages that topics and requests may use. */
export const languages: ReadonlySet<string> = new Set(
  "al typescript javascript csharp python sql yaml shell ruby java go rust php markdown".split(" "),
);

/** By the ending of the path, else by the look of the text; undefined when neither shows it. */
export function languageOf(path: string | undefined, text: string): string | undefined {
  if (path === undefined || !/\.[a-z]+$/i.test(path)) return looksLikeAl.test(text) ? "al" : undefined;
  const language = languageOfPath(path).replace("tsx", "typescript");
  return languages.has(language) ? language : undefined;
}

const looksLikeAl =
  /^\s*(?:codeunit|table|page|report|query|xmlport|enum|interface|(?:table|page|report|enum)extension)\s+(?:\d|"|[A-Z])|^\s*(?:local |internal )?procedure\s+\w|:=|\.(?:FindSet|FindFirst|SetRange|TestField)\b|^\s*begin\s*$/im;

const cLike: Grammar = {
  line: ["//"],
  block: [["/*", "*/"]],
  quotes: [
    { open: '"', escape: true },
    { open: "'", escape: true },
    { open: "`", escape: true, multiline: true },
  ],
};
const longQuotes = ['"""', "'''"].map((open) => ({ open, escape: true, multiline: true }));
const hashed: Grammar = { ...cLike, line: ["#"], quotes: [...longQuotes, ...cLike.quotes.slice(0, 2)] };
const doubled = ["'", '"'].map((open) => ({ open, doubled: true }));
/** The other languages are read like C. Enough to find names and texts: what is in the holes of a text counts as text. */
const grammars: Readonly<Record<string, Grammar>> = {
  sql: { ...cLike, line: ["--"], quotes: doubled },
  python: hashed,
  yaml: hashed,
  shell: hashed,
  ruby: hashed,
  csharp: { ...cLike, directives: true },
};

const twoSigns = new Set([":=", "::", "+=", "-=", "*=", "/=", "<>", "<=", ">=", "=>", "==", "!=", "&&", "||", "->", ".."]);

/** Names, texts, numbers and signs, with comments aside. */
export function lex(text: string, language: string): LexedCode {
  const tokens: CodeToken[] = [];
  const comments: { text: string; line: number }[] = [];
  const gaps: number[] = [];
  let line = 1;
  let counted = 0;
  /** Where a sign ended that the next one may be joined to. */
  let signEnd = -1;
  const all = language === "al" ? lexAl(text) : lexGeneric(text, own(grammars, language) ?? cLike);
  for (const { kind, start, end } of all) {
    for (; counted < start; counted++) if (text.charCodeAt(counted) === 10) line += 1;
    const piece = text.slice(start, end);
    if (kind === "comment" || kind === "directive") {
      comments.push({ text: piece, line });
      gaps.push(start, end);
    } else if (kind === "symbol") {
      const joined = start === signEnd ? `${tokens.at(-1)?.text}${piece}` : "";
      const sign = twoSigns.has(joined) ? joined : piece;
      if (sign !== piece) tokens.pop();
      tokens.push({ kind: "sign", text: sign, key: sign, line });
      signEnd = sign.length === 1 ? end : -1;
    } else if (kind !== "space") tokens.push({ ...tokenOf(kind, piece, language), line });
  }
  return { language, tokens, comments, uncommented: maskGaps(text, gaps).text };
}

function tokenOf(kind: string, piece: string, language: string): Omit<CodeToken, "line"> {
  if (kind === "number") return { kind, text: piece, key: piece };
  const bare = kind === "name" ? piece : unquoted(piece);
  if (kind === "string" && !(language === "sql" && piece.startsWith('"'))) return { kind, text: bare, key: bare };
  const name = bare.replaceAll('""', '"');
  return { kind: "name", text: name, key: language === "al" || language === "sql" ? name.toLowerCase() : name };
}

function unquoted(piece: string): string {
  const [open = "", quote = ""] = /^@?("""|'''|["'`])/.exec(piece) ?? [];
  const isClosed = piece.length >= open.length + quote.length && piece.endsWith(quote);
  return piece.slice(open.length, isClosed ? -quote.length : undefined);
}
