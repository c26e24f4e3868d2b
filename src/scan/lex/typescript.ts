import type { Token } from "../token.ts";
import { Cursor, endAfter, endOfLine, endOfName, endOfQuoted, isNameStart, noRulesOff, type RulesOff } from "./cursor.ts";
import { emitJsx, opensJsx, type JsxFrame } from "./jsx.ts";

/** After these words an operand is expected, so a slash begins a regular expression. */
const beforeOperand = new Set(
  "return typeof case in of delete void throw new do else instanceof await yield extends default try finally".split(" "),
);
const control = new Set(["if", "while", "for", "with"]);
const blockWords = new Set(["else", "do", "try", "finally", "default"]);

type Frame =
  | { readonly kind: "paren"; readonly control: boolean }
  | { readonly kind: "bracket" }
  | { readonly kind: "brace"; readonly block: boolean }
  | { readonly kind: "template" }
  | JsxFrame;

/** State of the lexer: `operand` is true when an operand has just ended, so that a slash divides. */
interface TypeScriptState {
  readonly cursor: Cursor;
  readonly off: RulesOff;
  readonly frames: Frame[];
  operand: boolean;
  /** The last token that is neither space nor comment, as text. */
  last: string;
}

/** Template texts, regular expressions and the text of JSX are strings; what is in `${}` and `{}` is code. */
export function lexTypeScript(text: string, jsx: boolean, off: RulesOff = noRulesOff): readonly Token[] {
  const cursor = new Cursor(text);
  const state: TypeScriptState = { cursor, off, frames: [], operand: false, last: "" };
  if (text.startsWith("#!") && !off.has("hashbang")) cursor.emit("comment", endOfLine(text, 0));
  /** Where JSX was begun that never ended: there the bracket is a symbol. */
  const refused = new Set<number>();
  let begun: { at: number; tokens: number; frames: number } | undefined;
  while (!cursor.done || begun !== undefined) {
    if (cursor.done && begun !== undefined) {
      if (off.has("jsx_unclosed") || refused.size > 20) break;
      refused.add(begun.at);
      cursor.rewind(begun.tokens, begun.at);
      state.frames.length = begun.frames;
      state.operand = false;
      begun = undefined;
      continue;
    }
    if (begun !== undefined && state.frames.length <= begun.frames) begun = undefined;
    if (emitJsx(state)) continue;
    if (jsx && !off.has("jsx") && !state.operand && !refused.has(cursor.at) && opensJsx(cursor)) {
      begun ??= { at: cursor.at, tokens: cursor.tokens.length, frames: state.frames.length };
      state.frames.push({ kind: "jsx_tag" });
      cursor.emit("symbol", cursor.at + 1);
    } else emitCode(state);
  }
  return cursor.tokens;
}

function emitCode(state: TypeScriptState): void {
  const { cursor, off } = state;
  const { text } = cursor;
  const code = cursor.code();
  if (code === 47) {
    if (!emitComment(state) && (off.has("regex") || !emitRegex(state))) emitOther(state);
  } else if ((code === 39 && !off.has("single_quote")) || (code === 34 && !off.has("double_quote"))) {
    ended(state, endOfQuoted(text, cursor.at + 1, text.charAt(cursor.at), { escape: !off.has("escape") }));
  } else if (code === 96 && !off.has("template")) emitTemplate(state, cursor.at + 1);
  else if (code === 125 && state.frames.at(-1)?.kind === "template") {
    state.frames.pop();
    emitTemplate(state, cursor.at + 1);
  } else if (isNameStart(text, cursor.at) || code === 36) emitWord(state, cursor.at + 1);
  else if (code === 35 && !off.has("private_name") && isNameStart(text, cursor.at + 1)) emitWord(state, cursor.at + 2);
  else emitOther(state);
}

function emitComment({ cursor, off }: TypeScriptState): boolean {
  const { text, at } = cursor;
  if (cursor.code(1) === 47 && !off.has("line_comment")) cursor.emit("comment", endOfLine(text, at));
  else if (cursor.code(1) === 42 && !off.has("block_comment")) cursor.emit("comment", endAfter(text, "*/", at + 2));
  else return false;
  return true;
}

function ended(state: TypeScriptState, end: number): void {
  state.cursor.emit("string", end);
  state.operand = true;
  state.last = "'";
}

function emitWord(state: TypeScriptState, from: number): void {
  const { cursor, off } = state;
  const end = endOfName(cursor.text, from, "$");
  const word = cursor.text.slice(cursor.at, end);
  cursor.emit("name", end);
  const property = state.last === ".";
  state.operand = property || !beforeOperand.has(word) || off.has("regex_after_keyword");
  state.last = property ? "." + word : word;
}

/** From the cursor to the closing backtick or the next `${`. */
function emitTemplate(state: TypeScriptState, from: number): void {
  const { cursor, off } = state;
  const { text } = cursor;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 92 && !off.has("escape")) at++;
    else if (code === 96) return ended(state, at + 1);
    else if (code === 36 && text.charCodeAt(at + 1) === 123 && !off.has("template_nesting")) {
      cursor.emit("string", at + 2);
      state.frames.push({ kind: "template" });
      state.operand = false;
      state.last = "(";
      return;
    }
  }
  ended(state, text.length);
}

function emitRegex(state: TypeScriptState): boolean {
  const { cursor, off } = state;
  if (state.operand && !off.has("division")) return false;
  const { text } = cursor;
  let inClass = false;
  for (let at = cursor.at + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 10 || code === 13) return false;
    if (code === 92) at++;
    else if (code === 91 && !off.has("regex_class")) inClass = true;
    else if (code === 93) inClass = false;
    else if (code === 47 && !inClass) {
      ended(state, endOfName(text, at + 1));
      return true;
    }
  }
  return false;
}

function emitOther(state: TypeScriptState): void {
  const { cursor } = state;
  const { at, text } = cursor;
  const before = state.operand;
  const last = state.last;
  const kind = cursor.emitPlain();
  if (kind === "space") return;
  const symbol = text.slice(at, cursor.at);
  state.operand = kind === "number";
  state.last = symbol;
  if (kind !== "symbol") return;
  if (symbol === "(" || symbol === "[" || symbol === "{") openFrame(state, symbol, last, before);
  else if (symbol === ")" || symbol === "]" || symbol === "}") closeFrame(state, symbol);
  else if (symbol === ">" && last === "=") state.last = "=>";
  else if (symbol === "!" && before && text.charCodeAt(cursor.at) !== 61) state.operand = true;
  else if ((symbol === "+" || symbol === "-") && text.charAt(cursor.at) === symbol) {
    cursor.emit("symbol", cursor.at + 1);
    state.operand = before;
  }
}

function openFrame(state: TypeScriptState, symbol: string, last: string, operand: boolean): void {
  if (symbol === "(") state.frames.push({ kind: "paren", control: control.has(last) });
  else if (symbol === "[") state.frames.push({ kind: "bracket" });
  else state.frames.push({ kind: "brace", block: operand || /^(?:|;|\{|\}|\)|=>)$/.test(last) || blockWords.has(last) });
}

function closeFrame(state: TypeScriptState, symbol: string): void {
  const kind = symbol === ")" ? "paren" : symbol === "]" ? "bracket" : "brace";
  const frame = state.frames.at(-1);
  state.operand = true;
  if (frame?.kind !== kind) return;
  state.frames.pop();
  if (frame.kind === "paren") state.operand = !frame.control || state.off.has("regex_after_control");
  else if (frame.kind === "brace") state.operand = !frame.block || state.off.has("regex_after_block");
}
