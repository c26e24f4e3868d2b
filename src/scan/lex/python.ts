import type { Token } from "../token.ts";
import { Cursor, endOfLine, endOfName, isNameStart, noRulesOff, type RulesOff } from "./cursor.ts";

interface Text {
  readonly quote: string;
  readonly triple: boolean;
  readonly interpolated: boolean;
}
/** An open `{` of an f-string; `depth` counts brackets inside it. */
interface Hole {
  readonly text: Text;
  /** It is in the format after a colon. */
  readonly inFormat: boolean;
  depth: number;
}

/** f-strings are cut: their text is string, what is in braces is code. */
export function lexPython(text: string, off: RulesOff = noRulesOff): readonly Token[] {
  const cursor = new Cursor(text);
  const holes: Hole[] = [];
  while (!cursor.done) {
    const code = cursor.code();
    if (code === 35 && !off.has("comment")) cursor.emit("comment", endOfLine(text, cursor.at));
    else if (isQuote(code, off)) emitText(cursor, openText(cursor, cursor.at, "", off), cursor.at, { holes, off });
    else if (isNameStart(text, cursor.at)) emitName(cursor, holes, off);
    else if (holes.length === 0 || !emitInHole(cursor, holes, off)) cursor.emitPlain();
  }
  return cursor.tokens;
}

function isQuote(code: number, off: RulesOff): boolean {
  return (code === 39 && !off.has("single_quote")) || (code === 34 && !off.has("double_quote"));
}

function emitName(cursor: Cursor, holes: Hole[], off: RulesOff): void {
  const end = endOfName(cursor.text, cursor.at + 1);
  const word = cursor.text.slice(cursor.at, end).toLowerCase();
  if (!off.has("prefix") && isQuote(cursor.text.charCodeAt(end), off) && /^(?:[rubft]|br|rb|[ft]r|r[ft])$/.test(word)) {
    emitText(cursor, openText(cursor, end, word, off), end, { holes, off });
  } else cursor.emit("name", end);
}

function openText(cursor: Cursor, at: number, prefix: string, off: RulesOff): Text {
  const quote = cursor.text.charAt(at);
  const triple = !off.has("triple") && cursor.text.startsWith(quote.repeat(3), at);
  return { quote, triple, interpolated: /[ft]/.test(prefix) && !off.has("interpolation") };
}

function emitText(cursor: Cursor, text: Text, at: number, state: { readonly holes: Hole[]; readonly off: RulesOff }): void {
  emitChunk(cursor, text, at + (text.triple ? 3 : 1), { ...state, inFormat: false });
}

/** From the cursor to the end of the string or its next opening brace; `from`: where to look on. */
function emitChunk(
  cursor: Cursor,
  string: Text,
  from: number,
  state: { readonly holes: Hole[]; readonly off: RulesOff; readonly inFormat: boolean },
): void {
  const { text } = cursor;
  const close = string.triple ? string.quote.repeat(3) : string.quote;
  const braces = !state.off.has("doubled_brace");
  let inFormat = state.inFormat;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 92 && !state.off.has("escape")) at += text.startsWith("\r\n", at + 1) ? 2 : 1;
    else if (text.startsWith(close, at)) return cursor.emit("string", at + close.length);
    else if (!string.triple && (code === 10 || code === 13)) return cursor.emit("string", at);
    else if (string.interpolated && inFormat && code === 125) inFormat = false;
    else if (string.interpolated && code === 123) {
      if (braces && !inFormat && text.charCodeAt(at + 1) === 123) at++;
      else {
        state.holes.push({ text: string, inFormat, depth: 0 });
        return cursor.emit("string", at + 1);
      }
    }
  }
  cursor.emit("string", text.length);
}

/** Brackets are counted; at depth 0 a colon begins the format and a brace ends the hole. Says whether it took anything. */
function emitInHole(cursor: Cursor, holes: Hole[], off: RulesOff): boolean {
  const hole = holes.at(-1);
  if (hole === undefined) return false;
  const code = cursor.code();
  if (code === 40 || code === 91 || code === 123) hole.depth++;
  else if (hole.depth > 0 && !off.has("brackets")) {
    if (code === 41 || code === 93 || code === 125) hole.depth--;
  } else if (code === 125) {
    holes.pop();
    emitChunk(cursor, hole.text, cursor.at + 1, { holes, off, inFormat: hole.inFormat });
    return true;
  } else if (code === 58 && !off.has("format")) {
    holes.pop();
    emitChunk(cursor, hole.text, cursor.at + 1, { holes, off, inFormat: true });
    return true;
  }
  return false;
}
