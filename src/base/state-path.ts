import { isList, isObject, type Json } from "./json.ts";

/** Keys that would reach an object's prototype; refused wherever a path is written or read. */
export const forbiddenKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Splits a dotted path into keys. `["a.b"]` and `[0]` in brackets are one key each, so keys with dots survive a round trip
 * through `formatPath`. Returns undefined for empty text, empty segments and unclosed brackets.
 */
export function splitPath(text: string): string[] | undefined {
  const keys: string[] = [];
  let rest = text;
  while (rest !== "") {
    const part = /^\[(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|(\d+))\]/.exec(rest) ?? /^([^.[\]]+)/.exec(rest);
    if (!part || (part[0].startsWith("[") && keys.length === 0)) return undefined;
    const quoted = part[1] !== undefined && part[0].startsWith("[") ? part[1] : part[2];
    keys.push(quoted === undefined ? (part[3] ?? part[1] ?? "") : quoted.replace(/\\(.)/g, "$1"));
    rest = rest.slice(part[0].length);
    if (rest === "") break;
    if (rest.startsWith("[")) continue;
    if (!rest.startsWith(".") || rest.length === 1 || rest[1] === "[") return undefined;
    rest = rest.slice(1);
  }
  return keys.length > 0 ? keys : undefined;
}

/** The inverse of `splitPath`: plain keys with dots between them, others in brackets. */
export function formatPath(keys: readonly string[]): string {
  return keys.map((key, index) => (/^[^.[\]"'\\\s]+$/.test(key) ? (index === 0 ? key : `.${key}`) : `[${JSON.stringify(key)}]`)).join("");
}

/** Own value at a path, or undefined; never follows a prototype. */
export function readPath(value: Json | undefined, keys: readonly string[]): Json | undefined {
  let held: Json | undefined = value;
  for (const key of keys) {
    if (isList(held)) held = key === "length" ? held.length : /^\d+$/.test(key) ? held[Number(key)] : undefined;
    else if (isObject(held)) held = Object.hasOwn(held, key) ? held[key] : undefined;
    else if (typeof held === "string" && key === "length") held = held.length;
    else return undefined;
  }
  return held;
}

/** `lib/io.net.ts` becomes `lib_io_net_ts`: every character that a plain key cannot have becomes `_`. */
export function pathToKey(text: string): string {
  return text.replace(/[^A-Za-z0-9_$]/g, "_");
}
