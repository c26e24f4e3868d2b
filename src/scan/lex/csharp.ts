import type { Token } from "../token.ts";
import { Cursor, endAfter, endOfLine, endOfName, isNameStart, noRulesOff, type RulesOff } from "./cursor.ts";

interface Text {
  /** 3 or more for raw strings. */
  readonly quotes: number;
  readonly verbatim: boolean;
  /** Number of `$`, which is the number of braces that open a hole; 0 without interpolation. */
  readonly dollars: number;
}
interface Hole {
  readonly text: Text;
  depth: number;
}
interface State {
  readonly cursor: Cursor;
  readonly off: RulesOff;
  readonly holes: Hole[];
}

/** Interpolated strings are cut: their text is string, what is in braces is code. A directive takes its whole line. */
export function lexCsharp(text: string, off: RulesOff = noRulesOff): readonly Token[] {
  const cursor = new Cursor(text);
  const state: State = { cursor, off, holes: [] };
  while (!cursor.done) {
    if (emitComment(state) || emitString(state)) continue;
    if (cursor.code() === 64 && !off.has("verbatim_name") && isNameStart(text, cursor.at + 1)) {
      cursor.emit("name", endOfName(text, cursor.at + 1));
    } else if (!emitInHole(state)) cursor.emitPlain();
  }
  return cursor.tokens;
}

function emitComment({ cursor, off }: State): boolean {
  const { text } = cursor;
  const code = cursor.code();
  if (code === 35 && !off.has("directive") && isFirstOnLine(text, cursor.at)) cursor.emit("directive", endOfLine(text, cursor.at));
  else if (code === 47 && cursor.code(1) === 47 && !off.has("line_comment")) cursor.emit("comment", endOfLine(text, cursor.at));
  else if (code === 47 && cursor.code(1) === 42 && !off.has("block_comment")) cursor.emit("comment", endAfter(text, "*/", cursor.at + 2));
  else return false;
  return true;
}

function isFirstOnLine(text: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && (text.charAt(before) === " " || text.charAt(before) === "\t")) before--;
  return before < 0 || /[\r\n]/.test(text.charAt(before));
}

function emitString(state: State): boolean {
  const { cursor, off } = state;
  const code = cursor.code();
  if (code === 39 && !off.has("character")) {
    const literal = /^'(?:\\[^\r\n][0-9a-fA-F]{0,8}|[^'\\\r\n]{1,2})'/.exec(cursor.text.slice(cursor.at, cursor.at + 14))?.[0];
    if (literal === undefined) return false;
    cursor.emit("string", cursor.at + literal.length);
    return true;
  }
  if ((code !== 34 && code !== 36 && code !== 64) || off.has("string")) return false;
  const prefix = /^[$@]*/.exec(cursor.text.slice(cursor.at, cursor.at + 12))?.[0] ?? "";
  const from = cursor.at + prefix.length;
  if (cursor.text.charCodeAt(from) !== 34) return false;
  const verbatim = prefix.includes("@") && !off.has("verbatim");
  const run = /^"*/.exec(cursor.text.slice(from, from + 64))?.[0].length ?? 1;
  const quotes = run >= 3 && !prefix.includes("@") && !off.has("raw") ? run : 1;
  const dollars = off.has("interpolation") ? 0 : prefix.split("$").length - 1;
  emitChunk(state, { quotes, verbatim, dollars }, from + quotes);
  return true;
}

/** From the cursor to the end of the string or its next hole; `from`: where to look on. */
function emitChunk(state: State, string: Text, from: number): void {
  const { cursor, off } = state;
  const { text } = cursor;
  const raw = string.quotes >= 3;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) {
      if (raw) {
        if (text.startsWith('"'.repeat(string.quotes), at)) return cursor.emit("string", at + string.quotes);
      } else if (string.verbatim && !off.has("doubled") && text.charCodeAt(at + 1) === 34) at++;
      else return cursor.emit("string", at + 1);
    } else if (code === 92 && !raw && !string.verbatim && !off.has("escape")) at++;
    else if (code === 123 && string.dollars > 0) {
      const run = braceRun(text, at);
      if (opensHole(run, string, off)) {
        state.holes.push({ text: string, depth: 0 });
        return cursor.emit("string", at + run);
      }
      at += run - 1;
    } else if (!raw && !string.verbatim && (code === 10 || code === 13)) return cursor.emit("string", at);
  }
  cursor.emit("string", text.length);
}

function braceRun(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === 123) at++;
  return at - from;
}

function opensHole(run: number, string: Text, off: RulesOff): boolean {
  if (string.quotes >= 3) return run >= string.dollars;
  return off.has("doubled_brace") || run % 2 === 1;
}

/** Brackets are counted; at depth 0 a colon begins the format and a brace ends the hole. */
function emitInHole(state: State): boolean {
  const { cursor, off, holes } = state;
  const hole = holes.at(-1);
  if (hole === undefined) return false;
  const code = cursor.code();
  if (code === 40 || code === 91 || code === 123) hole.depth++;
  else if (hole.depth > 0 && !off.has("brackets")) {
    if (code === 41 || code === 93 || code === 125) hole.depth--;
  } else if (code === 125) {
    holes.pop();
    const closing = hole.text.quotes >= 3 ? hole.text.dollars : 1;
    emitChunk(state, hole.text, cursor.at + closing);
    return true;
  } else if (code === 58 && !off.has("format")) {
    if (cursor.code(1) === 58) {
      cursor.emit("symbol", cursor.at + 2);
      return true;
    }
    holes.pop();
    emitChunk(state, hole.text, endOfFormat(cursor));
    return true;
  }
  return false;
}

/** Behind the brace that ends a format; a quote before it means that there is none. */
function endOfFormat(cursor: Cursor): number {
  for (let at = cursor.at + 1; at < cursor.text.length; at++) {
    const code = cursor.text.charCodeAt(at);
    if (code === 125) return at + 1;
    if (code === 34 || code === 10 || code === 13) return at;
  }
  return cursor.text.length;
}
