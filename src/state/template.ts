import type { AnyNode } from "acorn";
import { forbiddenKeys, isList, isObject, nearest, pathToKey, remembering, textOf, type Json } from "../base/index.ts";
import { analyse, mostRemembered, offsetOf, parseExpression, type Analysis, type PathKey, type PlainPath } from "./analyse.ts";
import { Unusable, isEngineCall } from "./run-script.ts";
import { shellWords } from "./shell-words.ts";

export type HoleValue =
  | { readonly kind: "path"; readonly path: PlainPath }
  | { readonly kind: "literal"; readonly value: Json }
  | { readonly kind: "function"; readonly name: "now" | "uuid" }
  | { readonly kind: "js"; readonly analysis: Analysis };

interface Written {
  /** As written, braces included. */
  readonly text: string;
  readonly source: string;
  /** Where it is in the whole text; of a bad one, where the problem is. */
  readonly offset: number;
}
export interface Hole extends Written {
  readonly value: HoleValue;
  readonly filters: readonly { readonly name: string; readonly args: readonly HoleValue[] }[];
}
interface BadHole extends Written {
  readonly problem: string;
}
export type TemplatePart = string | Hole | BadHole;

type Filter = (value: Json, args: readonly Json[]) => Json;

const filters: Readonly<Record<string, Filter>> = {
  path_to_key: (value) => pathToKey(textOf(value)),
  raw: (value) => value,
  q: (value) => shellWords(value),
  json: (value) => JSON.stringify(value),
  upper: (value) => textOf(value).toUpperCase(),
  lower: (value) => textOf(value).toLowerCase(),
  trim: (value) => textOf(value).trim(),
  length: (value) => (isList(value) || typeof value === "string" ? value.length : isObject(value) ? Object.keys(value).length : 0),
  join: (value, [separator]) => (isList(value) ? value.map(textOf).join(typeof separator === "string" ? separator : ", ") : textOf(value)),
  default: (value, [other]) => (value === null || value === "" ? (other ?? null) : value),
};

const filterNames: ReadonlySet<string> = new Set(Object.keys(filters));

export function applyFilter(name: string, value: Json, args: readonly Json[]): Json {
  return filters[name]?.(value, args) ?? null;
}

/** Splits a text into literal parts and holes; `}}` inside strings and objects of a hole does not end it. */
export const parseTemplate: (text: string) => readonly TemplatePart[] = remembering((text) => {
  const parts: TemplatePart[] = [];
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf("{{", at);
    if (open < 0) break;
    if (open > at) parts.push(text.slice(at, open));
    const hole = readHole(text, open);
    const never = { text: text.slice(open), source: text.slice(open + 2), offset: open, problem: "`{{` is never closed by `}}`." };
    parts.push(hole ?? never);
    at = open + (hole ?? never).text.length;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}, mostRemembered);

/** The shortest hole whose content makes sense; else the shortest one at all, with its complaint. */
function readHole(text: string, open: number): Hole | BadHole | undefined {
  let first: BadHole | undefined;
  let close = text.indexOf("}}", open + 2);
  for (let tries = 0; close >= 0 && tries < 12; tries++, close = text.indexOf("}}", close + 1)) {
    const made = makeHole(text.slice(open + 2, close), text.slice(open, close + 2), open);
    if (!("problem" in made)) return made;
    first ??= made;
  }
  return first;
}

function makeHole(source: string, text: string, offset: number): Hole | BadHole {
  const trimmed = source.trim();
  const start = offset + 2 + source.length - source.trimStart().length;
  const bad = (problem: string, at = 0): BadHole => ({ text, source, offset: start + at, problem });
  if (trimmed === "") return { ...bad("A `{{ }}` is empty."), offset };
  const peeled = peel(trimmed);
  if ("problem" in peeled) return bad(peeled.problem, peeled.at);
  const value = valueOf(peeled.value);
  if (value === undefined) {
    const analysed = analyse(peeled.value);
    if (!("error" in analysed)) return bad("Only an expression is allowed here, not statements.");
    return bad(`${analysed.error.message}.`, offsetOf(trimmed, analysed.error));
  }
  return { text, source: trimmed, offset, filters: peeled.filters, value };
}

type Peeled = { readonly value: string; readonly filters: Hole["filters"] } | { readonly problem: string; readonly at: number };

/**
 * Takes filters off the end of a hole, the last one first. `x | upper` reads as bitwise or, also behind `||` and `? :`; with a
 * word on its right it is a filter, and a bitwise or with a name needs parentheses.
 */
function peel(source: string): Peeled {
  const filters: { name: string; args: HoleValue[] }[] = [];
  let value = source;
  for (let bar = lastBar(treeOf(value)); bar !== undefined; bar = lastBar(treeOf(value))) {
    const call = bar.right.type === "CallExpression" ? bar.right : undefined;
    const callee = call === undefined ? bar.right : call.callee;
    if (callee.type !== "Identifier") break;
    const name = value.slice(callee.start, callee.end);
    if (!filterNames.has(name)) return { problem: `There is no filter \`${name}\`.${hint(name)}`, at: callee.start };
    const args = (call?.arguments ?? []).map((argument) => valueOf(value.slice(argument.start, argument.end)));
    if (args.includes(undefined) || args.length > (name === "join" || name === "default" ? 1 : 0))
      return { problem: `The filter \`${name}\` does not take these arguments.`, at: callee.start };
    filters.unshift({ name, args: args as HoleValue[] });
    value = value.slice(0, value.lastIndexOf("|", bar.right.start)).trimEnd();
  }
  return { value, filters };
}

function hint(name: string): string {
  const [near] = nearest(name, filterNames, 1);
  return near === undefined ? ` Filters are ${[...filterNames].join(", ")}.` : ` Did you mean \`${near}\`?`;
}

/** `default` is a word of JavaScript, so its place in the tree is taken by another word of the same length. */
function treeOf(source: string): AnyNode | undefined {
  return parseExpression(source) ?? parseExpression(source.replaceAll(/(\|\s*)default\b/g, "$1_deflt_"));
}

/** The `a | b` whose `b` ends the expression. */
function lastBar(node: AnyNode | undefined): Extract<AnyNode, { type: "BinaryExpression" }> | undefined {
  if (node?.type === "BinaryExpression" && node.operator === "|" && /^(?:Identifier|CallExpression)$/.test(node.right.type)) return node;
  if (node?.type === "BinaryExpression" || node?.type === "LogicalExpression" || node?.type === "AssignmentExpression")
    return lastBar(node.right);
  if (node?.type === "ConditionalExpression") return lastBar(node.alternate);
  return node?.type === "ArrowFunctionExpression" ? lastBar(node.body) : undefined;
}

/** What an expression comes down to; undefined when the text is none. */
function valueOf(source: string): HoleValue | undefined {
  const node = parseExpression(source);
  if (node === undefined) return undefined;
  const literal = literalOf(node);
  if (literal !== undefined) return { kind: "literal", value: literal };
  const path = plainPath(node);
  if (path !== undefined) return { kind: "path", path };
  const call = bare(node);
  if (
    call.type === "CallExpression" &&
    call.arguments.length === 0 &&
    call.callee.type === "Identifier" &&
    (call.callee.name === "now" || call.callee.name === "uuid")
  )
    return { kind: "function", name: call.callee.name };
  const analysis = analyse(source);
  return "error" in analysis ? undefined : { kind: "js", analysis };
}

function bare(node: AnyNode): AnyNode {
  return node.type === "ParenthesizedExpression" ? bare(node.expression) : node;
}

function literalOf(given: AnyNode): Json | undefined {
  const node = bare(given);
  if (node.type === "Literal" && !("regex" in node) && typeof node.value !== "bigint") return node.value as Json;
  if (node.type === "UnaryExpression" && node.operator === "-") {
    const inner = literalOf(node.argument);
    return typeof inner === "number" ? -inner : undefined;
  }
  return undefined;
}

/** Names and property reads alone, which need no interpreter. */
function plainPath(given: AnyNode): PlainPath | undefined {
  const node = bare(given);
  if (node.type === "ChainExpression") return plainPath(node.expression);
  if (node.type === "Identifier") return /^(?:undefined|NaN|Infinity)$/.test(node.name) ? undefined : { name: node.name, keys: [] };
  if (node.type !== "MemberExpression") return undefined;
  const base = plainPath(node.object);
  const key = keyOf(node);
  return base && key && { name: base.name, keys: [...base.keys, { ...key, optional: node.optional }] };
}

/** Names that mean something on the prototype are left to the interpreter. */
function keyOf({ computed, property }: Extract<AnyNode, { type: "MemberExpression" }>): PathKey | undefined {
  if (!computed) return property.type === "Identifier" && !forbiddenKeys.has(property.name) ? { key: property.name } : undefined;
  const literal = literalOf(property);
  if (typeof literal === "string" || typeof literal === "number") return { key: String(literal) };
  const path = plainPath(property);
  return path && { path };
}

export function isHole(part: TemplatePart): part is Hole {
  return typeof part !== "string" && !("problem" in part);
}

export function isBad(part: TemplatePart): part is BadHole {
  return typeof part !== "string" && "problem" in part;
}

/** The only hole of a text that is nothing else. */
export function soleHole(text: string): Hole | undefined {
  const [only, further] = parseTemplate(text).filter((part) => typeof part !== "string" || part.trim() !== "");
  return only !== undefined && further === undefined && isHole(only) ? only : undefined;
}

/** Names that a hole reads, its filters included. */
export function holeNames({ value, filters }: Hole): readonly string[] {
  return [value, ...filters.flatMap(({ args }) => args)].flatMap((each) => {
    if (each.kind === "path") return pathNames(each.path);
    return each.kind === "js" ? scriptNames(each.analysis) : [];
  });
}

/** Names that a piece of code reads; the engine's own functions are none. */
export function scriptNames({ free }: Analysis): string[] {
  return [...new Set(free.filter((reference) => !isEngineCall(reference)).map(({ name }) => name))];
}

function pathNames(path: PlainPath): string[] {
  return [path.name, ...path.keys.flatMap((key) => ("path" in key ? pathNames(key.path) : []))];
}

const templated = new WeakMap<object, boolean>();

/** Whether a text in a tree, or a key of it, holds a template. Remembered by identity: programs are looked through once. */
export function hasTemplates(value: Json): boolean {
  if (typeof value === "string") return value.includes("{{");
  if (typeof value !== "object" || value === null) return false;
  const held = templated.get(value);
  if (held !== undefined) return held;
  const found = isList(value)
    ? value.some(hasTemplates)
    : isObject(value) && Object.entries(value).some(([key, entry]) => key.includes("{{") || hasTemplates(entry));
  templated.set(value, found);
  return found;
}

/** Bare JavaScript as it is, also where braces in it look like a template; else with the holes as what they hold. */
export function scriptOf(text: string): string {
  if (!text.includes("{{") || !("error" in analyse(text))) return text;
  const bad = parseTemplate(text).find(isBad);
  if (bad !== undefined) throw new Unusable("EXPRESSION_SYNTAX", `\`${bad.text}\`: ${bad.problem}`);
  return bareScript(text);
}

export function bareScript(text: string): string {
  return parseTemplate(text)
    .map((part) => (typeof part === "string" ? part : `(${part.source})`))
    .join("");
}
