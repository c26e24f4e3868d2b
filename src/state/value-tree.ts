import { isList, isObject, type Json } from "../base/index.ts";

const known = new WeakMap<object, boolean>();

/** Whether a text in a tree, or a key of it, holds a template. Remembered by identity: programs are looked through once. */
export function hasTemplates(value: Json): boolean {
  if (typeof value === "string") return value.includes("{{");
  if (typeof value !== "object" || value === null) return false;
  const held = known.get(value);
  if (held !== undefined) return held;
  const found = isList(value)
    ? value.some(hasTemplates)
    : isObject(value) && Object.entries(value).some(([key, entry]) => key.includes("{{") || hasTemplates(entry));
  known.set(value, found);
  return found;
}
