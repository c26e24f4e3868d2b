import { parse, parseExpressionAt, type AnyNode, type Program as Script } from "acorn";
import { remembering } from "../base/index.ts";
import { children, freeReferences, type FreeReference } from "./free-names.ts";

export interface Analysis {
  readonly form: "expression" | "object" | "body" | "completion";
  /** Identifiers that must come from outside. */
  readonly names: readonly string[];
  /** Body of a function that returns the value. */
  readonly code: string;
  readonly text: string;
  readonly free: readonly FreeReference[];
  /** What turns `text` into `code`. */
  readonly edits: readonly Edit[];
}
interface AnalysisError {
  readonly error: { readonly message: string; readonly line: number; readonly column: number };
}

/** Replaces `start` to `end`; an insertion when they are equal. At one place insertions with a higher rank come first. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly rank?: number;
}

/** Whether a text can be read as a module of plain JavaScript. */
export function isModule(text: string): boolean {
  try {
    parse(text, { ecmaVersion: "latest", sourceType: "module", allowHashBang: true });
    return true;
  } catch {
    return false;
  }
}

/** Applies edits that do not overlap. Insertions at a place come before a replacement that begins there. */
export function editText(text: string, edits: readonly Edit[]): string {
  const sorted = edits.toSorted(
    (a, b) => a.start - b.start || Number(a.end > a.start) - Number(b.end > b.start) || (b.rank ?? 0) - (a.rank ?? 0),
  );
  let made = "";
  let at = 0;
  for (const edit of sorted) {
    made += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return made + text.slice(at);
}

/** Texts of which it is remembered what they mean. */
export const mostRemembered = 5000;

/** Understands JavaScript as authors write it: an expression, an object literal, a body with `return`, or statements that end in an expression. */
export const analyse: (js: string) => Analysis | AnalysisError = remembering(
  (js) => asExpression(js) ?? asStatements(js) ?? asTrailingObject(js) ?? syntaxError(js),
  mostRemembered,
);

const options = {
  ecmaVersion: 2023,
  sourceType: "script",
  allowReturnOutsideFunction: true,
  locations: true,
  preserveParens: true,
} as const;

/** What the function gives; undefined when it throws. */
export function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** The syntax tree of a text that is one expression from end to end, a semicolon behind it aside. */
export function parseExpression(js: string, from = 0): AnyNode | undefined {
  const node = attempt(() => parseExpressionAt(js, from, options));
  const rest = node && js.slice(node.end).replace(/\/\*[^]*?\*\/|\/\/.*/g, "");
  return rest !== undefined && /^\s*;?\s*$/.test(rest) ? node : undefined;
}

function parseScript(js: string): Script | undefined {
  return attempt(() => parse(js, options));
}

function made(form: Analysis["form"], text: string, roots: readonly AnyNode[], edits: readonly Edit[]): Analysis {
  const free = freeReferences(roots);
  return { form, text, free, edits, names: [...new Set(free.map(({ name }) => name))], code: editText(text, edits) };
}

function asExpression(js: string): Analysis | undefined {
  const node = parseExpression(js);
  return node && made(js.trimStart().startsWith("{") ? "object" : "expression", js, [node], returning(node));
}

function asStatements(js: string): Analysis | undefined {
  const script = parseScript(js);
  if (script === undefined) return undefined;
  if (script.body.some(returns)) return made("body", js, [script], []);
  const edits = script.body.slice(-1).flatMap(completing);
  return edits.length === 0 && script.body.at(-1)?.type !== "ThrowStatement" ? undefined : made("completion", js, [script], edits);
}

/** Statements followed by an object literal on lines of its own; as a statement it would be a block, or not parse at all. */
function asTrailingObject(js: string): Analysis | undefined {
  for (const { index } of [...js.matchAll(/^[ \t]*\{/gm)].reverse()) {
    const start = js.indexOf("{", index);
    const head = parseScript(js.slice(0, start));
    const tail = parseExpression(js, start);
    if (head !== undefined && tail !== undefined && head.body.length > 0) return made("completion", js, [head, tail], returning(tail));
  }
  return undefined;
}

function returning(expression: AnyNode): Edit[] {
  return [
    { start: expression.start, end: expression.start, text: "return (", rank: Number.POSITIVE_INFINITY },
    { start: expression.end, end: expression.end, text: "\n)" },
  ];
}

/** Edits that return what a statement gives, in every branch of it; none if it gives nothing. */
function completing(statement: AnyNode): Edit[] {
  if (statement.type === "ExpressionStatement") return returning(statement.expression);
  if (statement.type === "IfStatement")
    return [...branch(statement.consequent), ...(statement.alternate ? branch(statement.alternate) : [])];
  if (statement.type !== "TryStatement") return [];
  return [...branch(statement.block), ...(statement.handler ? branch(statement.handler.body) : [])];
}

function branch(statement: AnyNode): Edit[] {
  return statement.type === "BlockStatement" ? statement.body.slice(-1).flatMap(completing) : completing(statement);
}

/** Whether a `return` belongs to the text itself and not to a function inside it. */
function returns(node: AnyNode): boolean {
  if (node.type === "ReturnStatement") return true;
  return !/Function|Class/.test(node.type) && children(node).some(returns);
}

/** The complaint that reaches further into the text is the more useful one. */
function syntaxError(js: string): AnalysisError {
  if (js.trim() === "") return { error: { message: "There is no code", line: 1, column: 1 } };
  const complaints = [() => parseExpressionAt(js, 0, options), () => parse(js, options)].map((attempt) => {
    try {
      attempt();
      return { message: "This is not an expression, and nothing is returned", line: 1, column: 1, at: -1 };
    } catch (error) {
      const { message, loc, pos } = error as { message: string; loc?: { line: number; column: number }; pos?: number };
      return { message: message.replace(/ \(\d+:\d+\)$/, ""), line: loc?.line ?? 1, column: (loc?.column ?? 0) + 1, at: pos ?? 0 };
    }
  });
  const { message, line, column } = complaints.reduce((best, other) => (other.at > best.at ? other : best));
  return { error: { message, line, column } };
}

/** Where in the text a line and column are. */
export function offsetOf(text: string, { line, column }: Omit<AnalysisError["error"], "message">): number {
  const before = text.split("\n").slice(0, line - 1);
  return before.join("\n").length + (line > 1 ? 1 : 0) + column - 1;
}

/** One step of a plain path: a fixed key, or the value of another plain path (`results[item]`). */
export type PathKey = { readonly key: string } | { readonly path: PlainPath };

export interface PlainPath {
  readonly name: string;
  readonly keys: readonly (PathKey & { readonly optional: boolean })[];
}
