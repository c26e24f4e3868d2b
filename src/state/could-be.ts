import { isList, isObject, own, type Json } from "../base/index.ts";
import type { Expr, FilledExpr } from "../program/index.ts";
import { commandCouldBe, type OpenPart } from "./command-could-be.ts";
import { openPartsOf } from "./placeholders.ts";
import { hasTemplates, isHole, parseTemplate, soleHole } from "./template.ts";

/**
 * Whether an expression can have come to this value, whatever its holes hold: what its author wrote around them must be there, and in a command what
 * is in a hole must be quoted. Code can come to every value, and so can a command with raw values, or with values and a here-document.
 */
export function couldBe(expr: Expr, value: Json): boolean {
  switch (expr.as) {
    case "value":
      return treeCouldBe(expr.of, value);
    case "text":
      return typeof value === "string" && textCouldBe(partsOf(expr.of), value);
    case "command":
      return typeof value === "string" && shellCouldBe(partsOf(expr.of), value, isRaw(expr.of));
    case "filled":
      return typeof value === "string" && filledCouldBe(expr, value);
    case "path":
    case "condition":
    case "js":
      return true;
  }
}

function filledCouldBe({ of, with: given, quote }: FilledExpr, value: string): boolean {
  const parts = openPartsOf(of, Object.keys(given), quote === undefined);
  return quote === undefined ? textCouldBe(parts, value) : shellCouldBe(parts, value, false);
}

/** A here-document with values is written in another way than its author wrote it, and a raw value can begin one. */
function shellCouldBe(parts: readonly OpenPart[], value: string, raw: boolean): boolean {
  const isOpen = parts.length > 1 && (raw || parts.some((part) => typeof part === "string" && part.includes("<<")));
  return isOpen || commandCouldBe(parts, value);
}

function isRaw(text: string): boolean {
  return text.includes("{{") && parseTemplate(text).some((part) => isHole(part) && part.filters.some(({ name }) => name === "raw"));
}

function treeCouldBe(of: Json, value: Json): boolean {
  if (typeof of === "string" && hasTemplates(of))
    return soleHole(of) !== undefined || (typeof value === "string" && textCouldBe(partsOf(of), value));
  if (isList(of)) return isList(value) && of.length === value.length && of.every((entry, at) => treeCouldBe(entry, value[at]!));
  if (!isObject(of)) return of === value;
  if (!isObject(value)) return false;
  const names = Object.keys(of);
  if (names.some((name) => name.includes("{{"))) return true;
  const isThere = (name: string): boolean => {
    const held = own(value, name);
    return held !== undefined && treeCouldBe(of[name]!, held);
  };
  return names.length === Object.keys(value).length && names.every(isThere);
}

/** A template and its holes. */
function partsOf(text: string): readonly OpenPart[] {
  if (!text.includes("{{")) return [text];
  return parseTemplate(text).map((part) => (typeof part === "string" ? part : { text: part.text, stays: false }));
}

/** Whether a text begins with the first part, ends with the last, and has the others between them, in this order. */
function textCouldBe(parts: readonly OpenPart[], text: string): boolean {
  const fixed = [""];
  for (const part of parts) {
    if (typeof part === "string") fixed.push(`${fixed.pop() ?? ""}${part}`);
    else fixed.push("");
  }
  const [first = "", ...rest] = fixed;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}
