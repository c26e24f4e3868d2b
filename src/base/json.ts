/** Any value that JSON can carry. Readonly: shared freely between rooms, copied on write. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** Whether a value is of the type that a declaration names: a word of JSON, or `any`. */
export function hasType(value: Json, type: string): boolean {
  if (type === "array" || type === "object") return type === "array" ? isList(value) : isObject(value);
  return type === "any" || (typeof value === type && (type !== "number" || Number.isFinite(value)));
}

/** What a record holds under a key that came from outside: never something it inherits. */
export function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** The fields that have a value; the others are not there at all. */
export function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
export type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** A value as text: texts as they are, everything else as JSON. */
export function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

/** JSON where it is JSON, else the text itself. */
export function jsonOrText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** JSON text with keys in code-unit order at every level: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, held: unknown) => {
    if (!isObject(held)) return held;
    const sorted: Record<string, Json> = Object.create(null) as Record<string, Json>;
    for (const key of Object.keys(held).sort()) {
      const part = held[key];
      if (part !== undefined) sorted[key] = part;
    }
    return sorted;
  });
}

export function fieldOf(value: Json | undefined, name: string): string {
  const field = isObject(value) ? value[name] : undefined;
  return field === undefined ? "" : textOf(field);
}
