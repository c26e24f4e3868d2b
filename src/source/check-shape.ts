import * as z from "zod";
import { isList, isObject, nearest, type Json, shorten } from "../base/index.ts";
import { quoteList, type Complain } from "./complaint.ts";
import { child, descend, formatDocumentPath, has, type DocumentPath, type SourceNode } from "./source-node.ts";

export type ShapeIssue = z.core.$ZodIssue;

/** A shape, and how a dialect speaks about what does not fit it. */
export interface ShapeRules {
  readonly shape: z.ZodType;
  readonly codes: {
    readonly unknownKey: string;
    readonly missingKey: string;
    readonly wrongType: string;
    readonly badValue: string;
    /** Of a word that is not one of those allowed at a key. */
    readonly unknownWord: (key: PropertyKey | undefined, allowed: readonly string[]) => string;
  };
  /** What is at a path, with an article; undefined: the path says it. */
  readonly nameAt: (path: Where, root: SourceNode) => string | undefined;
  /** Keys that are allowed at a path; undefined: those of the shape. */
  readonly keysAt?: (path: Where, root: SourceNode) => readonly string[] | undefined;
  /** What to do about keys that people bring from elsewhere. */
  readonly foreignKeys?: Readonly<Record<string, string>>;
  /** Whether a key is accepted although the shape does not have it. */
  readonly accepts?: (node: SourceNode, path: Where, key: string) => boolean;
  /** What one of several words is called beside other forms. */
  readonly oneWord?: string;
  /** Explains an issue that the general words do not fit; answers whether it did. */
  readonly special?: (issue: ShapeIssue, path: Where, checking: ShapeCheck) => boolean;
}

export interface ShapeCheck {
  readonly root: SourceNode;
  readonly complain: Complain;
  readonly explain: (issue: ShapeIssue, path: Where) => void;
}

/** Compares a document with a shape. Reports every difference, with a place and a way out. */
export function checkShape(rules: ShapeRules, root: SourceNode, complain: Complain): void {
  const check: Checking = { rules, root, complain, explain: (issue, path) => explain(check, issue, path) };
  for (const issue of rules.shape.safeParse(root.value).error?.issues ?? []) explain(check, issue, issue.path);
}

interface Checking extends ShapeCheck {
  readonly rules: ShapeRules;
}

function explain(check: Checking, issue: ShapeIssue, path: Where): void {
  const { rules, root, complain } = check;
  if (rules.special?.(issue, path, check) === true) return;
  if (issue.code !== "unrecognized_keys" && isMissing(root, path)) return explainMissing(check, path);
  switch (issue.code) {
    case "unrecognized_keys":
      for (const key of issue.keys) explainUnknownKey(check, path, key);
      return;
    case "invalid_union":
      return explainUnion(check, issue, path);
    case "invalid_type":
      return complainOfType(check, inWords(issue.expected), path);
    case "invalid_value":
      return explainValue(check, issue.values.map(String), path);
    case "too_small":
    case "too_big":
      return explainSize(check, issue, path);
    default:
      return complain(nearestNode(root, path), {
        code: rules.codes.badValue,
        message: `${quotedPath(root, path)} cannot be used: ${issue.message}.`,
        fix: "Correct the value.",
      });
  }
}

/** Whether the path ends in a key that its map does not have: every kind of issue can mean that. */
export function isMissing(root: SourceNode, path: Where): boolean {
  const key = path.at(-1);
  const owner = descend(root, path.slice(0, -1) as DocumentPath);
  return typeof key === "string" && owner !== undefined && isObject(owner.value) && !has(owner, key);
}

function explainMissing({ rules, root, complain }: Checking, path: Where): void {
  const key = String(path.at(-1));
  const above = path.slice(0, -1);
  const message = `${capital(nameOf(rules, root, above))} needs \`${key}\`.`;
  complain(nearestNode(root, above), { code: rules.codes.missingKey, message, fix: `Add \`${key}:\`.` });
}

function explainUnknownKey({ rules, root, complain }: Checking, path: Where, key: string): void {
  const owner = nearestNode(root, path);
  const node = child(owner, key) ?? owner;
  if (rules.accepts?.(node, path, key) === true) return;
  const known = rules.keysAt?.(path, root) ?? keysOfShape(rules.shape, path, root.value);
  const message = `\`${key}\` is not a key of ${nameOf(rules, root, path)}.`;
  complain(node, { code: rules.codes.unknownKey, message, fix: fixForKey(rules, node, key, known), at: "key" });
}

function fixForKey({ foreignKeys }: ShapeRules, node: SourceNode, key: string, known: readonly string[]): string {
  if (key === "<<") return "Merge keys are not part of YAML 1.2; write the keys out, or use an alias for the whole value.";
  // `{ goal: Fix it, then test it }` is two keys.
  if (node.value === null && key.includes(" ")) return "A comma ends a value between `{` and `}`: put the whole text in quotes.";
  const close = nearest(key, known);
  if (close.length > 0) return `Did you mean ${quoteList(close, "or")}?`;
  return foreignKeys?.[key] ?? `Allowed here: ${quoteList(known, "and")}.`;
}

/** A value that fits none of several forms: the form it comes closest to is explained. */
function explainUnion(check: Checking, issue: Extract<ShapeIssue, { code: "invalid_union" }>, path: Where): void {
  const misfit = (error: ShapeIssue): boolean =>
    error.path.length === 0 && (error.code === "invalid_type" || error.code === "invalid_value");
  const best = issue.errors.filter((errors) => !errors.some(misfit)).sort((a, b) => a.length - b.length)[0];
  if (best !== undefined) {
    for (const error of best) explain(check, error, [...path, ...error.path]);
    return;
  }
  const flat = issue.errors.flat();
  const words = flat.flatMap((error) => (error.code === "invalid_value" ? error.values.map(String) : []));
  if (words.length > 0 && typeof nearestNode(check.root, path).value === "string") return explainValue(check, words, path);
  const { oneWord = "one of the known words" } = check.rules;
  const forms = flat.flatMap((error) =>
    error.code === "invalid_type" ? [inWords(error.expected)] : error.code === "invalid_value" ? [oneWord] : [],
  );
  complainOfType(check, [...new Set(forms)].filter((form) => form !== "a null").join(" or "), path);
}

function complainOfType({ rules, root, complain }: Checking, expected: string, path: Where): void {
  const node = nearestNode(root, path);
  const scalar = typeof node.value === "number" || typeof node.value === "boolean";
  const fix =
    /^a text( or a map)?$/.test(expected) && scalar
      ? `Put quotes around it: \`"${written(node)}"\`.`
      : node.value === null
        ? `Give it a value: ${expected}.`
        : `Write ${expected}.`;
  const message = `${quotedPath(root, path)} must be ${expected}, but is ${scalar ? `\`${written(node)}\`` : kindOf(node.value)}.`;
  complain(node, { code: rules.codes.wrongType, message, fix });
}

/** A number or a flag as its file has it: `1.0` is not `1`. */
function written({ file, path, value }: SourceNode): string {
  const { line, column, endColumn } = file.placeOf(path, "value");
  const text = file.source.text.split(/\r?\n/)[line - 1]?.slice(column - 1, endColumn === undefined ? 0 : endColumn - 1) ?? "";
  return Number(text) === value ? text : JSON.stringify(value);
}

function explainValue({ rules, root, complain }: Checking, allowed: readonly string[], path: Where): void {
  const node = nearestNode(root, path);
  const word = shown(node.value);
  const close = typeof node.value === "string" ? nearest(word, allowed) : [];
  complain(node, {
    code: rules.codes.unknownWord(path.at(-1), allowed),
    message: `${quotedPath(root, path)} is \`${word}\`, which is not ${allowed.length === 1 ? "" : "one of "}${quoteList(allowed, "and")}.`,
    fix: close.length > 0 ? `Did you mean ${quoteList(close, "or")}?` : `Use ${quoteList(allowed, "or")}.`,
  });
}

function explainSize(
  { rules, root, complain }: Checking,
  issue: Extract<ShapeIssue, { code: "too_small" | "too_big" }>,
  path: Where,
): void {
  const node = nearestNode(root, path);
  const code = rules.codes.badValue;
  if (issue.origin === "array" || issue.origin === "string") {
    const list = issue.origin === "array";
    const message = `${quotedPath(root, path)} is an empty ${list ? "list" : "text"}.`;
    return complain(node, { code, message, fix: list ? "Give it at least one entry." : "Give it some text." });
  }
  const least = issue.code === "too_small" && issue.inclusive === false ? "more than" : "at least";
  const bound = issue.code === "too_small" ? `${least} ${String(issue.minimum)}` : `at most ${String(issue.maximum)}`;
  complain(node, { code, message: `${quotedPath(root, path)} is ${shown(node.value)}, but must be ${bound}.`, fix: `Use ${bound}.` });
}

function nameOf(rules: ShapeRules, root: SourceNode, path: Where): string {
  return rules.nameAt(path, root) ?? quotedPath(root, path);
}

function quotedPath(root: SourceNode, path: Where): string {
  return `\`${formatDocumentPath([...root.path, ...(path as DocumentPath)])}\``;
}

export type Where = readonly PropertyKey[];

/** Keys the shape allows at a path: follows records, lists and the map among several forms. */
export function keysOfShape(shape: z.ZodType, path: Where, value: Json): string[] {
  const type = unwrap(shape, value);
  const [key, ...rest] = path;
  if (key === undefined) return type instanceof z.ZodObject ? Object.keys(type.shape) : [];
  const inner = isObject(value) ? (value[String(key)] ?? null) : isList(value) ? (value[Number(key)] ?? null) : null;
  if (type instanceof z.ZodObject) return keysOfShape((type.shape as Record<string, z.ZodType>)[String(key)] ?? z.unknown(), rest, inner);
  if (type instanceof z.ZodRecord) return keysOfShape(type.valueType as z.ZodType, rest, inner);
  if (type instanceof z.ZodArray) return keysOfShape(type.element as z.ZodType, rest, inner);
  return [];
}

function unwrap(shape: z.ZodType, value: Json): z.ZodType {
  if (shape instanceof z.ZodOptional) return unwrap(shape.unwrap() as z.ZodType, value);
  if (shape instanceof z.ZodDiscriminatedUnion) {
    const wanted = isObject(value) ? value["type"] : undefined;
    const option = shape.options.find(
      (each) => each instanceof z.ZodObject && (each.shape as Record<string, z.ZodType>)["type"]?.safeParse(wanted).success,
    );
    return option === undefined ? z.unknown() : (option as z.ZodType);
  }
  if (shape instanceof z.ZodUnion) {
    const fits = (each: z.ZodType): boolean => (isList(value) ? each instanceof z.ZodArray : each instanceof z.ZodObject);
    return (shape.options as z.ZodType[]).find(fits) ?? shape;
  }
  return shape;
}

/** The node at a path, or the nearest one above it that exists. */
export function nearestNode(root: SourceNode, path: Where): SourceNode {
  for (let length = path.length; length > 0; length--) {
    const node = descend(root, path.slice(0, length) as (string | number)[]);
    if (node !== undefined) return node;
  }
  return root;
}

const words: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "a map",
  record: "a map",
  array: "a list",
};

/** What a shape expects, for a sentence. */
function inWords(expected: string): string {
  return words[expected] ?? `a ${expected}`;
}

export function kindOf(value: Json): string {
  if (value === null) return "empty";
  if (isList(value)) return "a list";
  if (isObject(value)) return "a map";
  return typeof value === "string" ? "a text" : `\`${String(value)}\``;
}

/** A value as it is shown in a message, cut when it is long. */
export function shown(value: Json): string {
  return shorten(typeof value === "string" ? value : JSON.stringify(value), 60);
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
