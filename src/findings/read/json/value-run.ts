import type { Spot } from "./damage.ts";
import type { Wanted } from "./wanted.ts";

/** A value or a key in the middle of which the scanner is. */
export interface ValueRun {
  readonly wanted: Wanted | undefined;
  readonly key: boolean;
  readonly kind: "string" | "container" | "scalar";
  readonly at: Spot;
  /** Its text so far; undefined when nobody wants it. */
  readonly pieces: string[] | undefined;
  size: number;
  /** Codes of the closing brackets that are still to come, the innermost last. */
  readonly open: number[];
  inString: boolean;
  /** In a string, at the end of a chunk: the next character is escaped. */
  escaped: boolean;
}

/** How far a value goes in a chunk. `expected`: a character there cannot be; another one must. */
export interface Passed {
  readonly at: number;
  readonly isEnded: boolean;
  readonly expected?: string;
}

const scalarEnds: ReadonlySet<string> = new Set(' \t\r\n,:]}[{"');

const quote = 34;
const openList = 91;
const closeList = 93;
const openMap = 123;
const closeMap = 125;

/** Continues to the end of the value, or of the chunk. `levels`: brackets that may still open. */
export function passValue(chunk: string, from: number, run: ValueRun, levels: number): Passed {
  return run.kind === "scalar" ? passScalar(chunk, from) : passBrackets(chunk, from, run, levels);
}

export function canBeginScalar(character: string): boolean {
  return !scalarEnds.has(character);
}

function passScalar(chunk: string, from: number): Passed {
  let at = from;
  while (at < chunk.length && !scalarEnds.has(chunk.charAt(at))) at++;
  return { at, isEnded: at < chunk.length };
}

function passBrackets(chunk: string, from: number, run: ValueRun, levels: number): Passed {
  const { open } = run;
  let at = from;
  while (at < chunk.length) {
    if (run.inString) {
      at = endOfString(chunk, at, run);
      if (!run.inString && open.length === 0) return { at, isEnded: true };
      continue;
    }
    const code = chunk.charCodeAt(at);
    if (code === closeMap || code === closeList) {
      if (open.at(-1) !== code) return { at, isEnded: false, expected: closingOf(run) };
      open.pop();
    } else if (code === openMap || code === openList) {
      if (open.length >= levels) return { at, isEnded: false, expected: "fewer levels of brackets" };
      open.push(closingCode(code));
    } else run.inString = code === quote;
    at++;
    if (open.length === 0) return { at, isEnded: true };
  }
  return { at, isEnded: false };
}

export function closingCode(code: number): number {
  return code === openMap ? closeMap : closeList;
}

/** What would end a value that the text breaks off in. */
export function closingOf({ kind, inString, open }: ValueRun): string {
  if (kind === "scalar") return "the rest of a value";
  return inString ? "the closing quote of a text" : `\`${String.fromCharCode(open.at(-1)!)}\``;
}

/** Behind the quote that ends the string, or the end of the chunk. */
function endOfString(chunk: string, from: number, run: ValueRun): number {
  let at = from;
  for (;;) {
    const end = chunk.indexOf('"', at);
    const isEscaped = isBehindBackslash(chunk, at, end < 0 ? chunk.length : end, run.escaped);
    run.escaped = false;
    if (end < 0) {
      run.escaped = isEscaped;
      return chunk.length;
    }
    at = end + 1;
    if (isEscaped) continue;
    run.inString = false;
    return at;
  }
}

/** Whether the character at `end` is escaped. `begun`: the one at `from` is. */
function isBehindBackslash(chunk: string, from: number, end: number, begun: boolean): boolean {
  let first = end;
  while (first > from && chunk.charAt(first - 1) === "\\") first--;
  // An escaped backslash at the beginning escapes nothing.
  return (end - first + (begun && first === from ? 1 : 0)) % 2 === 1;
}
