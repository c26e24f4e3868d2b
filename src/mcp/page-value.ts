import { isList, isObject, splitPath, type Json, type JsonObject, wholeCharacters } from "../base/index.ts";

/** Keys of objects and places in lists, from the root of a reply's data. */
export type Keys = readonly (string | number)[];

/** A value that is shown in part: the rest begins at `from`, counted in entries of a list, keys of an object, characters of a text. */
export interface Cut {
  readonly keys: Keys;
  readonly total: number;
  readonly from: number;
}

export interface Paged {
  readonly shown: Json;
  readonly cuts: readonly Cut[];
}

/** About what it costs to say that something is missing; what costs less is shown whole instead. */
export const recordChars = 200;
const leastMember = recordChars + 40;
/** Keys of a path beyond which a value is not followed; its rest begins at its first entry. */
const deepest = 60;

/**
 * The beginning of a value in about `room` characters of JSON: the first entries, keys or characters, nested values likewise, and what
 * is missing. Of a list only whole entries are shown, unless the first one is too large by itself; keys of an object share the room,
 * so that short ones stay whole. A value that is cheaper than the word that it is missing stays whole too, unless `room` is negative.
 */
export function pageValue(value: Json, room: number, { keys = [], from = 0 }: { keys?: Keys; from?: number } = {}): Paged {
  const most = room < 0 ? 0 : Math.max(room, recordChars);
  if (from === 0 && costOf(value, most) <= most) return { shown: value, cuts: [] };
  if (typeof value === "string") return pageText(value, Math.max(0, room), { keys, from });
  if (isList(value)) return pageList(value, room, { keys, from });
  if (isObject(value)) return pageObject(value, room, { keys, from });
  return { shown: value, cuts: [] };
}

interface PageStart {
  readonly keys: Keys;
  readonly from: number;
}

function pageText(text: string, room: number, { keys, from }: PageStart): Paged {
  let length = Math.min(room, text.length - from);
  for (;;) {
    const cost = JSON.stringify(text.slice(from, from + length)).length;
    if (cost <= room + 2) break;
    length = Math.min(length - 1, Math.floor((length * room) / cost));
  }
  const end = wholeCharacters(text, from + length);
  return { shown: text.slice(from, end), cuts: cutAt(keys, text.length, end) };
}

function pageList(list: readonly Json[], room: number, { keys, from }: PageStart): Paged {
  const shown: Json[] = [];
  for (let used = 2, at = from; at < list.length; at += 1) {
    const entry = list[at] ?? null;
    used += costOf(entry, room - used) + 1;
    if (used > room) break;
    shown.push(entry);
  }
  const first = list[from];
  const below = room - 2 - (list.length > from + 1 ? recordChars : 0);
  const follows = shown.length === 0 && first !== undefined && below > 0 && keys.length < deepest;
  const inner = follows ? pageValue(first, below, { keys: [...keys, from] }) : undefined;
  if (inner !== undefined) shown.push(inner.shown);
  return { shown, cuts: [...(inner?.cuts ?? []), ...cutAt(keys, list.length, from + shown.length)] };
}

/** The last entries that have room, whole. */
export function pageEnd(list: readonly Json[], room: number, keys: Keys): Paged {
  const paged = pageValue(list.toReversed(), room, { keys });
  const shown = isList(paged.shown) && paged.cuts.every((cut) => cut.keys.length === keys.length) ? paged.shown.toReversed() : [];
  return { shown, cuts: shown.length < list.length ? [{ keys, total: list.length, from: 0 }] : [] };
}

function pageObject(held: JsonObject, room: number, { keys, from }: PageStart): Paged {
  const members = Object.entries(held).slice(from);
  const taken = members.slice(0, keys.length < deepest ? membersIn(members, room) : 0);
  const keyCosts = taken.reduce((sum, [key]) => sum + keyCost(key), 2);
  const costs = taken.map(([, value]) => costOf(value, Math.max(0, room)));
  const rooms = shareRoom(costs, room - keyCosts);
  // One of the values that are cut, or the object itself, is named as missing in any case.
  const records = costs.filter((cost, at) => cost > (rooms[at] ?? 0)).length - (taken.length < members.length ? 0 : 1);
  const left = records > 0 ? shareRoom(costs, room - keyCosts - records * recordChars) : rooms;
  const cuts: Cut[] = [];
  const shown = taken.map(([key, value], at): [string, Json] => {
    const paged = pageValue(value, left[at] ?? 0, { keys: [...keys, key] });
    cuts.push(...paged.cuts);
    return [key, paged.shown];
  });
  return { shown: Object.fromEntries(shown), cuts: [...cuts, ...cutAt(keys, from + members.length, from + shown.length)] };
}

/** How many members have room at least for their beginning and for the word that they are cut; one, where there is room for anything. */
function membersIn(members: readonly (readonly [string, Json])[], room: number): number {
  let used = 2;
  let large = 0;
  for (const [at, [key, value]] of members.entries()) {
    const cost = costOf(value, leastMember);
    used += keyCost(key);
    if (cost < leastMember) used += cost;
    else {
      used += large === 0 ? 2 : leastMember;
      large += 1;
    }
    if (used > room) return at === 0 && room > recordChars ? 1 : at;
  }
  return members.length;
}

function keyCost(key: string): number {
  return JSON.stringify(key).length + 2;
}

/** Each gets what it costs, as far as an equal share allows; what small ones leave is shared by the others. */
export function shareRoom(costs: readonly number[], room: number): number[] {
  const shares = costs.map(() => 0);
  let left = Math.max(0, room);
  const ascending = costs.map((cost, at) => ({ cost, at })).toSorted((a, b) => a.cost - b.cost);
  for (const [done, { cost, at }] of ascending.entries()) {
    const share = Math.min(cost, Math.floor(left / (costs.length - done)));
    shares[at] = share;
    left -= share;
  }
  return shares;
}

function cutAt(keys: Keys, total: number, from: number): readonly Cut[] {
  return from < total ? [{ keys, total, from }] : [];
}

/** Characters of the value as JSON, counted no further than just over `most`. */
export function costOf(value: Json, most: number): number {
  if (typeof value === "string") return JSON.stringify(value.slice(0, Math.max(0, most) + 1)).length;
  if (isList(value)) {
    let sum = 2;
    for (const entry of value) {
      sum += costOf(entry, most - sum) + 1;
      if (sum > most) break;
    }
    return sum;
  }
  if (isObject(value)) {
    let sum = 2;
    for (const [key, held] of Object.entries(value)) {
      sum += keyCost(key) + costOf(held, most - sum);
      if (sum > most) break;
    }
    return sum;
  }
  return String(value).length;
}

/** Entries, keys or characters of a value; 1 for what has no parts. */
export function totalOf(value: Json): number {
  if (typeof value === "string" || isList(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 1;
}

/** `step.definition.updates[0].value`, below `base`; keys that are not plain are quoted in brackets. */
export function pathText(keys: Keys, base = ""): string {
  const parts = keys.map((key) => {
    if (typeof key === "number") return `[${key}]`;
    return /^[^.[\]"'\\\s]+$/.test(key) ? `.${key}` : `["${key.replace(/["\\]/g, "\\$&")}"]`;
  });
  return base === "" ? parts.join("").replace(/^\./, "") : `${base}${parts.join("")}`;
}

/** The inverse of `pathText`, places in lists as text; undefined for what is not a path. The empty path is the value itself. */
export function keysOf(path: string): readonly string[] | undefined {
  if (path === "") return [];
  return splitPath(path.startsWith("[") ? `data${path}` : `data.${path}`)?.slice(1);
}
