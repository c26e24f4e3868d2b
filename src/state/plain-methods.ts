import { isList, isObject, type Json } from "../base/index.ts";

/** A value JavaScript has and JSON has not. */
export type Plain = Json | undefined;

type Primitive = string | number | boolean | null | undefined;

/** What an argument must be; `primitive` is everything but a list or an object. */
type Kind = "string" | "number" | "primitive" | "any";

interface Method<Receiver> {
  readonly takes: readonly Kind[];
  /** Arguments that may be left out, counted from the end. */
  readonly optional?: number;
  /** undefined: only the interpreter can tell. */
  readonly call: (on: Receiver, ...given: never[]) => { readonly value: Plain } | undefined;
}

/** Longer ones are left to the interpreter: it has a clock, and this thread has none. */
const longestText = 1 << 16;
const longestArgument = 1000;
const longestList = 10_000;

/** Case of other letters depends on the version of Unicode, which need not be the same in both engines. */
const ascii = /^[\u0000-\u007f]*$/;

const text: Readonly<Record<string, Method<string>>> = {
  includes: { takes: ["string", "number"], optional: 1, call: (on, part: string, from?: number) => is(on.includes(part, from)) },
  startsWith: { takes: ["string", "number"], optional: 1, call: (on, part: string, from?: number) => is(on.startsWith(part, from)) },
  endsWith: { takes: ["string", "number"], optional: 1, call: (on, part: string, to?: number) => is(on.endsWith(part, to)) },
  indexOf: { takes: ["string", "number"], optional: 1, call: (on, part: string, from?: number) => is(on.indexOf(part, from)) },
  lastIndexOf: { takes: ["string"], call: (on, part: string) => is(on.lastIndexOf(part)) },
  slice: { takes: ["number", "number"], optional: 2, call: (on, from?: number, to?: number) => is(on.slice(from, to)) },
  substring: { takes: ["number", "number"], optional: 1, call: (on, from: number, to?: number) => is(on.substring(from, to)) },
  at: { takes: ["number"], call: (on, index: number) => is(on.at(index)) },
  charAt: { takes: ["number"], call: (on, index: number) => is(on.charAt(index)) },
  trim: { takes: [], call: (on) => is(on.trim()) },
  trimStart: { takes: [], call: (on) => is(on.trimStart()) },
  trimEnd: { takes: [], call: (on) => is(on.trimEnd()) },
  toLowerCase: { takes: [], call: (on) => (ascii.test(on) ? is(on.toLowerCase()) : undefined) },
  toUpperCase: { takes: [], call: (on) => (ascii.test(on) ? is(on.toUpperCase()) : undefined) },
  split: { takes: ["string"], call: (on, by: string) => is(on.split(by)) },
};

const list: Readonly<Record<string, Method<readonly Json[]>>> = {
  includes: { takes: ["primitive"], call: (on, entry: Json) => is(on.includes(entry)) },
  indexOf: { takes: ["primitive"], call: (on, entry: Json) => is(on.indexOf(entry)) },
  lastIndexOf: { takes: ["primitive"], call: (on, entry: Json) => is(on.lastIndexOf(entry)) },
  slice: { takes: ["number", "number"], optional: 2, call: (on, from?: number, to?: number) => is(on.slice(from, to)) },
  at: { takes: ["number"], call: (on, index: number) => is(on.at(index)) },
  join: { takes: ["string"], optional: 1, call: joined },
};

const functions: Readonly<Record<string, Method<undefined>>> = {
  String: { takes: ["primitive"], call: (_on, value: Primitive) => is(String(value)) },
  Number: { takes: ["primitive"], call: (_on, value: Primitive) => is(Number(value)) },
  Boolean: { takes: ["any"], call: (_on, value: Plain) => is(Boolean(value)) },
  "Array.isArray": { takes: ["any"], call: (_on, value: Plain) => is(isList(value)) },
  "Object.keys": { takes: ["any"], call: (_on, value: Plain) => keys(value) },
  "Number.isInteger": { takes: ["any"], call: (_on, value: Plain) => is(Number.isInteger(value)) },
  "Number.isFinite": { takes: ["any"], call: (_on, value: Plain) => is(Number.isFinite(value)) },
  "Math.abs": { takes: ["number"], call: (_on, value: number) => is(Math.abs(value)) },
  "Math.ceil": { takes: ["number"], call: (_on, value: number) => is(Math.ceil(value)) },
  "Math.floor": { takes: ["number"], call: (_on, value: number) => is(Math.floor(value)) },
  "Math.round": { takes: ["number"], call: (_on, value: number) => is(Math.round(value)) },
  "Math.trunc": { takes: ["number"], call: (_on, value: number) => is(Math.trunc(value)) },
  "Math.max": { takes: ["number", "number"], call: (_on, a: number, b: number) => is(Math.max(a, b)) },
  "Math.min": { takes: ["number", "number"], call: (_on, a: number, b: number) => is(Math.min(a, b)) },
};

export function isPlainMethod(name: string): boolean {
  return Object.hasOwn(text, name) || Object.hasOwn(list, name);
}

export function isPlainFunction(name: string): boolean {
  return Object.hasOwn(functions, name);
}

/**
 * A method of a text or list that ends soon whatever it is given, changes nothing and calls nothing back: it means the same
 * here as in the interpreter. undefined: only the interpreter can tell, because of what it is called on or with.
 */
export function callPlainMethod(on: Plain, name: string, given: readonly Plain[]): { readonly value: Plain } | undefined {
  if (typeof on === "string") return on.length > longestText ? undefined : called(text, name, on, given);
  return isList(on) && on.length <= longestList ? called(list, name, on, given) : undefined;
}

/** The same for a function that JavaScript itself has, by its full name. */
export function callPlainFunction(name: string, given: readonly Plain[]): { readonly value: Plain } | undefined {
  return called(functions, name, undefined, given);
}

function called<Receiver>(
  methods: Readonly<Record<string, Method<Receiver>>>,
  name: string,
  on: Receiver,
  given: readonly Plain[],
): { readonly value: Plain } | undefined {
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (method === undefined || given.length > method.takes.length) return undefined;
  if (given.length < method.takes.length - (method.optional ?? 0)) return undefined;
  return given.every((value, index) => fits(value, method.takes[index]!)) ? method.call(on, ...(given as never[])) : undefined;
}

function fits(value: Plain, kind: Kind): boolean {
  if (typeof value === "string") return kind !== "number" && value.length <= longestArgument;
  return kind === "any" || (kind === "primitive" ? typeof value !== "object" || value === null : typeof value === kind);
}

function is(value: Plain): { readonly value: Plain } {
  return { value };
}

/** Of primitives alone, since others are converted by what their prototype says. */
function joined(on: readonly Json[], by = ","): { readonly value: Plain } | undefined {
  const entries: Primitive[] = [];
  let length = by.length * on.length;
  for (const entry of on) {
    if (typeof entry === "object" && entry !== null) return undefined;
    entries.push(entry);
    length += typeof entry === "string" ? entry.length : 0;
  }
  return length > longestText ? undefined : { value: entries.join(by) };
}

function keys(value: Plain): { readonly value: Plain } | undefined {
  const found = isObject(value) ? Object.keys(value) : undefined;
  return found === undefined || found.length > longestList ? undefined : { value: found };
}
