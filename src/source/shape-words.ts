import * as z from "zod";
import { isList, isObject, type Json } from "../base/index.ts";
import { descend, type SourceNode } from "./source-node.ts";

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
export function inWords(expected: string): string {
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
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

export function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
