import type { CodeToken, LexedCode } from "./lex.ts";

/** Tokens `from` to `to`, the end exclusive. */
interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Routine extends Span {
  readonly name: string;
  readonly kind: "procedure" | "trigger";
  /** Names inside the attributes before it, in lower case. */
  readonly attributes: readonly string[];
}

/** What can be said about the parts of a piece of code without parsing it. */
export interface Structure {
  readonly routines: readonly Routine[];
  readonly loops: readonly Span[];
}

/** Every name, and `A.B` or `A::B` for names joined by one sign. Comments and texts do not count. */
export function constructsOf(tokens: readonly CodeToken[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [at, { kind, text }] of tokens.entries()) {
    if (kind !== "name") continue;
    found.add(text);
    const joint = tokens[at + 1]?.text ?? "";
    const next = tokens[at + 2];
    if (next?.kind === "name" && (joint === "." || joint === "::")) found.add(`${text}${joint}${next.text}`);
  }
  return found;
}

export function structureOf(code: LexedCode): Structure {
  const { tokens, language } = code;
  return language === "al" ? { routines: routinesOf(tokens), loops: alLoops(tokens) } : { routines: [], loops: bracedLoops(tokens) };
}

export function routineAt(structure: Structure, at: number): Routine | undefined {
  return structure.routines.find(({ from, to }) => from <= at && at < to);
}

export function isInLoop(structure: Structure, at: number): boolean {
  return structure.loops.some(({ from, to }) => from < at && at < to);
}

function routinesOf(tokens: readonly CodeToken[]): Routine[] {
  const heads: { at: number; start: number; attributes: string[] }[] = [];
  for (const [at, token] of tokens.entries()) {
    const isHead = token.kind === "name" && (token.key === "procedure" || token.key === "trigger") && tokens[at + 1]?.kind === "name";
    if (isHead && tokens[at - 1]?.text !== ".") heads.push({ at, ...attributesBefore(tokens, at) });
  }
  return heads.map(({ at, start, attributes }, index) => ({
    from: start,
    to: heads[index + 1]?.start ?? tokens.length,
    name: tokens[at + 1]!.text,
    kind: tokens[at]!.key === "trigger" ? "trigger" : "procedure",
    attributes,
  }));
}

/** Attributes are in brackets before `procedure`, perhaps with `local` or `internal` between. */
function attributesBefore(tokens: readonly CodeToken[], head: number): { start: number; attributes: string[] } {
  const attributes: string[] = [];
  let start = head;
  while (/^(?:local|internal|protected)$/.test(tokens[start - 1]?.key ?? "")) start -= 1;
  while (tokens[start - 1]?.text === "]") {
    let open = start - 1;
    while (open > 0 && tokens[open]!.text !== "[") open -= 1;
    for (const token of tokens.slice(open, start)) if (token.kind === "name") attributes.push(token.key);
    start = open;
  }
  return { start, attributes };
}

/** `repeat ... until`, and what follows `do`: up to the end of its block or statement. */
function alLoops(tokens: readonly CodeToken[]): Span[] {
  const loops: Span[] = [];
  const open: number[] = [];
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== "name") continue;
    if (token.key === "repeat") open.push(at);
    else if (token.key === "until" && open.length > 0) loops.push({ from: open.pop()!, to: at });
    else if (/^(?:for|foreach|while)$/.test(token.key)) {
      const begin = tokens.findIndex((next, place) => place > at && place < at + 60 && next.kind === "name" && next.key === "do");
      if (begin > 0) loops.push({ from: begin, to: endOfStatement(tokens, begin + 1) });
    }
  }
  return loops;
}

function endOfStatement(tokens: readonly CodeToken[], from: number): number {
  let depth = 0;
  for (let at = from; at < tokens.length; at++) {
    const { kind, key } = tokens[at]!;
    if (kind === "name" && (key === "begin" || key === "case" || key === "repeat")) depth += 1;
    else if (kind === "name" && (key === "end" || key === "until")) depth -= 1;
    if (depth < 0 || (depth === 0 && (key === ";" || (kind === "name" && key === "end")))) return at;
  }
  return tokens.length;
}

/** `for (...)` and `while (...)` with a block in braces. */
function bracedLoops(tokens: readonly CodeToken[]): Span[] {
  const loops: Span[] = [];
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== "name" || !/^(?:for|foreach|while)$/.test(token.key) || tokens[at + 1]?.text !== "(") continue;
    const body = closing(tokens, at + 1) + 1;
    if (tokens[body]?.text === "{") loops.push({ from: body, to: closing(tokens, body) });
  }
  return loops;
}

const pairs: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** Place of the bracket that closes the one at `open`; the end when none does. */
export function closing(tokens: readonly CodeToken[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    const { kind, text } = tokens[at]!;
    if (kind !== "sign") continue;
    if (text in pairs) depth += 1;
    else if ((text === ")" || text === "]" || text === "}") && --depth === 0) return at;
  }
  return tokens.length;
}

/** Arguments of the call whose bracket opens at `open`. */
export function argumentsAt(tokens: readonly CodeToken[], open: number): Span[] {
  const end = closing(tokens, open);
  const spans: Span[] = [];
  let from = open + 1;
  for (let at = open + 1; at < end; at++) {
    const { kind, text } = tokens[at]!;
    if (kind !== "sign") continue;
    if (text in pairs) at = closing(tokens, at);
    else if (text === ",") {
      spans.push({ from, to: at });
      from = at + 1;
    }
  }
  return end > open + 1 ? [...spans, { from, to: end }] : [];
}
