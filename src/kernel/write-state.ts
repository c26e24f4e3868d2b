import {
  canonicalJson,
  forbiddenKeys,
  formatPath,
  isList,
  isObject,
  readPath,
  splitPath,
  type Json,
  type JsonObject,
} from "../base/index.ts";
import type { DoBlock, WriteOperation } from "../program/index.ts";
import type { Update } from "./event.ts";
import type { LeafFrame, StoredWrite } from "./frame.ts";
import type { Decision, Scope } from "./run-state.ts";

type Written<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

/** Applies an update list in order, all or nothing. */
export function applyUpdates(scope: Scope, updates: readonly Update[]): Written<Scope> {
  let tiers = { raw: scope.raw, state: scope.state };
  for (const update of updates) {
    const written = writeInto(tiers[update.tier], update, 0);
    if (!written.ok) return written;
    tiers = { ...tiers, [update.tier]: written.value as JsonObject };
  }
  return { ok: true, value: { ...scope, ...tiers, version: scope.version + 1 } };
}

function writeInto(container: Json | undefined, update: Update, depth: number): Written<Json> {
  const { keys } = update;
  const key = keys[depth];
  if (key === undefined) return operate(container, update);
  if (forbiddenKeys.has(key)) return refuse(`\`${shown(update)}\` uses the reserved key \`${key}\`.`);
  if (isList(container)) {
    const index = /^\d+$/.test(key) ? Number(key) : Number.NaN;
    if (!(index <= container.length))
      return refuse(`\`${shown(update)}\`: \`${key}\` is not an index of the list there, which has ${container.length} entries.`);
    const inner = writeInto(container[index], update, depth + 1);
    return inner.ok ? { ok: true, value: [...container.slice(0, index), inner.value, ...container.slice(index + 1)] } : inner;
  }
  if (container !== undefined && !isObject(container)) {
    return refuse(
      `\`${shown(update)}\`: \`${formatPath(keys.slice(0, depth))}\` holds ${nameOf(container)}, so nothing can be written below it.`,
    );
  }
  const held = container !== undefined && Object.hasOwn(container, key) ? container[key] : undefined;
  const inner = writeInto(held, update, depth + 1);
  return inner.ok ? { ok: true, value: { ...container, [key]: inner.value } } : inner;
}

/** The full path, for messages. */
function shown(update: Update): string {
  return `${update.tier}.${formatPath(update.keys)}`;
}

function operate(held: Json | undefined, update: Update): Written<Json> {
  const { op, value } = update;
  switch (op) {
    case "set":
      return { ok: true, value };
    case "append":
      if (held !== undefined && held !== null && !isList(held))
        return refuse(`Cannot append to \`${shown(update)}\`: it holds ${nameOf(held)}, not a list.`);
      return { ok: true, value: [...(held ?? []), value] };
    case "merge":
      if (!isObject(value)) return refuse(`Cannot merge ${nameOf(value)} into \`${shown(update)}\`: only an object can be merged.`);
      if (held !== undefined && held !== null && !isObject(held))
        return refuse(`Cannot merge into \`${shown(update)}\`: it holds ${nameOf(held)}, not an object.`);
      for (const key of Object.keys(value))
        if (forbiddenKeys.has(key)) return refuse(`\`${shown(update)}\` uses the reserved key \`${key}\`.`);
      return { ok: true, value: { ...held, ...value } };
    case "increment":
    case "decrement":
    case "multiply": {
      const before = held ?? 0;
      if (typeof before !== "number") return refuse(`Cannot ${op} \`${shown(update)}\`: it holds ${nameOf(before)}, not a number.`);
      if (typeof value !== "number") return refuse(`Cannot ${op} \`${shown(update)}\` by ${nameOf(value)}: a number is needed.`);
      const after = op === "increment" ? before + value : op === "decrement" ? before - value : before * value;
      return Number.isFinite(after)
        ? { ok: true, value: after }
        : refuse(`Cannot ${op} \`${shown(update)}\`: the result is not a finite number.`);
    }
  }
}

function refuse(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}

function nameOf(value: Json): string {
  if (value === null) return "null";
  return isList(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Turns the keys of a full path (`raw`, `file_results`, `a.ts`) into the target of an update. */
export function targetOf(keys: readonly string[]): Written<Pick<Update, "tier" | "keys">> {
  const [tier, ...rest] = keys;
  const path = formatPath(keys);
  if (tier === "computed") return refuse(`\`${path}\` is computed and cannot be written. Write the raw fields it is derived from.`);
  if (tier !== "raw" && tier !== "state") return refuse(`\`${path}\` cannot be written: a path must start with \`raw.\` or \`state.\`.`);
  if (rest.length === 0) return refuse(`\`${path}\` names a whole tier: add the field, e.g. \`${tier}.name\`.`);
  const bad = rest.find((key) => key === "" || forbiddenKeys.has(key));
  if (bad !== undefined) return refuse(bad === "" ? `\`${path}\` has an empty segment.` : `\`${path}\` uses the reserved key \`${bad}\`.`);
  return { ok: true, value: { tier, keys: rest } };
}

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

function isSame(a: Json | undefined, b: Json | undefined): boolean {
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

/** Whether the write goes to what the other one sets as a whole. */
function isInside({ tier, keys }: Update, { tier: other, keys: around, op }: Update): boolean {
  return op === "set" && tier === other && around.every((key, at) => keys[at] === key);
}

function pathOf({ tier, keys }: Pick<Update, "tier" | "keys">): string {
  return formatPath([tier, ...keys]);
}

/** Those of the wanted writes that the holder of a step has not made. What it wrote otherwise stays where `isKept` says so. */
export function leftToWrite(scope: Scope, frame: LeafFrame, wanted: readonly Update[], isKept: (at: number) => boolean): Update[] {
  const withPaths = wanted.map((update) => ({ ...update, path: pathOf(update) }));
  const made = matchStored(withPaths, frame.stored ?? []);
  const left: Update[] = [];
  for (const [at, update] of wanted.entries()) {
    const match = made[at] ?? (frame.written?.includes(pathOf(update)) === true ? "other" : undefined);
    // What is written again takes with it what the holder wrote there afterwards.
    if (match === undefined || left.some((again) => isInside(update, again))) left.push(update);
    else if (match === "other" && !isKept(at)) left.push(...differing(scope, frame, update));
  }
  return left;
}

/**
 * What is left of a write that the holder made by itself. The result or answer that is given counts: it takes the place of what was set
 * or added to a number, and is one entry more of a list. Nothing is left where that is what the holder wrote.
 */
function differing(scope: Scope, frame: LeafFrame, update: Update): readonly Update[] {
  const { tier, keys, op, value } = update;
  const held = readPath(scope[tier], keys);
  if (op === "set") return isSame(held, value) ? [] : [update];
  if (op === "merge") return isObject(held) && isObject(value) && isSame({ ...held, ...value }, held) ? [] : [update];
  if (op === "append") return frame.stored === undefined && isList(held) && held.some((entry) => isSame(entry, value)) ? [] : [update];
  const made = (frame.stored ?? []).filter(({ path }) => path === pathOf(update));
  const undoable = frame.version === scope.version || made.every((each) => each.op === "increment" || each.op === "decrement");
  const again = made.length > 0 && undoable ? applyUpdates(withoutStored(scope, made), [update]) : undefined;
  const right = again?.ok === true ? readPath(again.value[tier], keys) : held;
  return right === undefined || isSame(right, held) ? [] : [{ tier, keys, op: "set", value: right }];
}

/** A record without one of its keys; the record itself when it has no such key. */
export function without<T>(record: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> {
  if (!Object.hasOwn(record, key)) return record;
  const rest: Record<string, T> = {};
  for (const held in record) if (held !== key) rest[held] = record[held] as T;
  return rest;
}
