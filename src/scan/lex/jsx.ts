import { endAfter, endOfLine, endOfName, endOfQuoted, endOfSpaces, isNameStart, type Cursor } from "./cursor.ts";

/** `jsx_tag`: between `<` and `>`; `jsx_children`: between two tags; `jsx_hole`: in braces, which is code again. */
export interface JsxFrame {
  readonly kind: "jsx_tag" | "jsx_children" | "jsx_hole";
}
interface JsxState {
  readonly cursor: Cursor;
  readonly frames: { readonly kind: string }[];
  operand: boolean;
  last: string;
}

/** `<name` or `<>` where an operand is expected; type parameters of an arrow function look alike and are not. */
export function opensJsx(cursor: Cursor): boolean {
  if (cursor.code() !== 60) return false;
  const { text, at } = cursor;
  if (text.charCodeAt(at + 1) === 62) return true;
  if (!isNameStart(text, at + 1)) return false;
  return !/^\s*(?:,|=|extends\b)/.test(text.slice(endOfName(text, at + 2), endOfName(text, at + 2) + 40));
}

/** Reads on inside a tag or between tags. Says whether it was there. */
export function emitJsx(state: JsxState): boolean {
  const { cursor, frames } = state;
  const kind = frames.at(-1)?.kind;
  if (cursor.done) return false;
  if (kind === "jsx_tag") emitInTag(state);
  else if (kind === "jsx_children") emitChildren(state);
  else if (kind === "jsx_hole" && cursor.code() === 125) {
    cursor.emit("symbol", cursor.at + 1);
    frames.pop();
  } else return false;
  return true;
}

function openHole(state: JsxState): void {
  state.cursor.emit("symbol", state.cursor.at + 1);
  state.frames.push({ kind: "jsx_hole" });
  state.operand = false;
  state.last = "(";
}

function emitInTag(state: JsxState): void {
  const { cursor, frames } = state;
  const { text } = cursor;
  const code = cursor.code();
  if (code === 123) openHole(state);
  else if (code === 34 || code === 39) cursor.emit("string", endOfQuoted(text, cursor.at + 1, text.charAt(cursor.at), { multiline: true }));
  else if (cursor.sees("/*")) cursor.emit("comment", endAfter(text, "*/", cursor.at + 2));
  else if (cursor.sees("//")) cursor.emit("comment", endOfLine(text, cursor.at));
  else if (cursor.sees("/>")) {
    cursor.emit("symbol", cursor.at + 2);
    frames.pop();
    endElement(state);
  } else if (code === 62) {
    cursor.emit("symbol", cursor.at + 1);
    frames.pop();
    frames.push({ kind: "jsx_children" });
  } else cursor.emitPlain("$-");
}

function endElement(state: JsxState): void {
  state.operand = true;
  state.last = ")";
}

function emitChildren(state: JsxState): void {
  const { cursor, frames } = state;
  const { text } = cursor;
  const code = cursor.code();
  if (code === 123) openHole(state);
  else if (cursor.sees("</")) {
    cursor.emit("symbol", cursor.at + 2);
    while (!cursor.done && cursor.code() !== 62) cursor.emitPlain("$-");
    if (!cursor.done) cursor.emit("symbol", cursor.at + 1);
    frames.pop();
    endElement(state);
  } else if (code === 60) {
    cursor.emit("symbol", cursor.at + 1);
    frames.push({ kind: "jsx_tag" });
  } else {
    let end = cursor.at;
    while (end < text.length && text.charCodeAt(end) !== 60 && text.charCodeAt(end) !== 123) end++;
    cursor.emit(endOfSpaces(text, cursor.at) >= end ? "space" : "string", end);
  }
}
