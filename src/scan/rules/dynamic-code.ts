import type { Finder, Found, LexedText } from "../finder.ts";
import type { CodeTokens } from "./code-tokens.ts";

const scripts: ReadonlySet<string> = new Set(["typescript", "tsx", "javascript"]);
const advice = {
  code: "Parse the data, or choose from a table of functions.",
  shell: "Pass program and arguments as a list, without a shell.",
} as const;

/** A text that is not fixed is run as code or as a shell command. */
export const dynamicCode: Finder = {
  id: "dynamic-code",
  needles: ["eval", "function", "exec", "os.system", "shell"],
  find: (source) => (source.language === "python" ? inPython(source) : scripts.has(source.language) ? inScripts(source) : []),
};

function place(code: CodeTokens, type: keyof typeof advice, from: number, to: number): Found {
  return { type, auto: false, needs: "manual", start: code.start(from), end: code.end(to), action: advice[type] };
}

function inScripts({ code, text }: LexedText): readonly Found[] {
  const found: Found[] = [];
  const hasShell = /\bchild_process\b/.test(text);
  for (let at = 0; at < code.length; at += 1) {
    if (code.kind(at) !== "name") continue;
    const word = code.word(at);
    const open = at + 1;
    if (code.word(open) !== "(" || isDeclared(code, at)) continue;
    const close = code.closing(open);
    if (close === undefined) continue;
    const isGlobal = code.word(at - 1) !== "." || /^(?:window|globalThis|self|global)$/.test(code.word(at - 2));
    if (word === "eval" && isGlobal && !isFixed(code, open + 1, close)) found.push(place(code, "code", at, close));
    if (word === "Function" && code.word(at - 1) === "new" && !isFixed(code, open + 1, close, true))
      found.push(place(code, "code", at - 1, close));
    if (hasShell && /^exec(?:Sync)?$/.test(word) && isShell(code, at) && isJoined(code, open + 1, close))
      found.push(place(code, "shell", at, close));
  }
  return found;
}

/** `exec` of the module for processes, not of a regular expression or a database. */
function isShell(code: CodeTokens, at: number): boolean {
  return code.word(at - 1) !== "." || /^(?:child_process|childProcess|cp)$/.test(code.word(at - 2));
}

/** Its arguments say that what is run is held back: by a compiler or by names that it may use. */
function isRestricted(code: CodeTokens, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (code.kind(at) === "name" && /restricted|sandbox/i.test(code.word(at))) return true;
  return false;
}

function inPython({ code }: LexedText): readonly Found[] {
  const found: Found[] = [];
  for (let at = 0; at < code.length; at += 1) {
    if (code.kind(at) !== "name" || code.word(at + 1) !== "(" || isDeclared(code, at)) continue;
    const close = code.closing(at + 1);
    if (close === undefined) continue;
    const word = code.word(at);
    const fixed = isFixed(code, at + 2, close) || isRestricted(code, at + 2, close);
    if ((word === "eval" || word === "exec") && code.word(at - 1) !== "." && !fixed) found.push(place(code, "code", at, close));
    if (word === "system" && code.sees(at - 2, "os", ".") && !fixed) found.push(place(code, "shell", at - 2, close));
    if (code.sees(at - 2, "subprocess", ".") && !fixed && hasShellTrue(code, at + 2, close))
      found.push(place(code, "shell", at - 2, close));
  }
  return found;
}

function hasShellTrue(code: CodeTokens, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (code.sees(at, "shell", "=", "True")) return !isFixedList(code, from);
  return false;
}

/** A list of arguments is not read by the shell but for its first member. */
function isFixedList(code: CodeTokens, from: number): boolean {
  return code.word(from) === "[";
}

/** A function of this name is declared here, or it is a method. */
function isDeclared(code: CodeTokens, at: number): boolean {
  const before = code.word(at - 1);
  if (before === "def" || before === "function" || before === "async" || before === "*") return true;
  const close = code.closing(at + 1);
  return close !== undefined && code.word(at) !== "Function" && before !== "." && code.word(close + 1) === "{";
}

/** Nothing but whole texts and numbers in the first argument, or in all; or no argument at all. */
function isFixed(code: CodeTokens, from: number, to: number, all = false): boolean {
  let depth = 0;
  for (let at = from; at < to; at += 1) {
    const word = code.word(at);
    if (depth === 0 && word === "," && !all) return true;
    if (["(", "[", "{"].includes(word)) depth += 1;
    if ([")", "]", "}"].includes(word)) depth -= 1;
    const kind = code.kind(at);
    const hole = kind === "string" && /(?:\$\{|\{)$/.test(word) && /^(?:`|[fF]|\})/.test(word);
    if (kind === "name" || kind === "code" || hole) return false;
  }
  return true;
}

/** The first argument is made of a text and something else. */
function isJoined(code: CodeTokens, from: number, to: number): boolean {
  const first = code.word(from);
  if (first.startsWith("`")) return first.endsWith("${");
  let [text, sum, other] = [false, false, false];
  for (let at = from; at < to && code.word(at) !== ","; at += 1) {
    if (code.kind(at) === "string") text = true;
    else if (code.word(at) === "+") sum = true;
    else if (code.kind(at) === "name") other = true;
  }
  return text && sum && other;
}
