import type { Token } from "../token.ts";
import { Cursor, endAfter, endOfLine, endOfNestedComment, endOfQuoted, noRulesOff, type QuoteRules, type RulesOff } from "./cursor.ts";

/** Enough of a language to separate its comments and strings from its code. */
export interface Grammar {
  readonly line: readonly string[];
  readonly block?: readonly (readonly [string, string])[];
  readonly nested?: boolean;
  readonly quotes: readonly Quote[];
  /** A line that begins with `#` is a directive. */
  readonly directives?: boolean;
}
interface Quote extends QuoteRules {
  readonly open: string;
  /** A character in quotes: what is longer is not a literal, as the `'a` of Rust. */
  readonly character?: boolean;
}

const escaped: Quote = { open: '"', escape: true };
const single: Quote = { open: "'", escape: true };
const character: Quote = { open: "'", escape: true, character: true };
const triple: Quote = { open: '"""', escape: true, multiline: true };
const rawTriple: Quote = { open: '"""', multiline: true };
const overLines = (quote: Quote): Quote => ({ ...quote, multiline: true });
const doubled = (open: string): Quote => ({ open, doubled: true });
const block = [["/*", "*/"]] as const;
const slashes = { line: ["//"], block } as const;
const hashes = { line: ["#"] } as const;

/** Languages of which strings and comments are known, beside those that have a lexer of their own. */
export const grammars: Readonly<Record<string, Grammar>> = {
  c: { ...slashes, quotes: [escaped, character], directives: true },
  cpp: { ...slashes, quotes: [escaped, character], directives: true },
  java: { ...slashes, quotes: [triple, escaped, character] },
  kotlin: { ...slashes, nested: true, quotes: [rawTriple, escaped, character] },
  scala: { ...slashes, nested: true, quotes: [rawTriple, escaped, character] },
  groovy: { ...slashes, quotes: [triple, escaped, single] },
  go: { ...slashes, quotes: [escaped, character, { open: "`", multiline: true }] },
  rust: { ...slashes, nested: true, quotes: [overLines(escaped), character] },
  swift: { ...slashes, nested: true, quotes: [triple, escaped] },
  dart: { ...slashes, nested: true, quotes: [{ ...triple, open: "'''" }, escaped, single] },
  php: { line: ["//", "#"], block, quotes: [overLines(escaped), overLines(single)] },
  css: { line: [], block, quotes: [escaped, single] },
  scss: { ...slashes, quotes: [escaped, single] },
  ruby: { ...hashes, quotes: [overLines(escaped), overLines(single)] },
  shell: { ...hashes, quotes: [overLines(escaped), { open: "'", multiline: true }] },
  powershell: { ...hashes, block: [["<#", "#>"]], quotes: [overLines(doubled('"')), overLines(doubled("'"))] },
  lua: { line: ["--"], block: [["--[[", "]]"]], quotes: [escaped, single] },
  toml: { ...hashes, quotes: [triple, { ...rawTriple, open: "'''" }, escaped, { open: "'" }] },
  ini: { line: ["#", ";"], quotes: [escaped] },
  terraform: { line: ["#", "//"], block, quotes: [escaped] },
  vb: { line: ["'"], quotes: [doubled('"')], directives: true },
  markup: { line: [], block: [["<!--", "-->"]], quotes: [] },
  json: { ...slashes, quotes: [escaped] },
};

export function lexGeneric(text: string, grammar: Grammar, off: RulesOff = noRulesOff): readonly Token[] {
  const cursor = new Cursor(text);
  const marks = marksOf(grammar);
  while (!cursor.done) {
    const code = cursor.code();
    if (code >= 128 || marks[code] === 0 || !(emitComment(cursor, grammar, off) || emitString(cursor, grammar, off))) {
      cursor.emitPlain("$");
    }
  }
  return cursor.tokens;
}

/** ASCII characters with which something other than code can begin. */
function marksOf(grammar: Grammar): Uint8Array {
  const marks = new Uint8Array(128);
  const openers = [...grammar.line, ...(grammar.block ?? []).map(([open]) => open), ...grammar.quotes.map(({ open }) => open), "#"];
  for (const opener of openers) marks[opener.charCodeAt(0)] = 1;
  return marks;
}

function emitComment(cursor: Cursor, grammar: Grammar, off: RulesOff): boolean {
  const { text, at } = cursor;
  if (
    grammar.directives === true &&
    !off.has("directive") &&
    cursor.code() === 35 &&
    /(?:^|[\r\n])[ \t]*$/.test(text.slice(Math.max(0, at - 200), at))
  ) {
    cursor.emit("directive", endOfLine(text, at));
    return true;
  }
  const block = grammar.block?.find(([open]) => cursor.sees(open));
  if (block !== undefined && !off.has("block_comment")) {
    const nested = grammar.nested === true && !off.has("nested_comment");
    cursor.emit("comment", nested ? endOfNestedComment(text, at + 2) : endAfter(text, block[1], at + block[0].length));
    return true;
  }
  const line = grammar.line.find((open) => cursor.sees(open));
  if (line === undefined || off.has("line_comment")) return false;
  cursor.emit("comment", endOfLine(text, at));
  return true;
}

function emitString(cursor: Cursor, grammar: Grammar, off: RulesOff): boolean {
  const { text, at } = cursor;
  const quote = grammar.quotes.find(({ open }) => cursor.sees(open) && !(open.length > 1 && off.has("long_quote")));
  if (quote === undefined || off.has("string")) return false;
  if (quote.character === true && !off.has("character") && !/^'(?:\\[^\r\n][^'\r\n]{0,10}|[^'\\\r\n]{1,2})'/.test(text.slice(at, at + 16)))
    return false;
  const rules = { ...quote, escape: quote.escape === true && !off.has("escape"), doubled: quote.doubled === true && !off.has("doubled") };
  cursor.emit("string", endOfQuoted(text, at + quote.open.length, quote.open, rules));
  return true;
}
