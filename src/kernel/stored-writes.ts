import { canonicalJson, formatPath, isList, isObject, readPath, splitPath, type Json, type JsonObject } from "../base/index.ts";
import type { DoBlock, WriteOperation } from "../program/index.ts";
import type { Update } from "./event.ts";
import type { StoredWrite } from "./frame.ts";
import type { Decision, Scope } from "./run-state.ts";
import { applyUpdates } from "./write-state.ts";

/** A write that a step asks for. Without `value` it is not known yet. */
export interface WantedWrite {
  readonly path: string;
  readonly op: WriteOperation;
  readonly value?: Json;
}

/** Those of the updates that go to the paths, with what they find there. */
export function storedBy(scope: Scope, updates: readonly Update[], paths: readonly string[]): readonly StoredWrite[] {
  const stored: StoredWrite[] = [];
  let held = scope;
  for (const update of updates) {
    const { tier, keys, op, value } = update;
    const path = formatPath([tier, ...keys]);
    if (paths.includes(path)) stored.push({ path, op, value, ...wasOf(readPath(held[tier], keys), update) });
    const written = applyUpdates(held, [update]);
    if (written.ok) held = written.value;
  }
  return stored;
}

function wasOf(held: Json | undefined, { op, value }: Update): Pick<StoredWrite, "was"> {
  if (held === undefined) return {};
  if (op === "append") return { was: isList(held) ? held.length : 0 };
  if (op === "merge" && isObject(held) && isObject(value))
    return { was: Object.fromEntries(Object.entries(held).filter(([key]) => Object.hasOwn(value, key))) };
  return { was: held };
}

/**
 * Which of the wanted writes were made: `same` with the same value, `other` with another one or in another way. Each that was made
 * counts for one that is wanted; a value that was set as a whole counts for all at its path.
 */
export function matchStored(wanted: readonly WantedWrite[], stored: readonly StoredWrite[]): readonly ("same" | "other" | undefined)[] {
  const found: ("same" | "other" | undefined)[] = wanted.map(() => undefined);
  const left = [...stored];
  const take = (how: "same" | "other", fits: (made: StoredWrite, write: WantedWrite) => boolean): void => {
    for (const [at, write] of wanted.entries()) {
      const made = found[at] === undefined ? left.findIndex((each) => each.path === write.path && fits(each, write)) : -1;
      if (made < 0) continue;
      found[at] = how;
      // One that was set as a whole stays, for the others at its path.
      if (left[made]?.op !== "set" || write.op === "set") left.splice(made, 1);
    }
  };
  take("same", (made, write) => made.op === write.op && write.value !== undefined && isSame(made.value, write.value));
  take("same", (made, write) => made.op === "set" && write.op === "append" && isEntry(made.value, write.value));
  take("other", (made, write) => made.op === write.op);
  take("other", () => true);
  return found;
}

function isEntry(list: Json, value: Json | undefined): boolean {
  return isList(list) && value !== undefined && list.some((entry) => isSame(entry, value));
}

export function isSame(a: Json | undefined, b: Json | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b));
}

/** The scope as it is without these writes. What others made of a value since stays as they made it. */
export function withoutStored(scope: Scope, stored: readonly StoredWrite[]): Scope {
  let { raw, state } = scope;
  for (const write of stored.toReversed()) {
    const [tier, ...keys] = splitPath(write.path) ?? [];
    const undo = (held: Json | undefined): Json | undefined => undone(held, write);
    if (tier === "raw") raw = changedAt(raw, keys, undo) as JsonObject;
    if (tier === "state") state = changedAt(state, keys, undo) as JsonObject;
  }
  return { ...scope, raw, state };
}

function changedAt(
  container: Json | undefined,
  [key, ...rest]: readonly string[],
  change: (held: Json | undefined) => Json | undefined,
): Json | undefined {
  if (key === undefined) return change(container);
  if (isList(container)) {
    const inner = changedAt(container[Number(key)], rest, change);
    return container.flatMap((entry, at) => (at !== Number(key) ? [entry] : inner === undefined ? [] : [inner]));
  }
  if (!isObject(container) || !Object.hasOwn(container, key)) return container;
  const { [key]: held, ...others } = container;
  const inner = changedAt(held, rest, change);
  return inner === undefined ? others : { ...container, [key]: inner };
}

function undone(held: Json | undefined, { op, value, was }: StoredWrite): Json | undefined {
  if (op === "set") return isSame(held, value) ? was : held;
  if (op === "append") return isList(held) ? withoutEntry(held, value, was) : held;
  if (op === "merge") return isObject(held) && isObject(value) ? withoutKeys(held, value, was) : held;
  if (typeof held !== "number" || typeof value !== "number") return held;
  const before = typeof was === "number" ? was : 0;
  const after = op === "increment" ? before + value : op === "decrement" ? before - value : before * value;
  if (held === after) return was;
  return op === "increment" ? held - value : op === "decrement" ? held + value : held;
}

function withoutEntry(list: readonly Json[], value: Json, was: Json | undefined): Json | undefined {
  const at = typeof was === "number" ? was : 0;
  const index = isSame(list[at], value) ? at : list.findLastIndex((entry) => isSame(entry, value));
  const rest = list.filter((_, entry) => entry !== index);
  return rest.length === 0 && was === undefined ? undefined : rest;
}

function withoutKeys(held: JsonObject, value: JsonObject, was: Json | undefined): Json | undefined {
  const before = isObject(was) ? was : {};
  const entries = Object.entries(held).flatMap(([key, now]): [string, Json][] => {
    if (!Object.hasOwn(value, key) || !isSame(now, value[key])) return [[key, now]];
    return Object.hasOwn(before, key) ? [[key, before[key] ?? null]] : [];
  });
  return entries.length === 0 && was === undefined ? undefined : Object.fromEntries(entries);
}

/**
 * Whether an answer can be taken from what is stored for a question. A rule is about the answer itself,
 * which cannot be seen in something that was made of it.
 */
export function storesAnswer(
  { pattern, options }: Pick<Decision, "pattern" | "options">,
  { writes: [first] }: Pick<DoBlock, "writes">,
): boolean {
  if (pattern === undefined && options === undefined) return true;
  if (first === undefined || first.transform !== undefined) return false;
  const { of } = first.value ?? { of: "{{ result }}" };
  return typeof of === "string" && /^\s*\{\{\s*result\s*\}\}\s*$/.test(of);
}
