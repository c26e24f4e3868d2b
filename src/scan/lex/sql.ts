import type { Token } from "../token.ts";
import { Cursor, endAfter, endOfLine, endOfNestedComment, endOfQuoted, isNamePart, noRulesOff, type RulesOff } from "./cursor.ts";

/** Strings keep to the standard: a backslash is a character, except after the prefix `E`. */
export function lexSql(text: string, off: RulesOff = noRulesOff): readonly Token[] {
  const cursor = new Cursor(text);
  const doubled = !off.has("doubled");
  while (!cursor.done) {
    const code = cursor.code();
    if (code === 39 && !off.has("string")) {
      const escape = isEscapePrefix(text, cursor.at, off);
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
      cursor.emit("comment", endOfBlock(text, cursor.at + 2, off));
    } else if (code === 36 && endOfDollarText(text, cursor.at, off) > 0) {
      cursor.emit("string", endOfDollarText(text, cursor.at, off));
    } else cursor.emitPlain("@#$");
  }
  return cursor.tokens;
}

function endOfBlock(text: string, from: number, off: RulesOff): number {
  return off.has("nested_comment") ? endAfter(text, "*/", from) : endOfNestedComment(text, from);
}

/** `E'...'`, where the letter is a word of its own. */
function isEscapePrefix(text: string, quote: number, off: RulesOff): boolean {
  if (off.has("escape_prefix")) return false;
  return /[eE]/.test(text.charAt(quote - 1)) && (quote < 2 || !isNamePart(text, quote - 2));
}

/**
 * The end of `$tag$...$tag$` that holds a text, else 0. Most hold the body of a function, which is code and is read as such; a quote
 * that has no partner inside can only be an apostrophe.
 */
function endOfDollarText(text: string, at: number, off: RulesOff): number {
  if (off.has("dollar")) return 0;
  if (at > 0 && (isNamePart(text, at - 1) || text.charAt(at - 1) === "$")) return 0;
  const tag = /^\$(?:[\p{L}_][\p{L}\p{Nd}_]*)?\$/u.exec(text.slice(at, at + 70))?.[0];
  const close = tag === undefined ? -1 : text.indexOf(tag, at + tag.length);
  if (tag === undefined || close < 0) return 0;
  const quotes = text.slice(at, close).split("'").length - 1;
  return quotes % 2 === 0 ? 0 : close + tag.length;
}

/** A bracket right behind a name or a closing bracket is an array's; one that is not closed on its line is not a name. */
function opensName(text: string, at: number, off: RulesOff): boolean {
  if (!off.has("array") && at > 0 && (isNamePart(text, at - 1) || text.charAt(at - 1) === ")")) return false;
  const close = text.indexOf("]", at);
  return close > 0 && close < endOfLine(text, at);
}
