import type { Token } from "../token.ts";
import { isNamePart } from "./character-classes.ts";
import { Cursor, endOfLine, endOfNestedComment, endAfter, endOfQuoted, noRulesOff, type RulesOff } from "./cursor.ts";

export const sqlRules: readonly string[] = [
  "string",
  "doubled",
  "escape_prefix",
  "quoted_name",
  "bracket",
  "array",
  "backtick",
  "line_comment",
  "block_comment",
  "nested_comment",
];

/** Strings keep to the standard: a backslash is a character, except after the prefix `E`. */
export function lexSql(text: string, off: RulesOff = noRulesOff): readonly Token[] {
  const cursor = new Cursor(text);
  const doubled = !off.has("doubled");
  while (!cursor.done) {
    const code = cursor.code();
    if (code === 39 && !off.has("string")) {
      const escape = !off.has("escape_prefix") && isEscapePrefix(text, cursor.at);
      cursor.emit("string", endOfQuoted(text, cursor.at + 1, "'", { doubled, escape, multiline: true }));
    } else if (code === 34 && !off.has("quoted_name")) {
      cursor.emit("quoted_name", endOfQuoted(text, cursor.at + 1, '"', { doubled, multiline: true }));
    } else if (code === 96 && !off.has("backtick")) {
      cursor.emit("quoted_name", endOfQuoted(text, cursor.at + 1, "`", { doubled }));
    } else if (code === 91 && !off.has("bracket") && opensName(text, cursor.at, off)) {
      cursor.emit("quoted_name", endOfQuoted(text, cursor.at + 1, "]", { doubled }));
    } else if (code === 45 && cursor.code(1) === 45 && !off.has("line_comment")) {
      cursor.emit("comment", endOfLine(text, cursor.at));
    } else if (code === 47 && cursor.code(1) === 42 && !off.has("block_comment")) {
      const nested = !off.has("nested_comment");
      cursor.emit("comment", nested ? endOfNestedComment(text, cursor.at + 2) : endAfter(text, "*/", cursor.at + 2));
    } else cursor.emitPlain("@#$");
  }
  return cursor.tokens;
}

/** `E'...'`, where the letter is a word of its own. */
function isEscapePrefix(text: string, quote: number): boolean {
  return /[eE]/.test(text.charAt(quote - 1)) && (quote < 2 || !isNamePart(text, quote - 2));
}

/** A bracket right behind a name or a closing bracket is an array's; one that is not closed on its line is no name. */
function opensName(text: string, at: number, off: RulesOff): boolean {
  if (!off.has("array") && at > 0 && (isNamePart(text, at - 1) || text.charAt(at - 1) === ")")) return false;
  const close = text.indexOf("]", at);
  return close > 0 && close < endOfLine(text, at);
}
