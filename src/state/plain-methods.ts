import { isList, isObject, own, type Json } from "../base/index.ts";

/** A value JavaScript has and JSON has not. */
export type Plain = Json | undefined;

type Primitive = string | number | boolean | null | undefined;

/** What an argument must be; `primitive` is everything but a list or an object. */
type Kind = "string" | "number" | "primitive" | "any";

interface Method<Receiver> {
  readonly takes: readonly Kind[];
  /** Arguments that may be left out, counted from the end. */
  readonly optional?: number;
  readonly call: (on: Receiver, ...given: never[]) => Plain;
}
type Methods<Receiver> = Readonly<Record<string, Method<Receiver>>>;

/** Thrown where only the interpreter can tell. */
export const unclear: Error = new Error("left to the interpreter");

export function refuse(): never {
  throw unclear;
}

/** Longer ones are left to the interpreter: it has a clock, and this thread has none. */
const longestText = 1 << 16;
const longestArgument = 1000;
const longestList = 10_000;

/** Case of other letters depends on the version of Unicode, which need not be the same in both engines. */
const ascii = /^[\u0000-\u007f]*$/;

const text: Methods<string> = {
  includes: { takes: ["string", "number"], optional: 1, call: (on, part: string, from?: number) => on.includes(part, from) },
  startsWith: { takes: ["string", "number"], optional: 1, call: (on, part: string, from?: number) => on.startsWith(part, from) },
  endsWith: { takes: ["string", "number"], optional: 1, call: (on, part: string, to?: number) => on.endsWith(part, to) },
  indexOf: { takes: ["string", "number"], optional: 1, call: (on, part: string, from?: number) => on.indexOf(part, from) },
  lastIndexOf: { takes: ["string"], call: (on, part: string) => on.lastIndexOf(part) },
  slice: { takes: ["number", "number"], optional: 2, call: (on, from?: number, to?: number) => on.slice(from, to) },
  substring: { takes: ["number", "number"], optional: 1, call: (on, from: number, to?: number) => on.substring(from, to) },
  at: { takes: ["number"], call: (on, index: number) => on.at(index) },
  charAt: { takes: ["number"], call: (on, index: number) => on.charAt(index) },
  trim: { takes: [], call: (on) => on.trim() },
  trimStart: { takes: [], call: (on) => on.trimStart() },
  trimEnd: { takes: [], call: (on) => on.trimEnd() },
  toLowerCase: { takes: [], call: (on) => (ascii.test(on) ? on.toLowerCase() : refuse()) },
  toUpperCase: { takes: [], call: (on) => (ascii.test(on) ? on.toUpperCase() : refuse()) },
  split: { takes: ["string"], call: (on, by: string) => on.split(by) },
};

const list: Methods<readonly Json[]> = {
  includes: { takes: ["primitive"], call: (on, entry: Json) => on.includes(entry) },
  indexOf: { takes: ["primitive"], call: (on, entry: Json) => on.indexOf(entry) },
  lastIndexOf: { takes: ["primitive"], call: (on, entry: Json) => on.lastIndexOf(entry) },
  slice: { takes: ["number", "number"], optional: 2, call: (on, from?: number, to?: number) => on.slice(from, to) },
  at: { takes: ["number"], call: (on, index: number) => on.at(index) },
  join: { takes: ["string"], optional: 1, call: joined },
};

const functions: Methods<undefined> = {
  String: { takes: ["primitive"], call: (_on, value: Primitive) => String(value) },
  Number: { takes: ["primitive"], call: (_on, value: Primitive) => Number(value) },
  Boolean: { takes: ["any"], call: (_on, value: Plain) => Boolean(value) },
  "Array.isArray": { takes: ["any"], call: (_on, value: Plain) => isList(value) },
  "Object.keys": { takes: ["any"], call: (_on, value: Plain) => keys(value) },
  "Number.isInteger": { takes: ["any"], call: (_on, value: Plain) => Number.isInteger(value) },
  "Number.isFinite": { takes: ["any"], call: (_on, value: Plain) => Number.isFinite(value) },
  "Math.abs": { takes: ["number"], call: (_on, value: number) => Math.abs(value) },
  "Math.ceil": { takes: ["number"], call: (_on, value: number) => Math.ceil(value) },
  "Math.floor": { takes: ["number"], call: (_on, value: number) => Math.floor(value) },
  "Math.round": { takes: ["number"], call: (_on, value: number) => Math.round(value) },
  "Math.trunc": { takes: ["number"], call: (_on, value: number) => Math.trunc(value) },
  "Math.max": { takes: ["number", "number"], call: (_on, a: number, b: number) => Math.max(a, b) },
  "Math.min": { takes: ["number", "number"], call: (_on, a: number, b: number) => Math.min(a, b) },
};

export function isPlainMethod(name: string): boolean {
  return Object.hasOwn(text, name) || Object.hasOwn(list, name);
}

export function isPlainFunction(name: string): boolean {
  return Object.hasOwn(functions, name);
}

/**
 * A method of a text or list that ends soon whatever it is given, changes nothing and calls nothing back: it means the same
 * here as in the interpreter. Refused where that is not so, because of what it is called on or with.
 */
export function callPlainMethod(on: Plain, name: string, given: readonly Plain[]): Plain {
  if (typeof on === "string" && on.length <= longestText) return called(text, name, on, given);
  return isList(on) && on.length <= longestList ? called(list, name, on, given) : refuse();
}

/** The same for a function that JavaScript itself has, by its full name. */
export function callPlainFunction(name: string, given: readonly Plain[]): Plain {
  return called(functions, name, undefined, given);
}

function called<Receiver>(methods: Methods<Receiver>, name: string, on: Receiver, given: readonly Plain[]): Plain {
  const { takes, optional = 0, call } = own(methods, name) ?? refuse();
  if (given.length > takes.length || given.length < takes.length - optional) return refuse();
  return given.every((value, index) => fits(value, takes[index]!)) ? call(on, ...(given as never[])) : refuse();
}

function fits(value: Plain, kind: Kind): boolean {
  if (typeof value === "string") return kind !== "number" && value.length <= longestArgument;
  return kind === "any" || (kind === "primitive" ? typeof value !== "object" || value === null : typeof value === kind);
}

/** Of primitives alone, since others are converted by what their prototype says. */
function joined(on: readonly Json[], by = ","): Plain {
  let length = by.length * on.length;
  for (const entry of on) {
    if (typeof entry === "object" && entry !== null) return refuse();
    length += typeof entry === "string" ? entry.length : 0;
  }
  return length > longestText ? refuse() : (on as readonly Primitive[]).join(by);
}

function keys(value: Plain): Plain {
  const found = isObject(value) ? Object.keys(value) : refuse();
  return found.length > longestList ? refuse() : found;
}
