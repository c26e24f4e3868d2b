import type { Token } from "../token.ts";
import { Cursor, endOfLine, endOfQuoted, noRulesOff, type RulesOff } from "./cursor.ts";

/** Comments, quoted scalars and block scalars; everything else is code, plain scalars too. */
export function lexYaml(text: string, off: RulesOff = noRulesOff): readonly Token[] {
  const cursor = new Cursor(text);
  while (!cursor.done) {
    const code = cursor.code();
    if (code === 35 && !off.has("comment") && (off.has("comment_border") || isBehind(text, cursor.at, /\s/))) {
      cursor.emit("comment", endOfLine(text, cursor.at));
    } else if (code === 39 && !off.has("single_quote") && beginsValue(cursor, off)) {
      cursor.emit("string", endOfQuoted(text, cursor.at + 1, "'", { doubled: !off.has("doubled"), multiline: true }));
    } else if (code === 34 && !off.has("double_quote") && beginsValue(cursor, off)) {
      cursor.emit("string", endOfQuoted(text, cursor.at + 1, '"', { escape: !off.has("escape"), multiline: true }));
    } else if ((code === 124 || code === 62) && !off.has("block_scalar") && beginsValue(cursor, off)) {
      emitBlockScalar(cursor, off);
    } else if (code === 37 && !off.has("directive") && isBehind(text, cursor.at, /[\r\n]/)) {
      cursor.emit("directive", endOfLine(text, cursor.at));
    } else cursor.emitPlain("-");
  }
  return cursor.tokens;
}

/** Whether a position is at the beginning of the text or behind such a character. */
function isBehind(text: string, at: number, character: RegExp): boolean {
  return at === 0 || character.test(text.charAt(at - 1));
}

/** A quote opens a scalar only where a value may begin: in `don't` and `5" pipe` it is a character. */
function beginsValue(cursor: Cursor, off: RulesOff): boolean {
  if (off.has("value_position")) return true;
  const line = lineBefore(cursor.text, cursor.at);
  return /^\s*$|(?:^|\s)[-?:]\s+$|[[{,]\s*$|:\s+$|(?:^|\s)[!&][^\s]*\s+$|["']\s*:$/.test(line);
}

function lineBefore(text: string, at: number): string {
  let start = at;
  while (start > 0 && !/[\r\n]/.test(text.charAt(start - 1))) start--;
  return text.slice(start, at);
}

/** The header as symbols, then every line that is indented deeper than the line of the header, or empty. */
function emitBlockScalar(cursor: Cursor, off: RulesOff): void {
  const { text } = cursor;
  const header = /^[|>][-+0-9]*[ \t]*(?=#|\r|\n|$)/.exec(text.slice(cursor.at, cursor.at + 20))?.[0];
  if (header === undefined) return void cursor.emitPlain();
  const before = lineBefore(text, cursor.at);
  const indent = /^ */.exec(before)?.[0].length ?? 0;
  cursor.emit("symbol", cursor.at + header.trimEnd().length);
  if (off.has("block_indent")) return;
  const first = nextLine(text, endOfLine(text, cursor.at));
  let end = first;
  while (end < text.length) {
    const stop = endOfLine(text, end);
    const line = text.slice(end, stop);
    if (line.trim() !== "" && (/^ */.exec(line)?.[0].length ?? 0) <= indent && !(before.trim() === "" && indent === 0 && line[0] === " "))
      break;
    end = nextLine(text, stop);
  }
  while (cursor.at < first) {
    if (cursor.code() === 35) cursor.emit("comment", endOfLine(text, cursor.at));
    else cursor.emit("space", Math.min(first, text.indexOf("#", cursor.at) < 0 ? first : text.indexOf("#", cursor.at)));
  }
  if (end > first) cursor.emit("string", end);
}

function nextLine(text: string, end: number): number {
  if (text.startsWith("\r\n", end)) return end + 2;
  return Math.min(text.length, end + 1);
}
