import { isList, isObject, type JsonObject } from "../../../base/index.ts";
import { absent, Damage, type Spot } from "./damage.ts";
import type { Part } from "./wanted.ts";

/** An object of the document, and where it is. `null` counts as absent everywhere: many tools write it. */
export interface Fields {
  readonly value: JsonObject;
  readonly at: Spot;
  /** From the part that was cut out to this object. */
  readonly path: string;
}

export function fieldsOf({ value, at }: Part): Fields {
  if (isObject(value)) return { value, at, path: "" };
  throw wrong({ value: {}, at, path: "" }, "", "an object", value);
}

export function textAt(fields: Fields, key: string): string | undefined {
  const value = valueAt(fields, key);
  if (value === undefined || typeof value === "string") return value;
  throw wrong(fields, `.${key}`, "a text", value);
}

/** undefined as well for a number that is not whole, or is below the least. */
export function wholeAt(fields: Fields, key: string, least: number): number | undefined {
  const value = valueAt(fields, key);
  if (value === undefined) return undefined;
  if (typeof value !== "number") throw wrong(fields, `.${key}`, "a number", value);
  return Number.isSafeInteger(value) && value >= least ? value : undefined;
}

export function objectAt(fields: Fields, key: string): Fields | undefined {
  const value = valueAt(fields, key);
  if (value === undefined) return undefined;
  if (isObject(value)) return { value, at: fields.at, path: `${fields.path}.${key}` };
  throw wrong(fields, `.${key}`, "an object", value);
}

export function textsAt(fields: Fields, key: string): readonly string[] {
  return itemsAt(fields, key).map((item, index) => {
    if (typeof item === "string") return item;
    throw wrong(fields, `.${key}[${index}]`, "a text", item);
  });
}

export function objectsAt(fields: Fields, key: string): readonly Fields[] {
  return itemsAt(fields, key).map((item, index) => {
    if (isObject(item)) return { value: item, at: fields.at, path: `${fields.path}.${key}[${index}]` };
    throw wrong(fields, `.${key}[${index}]`, "an object", item);
  });
}

/** The damage that a value of another kind is. */
export function wrong({ at, path }: Fields, key: string, expected: string, found: unknown): Damage {
  const shown = found === undefined ? absent : isObject(found) ? "{" : isList(found) ? "[" : JSON.stringify(found);
  return new Damage(expected, { ...at, path: `${at.path}${path}${key}` }, shown);
}

function itemsAt(fields: Fields, key: string): readonly unknown[] {
  const value = valueAt(fields, key);
  if (value === undefined) return [];
  if (isList(value)) return value;
  throw wrong(fields, `.${key}`, "a list", value);
}

function valueAt({ value }: Fields, key: string): unknown {
  return Object.hasOwn(value, key) ? (value[key] ?? undefined) : undefined;
}
