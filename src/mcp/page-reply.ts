import { createHash } from "node:crypto";
import { isList, isObject, readPath, type Json, type JsonObject } from "../base/index.ts";
import { callText, followingData, followingText } from "../views/index.ts";
import { noPart, partChanged } from "./codes.ts";
import { costOf, keysOf, pageValue, pathText, shareRoom, totalOf, type Cut, type Keys } from "./page-value.ts";
import { plainText } from "./plain-text.ts";
import type { NextCall, Part, Reply, ToolCall } from "./tool.ts";

/** How long a reply may be, measured over its two parts together. */
export interface ReplyLimit {
  readonly most: number;
  /** About how many characters that is. */
  readonly chars: number;
  readonly measure: (reply: Pick<Reply, "text" | "data">) => number;
}

export function inCharacters(call: Pick<ToolCall, "replyChars">): ReplyLimit {
  // As it goes over the wire, with room for what the protocol adds.
  return { most: call.replyChars - 200, chars: call.replyChars, measure: ({ text, data }) => JSON.stringify([text, data]).length };
}

/** A reply with values that may be too large for it. */
export interface LongReply {
  readonly data: JsonObject;
  /** Where they are in the data, as paths; what is cut first comes first, and what is in one group shares its room. */
  readonly heavy: readonly (readonly string[])[];
  /** Texts that the data holds the beginning of, and the data with all of them. */
  readonly begun?: readonly Cut[];
  readonly whole?: JsonObject;
  /** Short fields that are left out before anything but the first group is cut. */
  readonly spare?: readonly string[];
  /** Lists in these places are shown from their end, and their rest is read from the beginning. They may grow meanwhile. */
  readonly newestLast?: boolean;
  /** Characters for the first group, even where there is room for more. */
  readonly room?: number;
  /** The text for what is shown; `missing` is a line about the rest, empty when nothing is missing. */
  readonly render: (shown: JsonObject, missing: string) => string;
  /** The call that brings a part of this data; undefined when none does. */
  readonly rest: (part: Part) => NextCall | undefined;
  /** What is asked for can be done without the rest. */
  readonly enough?: boolean;
  /** Fields about the whole, from this group on; where room is short they are left out, unless `always`. */
  readonly beside?: { readonly from: number; readonly fields: () => Promise<JsonObject>; readonly always?: boolean };
}

/**
 * The reply within its limit. Data stays valid: a value that is too large is shown as its beginning, and `truncated` says of each one
 * where it is, how much there is in all, and which call brings the rest.
 */
export async function pageReply(
  call: Pick<ToolCall, "replyChars">,
  given: LongReply,
  limit: ReplyLimit = inCharacters(call),
): Promise<Reply> {
  const reply = given.newestLast === true ? given : { ...given, rest: withHash(given.whole ?? given.data, given.rest) };
  const whole = compose(reply, shorten(reply, [reply.room]), {});
  if (limit.measure(whole) <= limit.most) return whole;
  let beside: JsonObject = {};
  const lean = withoutSpare(reply);
  for (const group of reply.heavy.keys()) {
    if (reply.beside?.from === group) beside = await reply.beside.fields();
    const kept = reply.beside?.always === true ? beside : {};
    for (const held of group === 0 && lean !== reply ? [reply, lean] : [lean]) {
      const found = inGroup(held, { group, limit, beside, least: goodRoom }) ?? inGroup(held, { group, limit, beside: kept, least: 0 });
      if (found !== undefined) return found;
    }
  }
  const kept = reply.beside?.always === true ? beside : {};
  const barest = (room: number): Reply => compose(lean, shorten(lean, [...reply.heavy.keys()].fill(room)), kept);
  return limit.measure(barest(0)) < limit.measure(barest(-1)) ? barest(0) : barest(-1);
}

function withoutSpare(reply: LongReply): LongReply {
  const { data, spare = [] } = reply;
  if (spare.length === 0) return reply;
  return { ...reply, data: Object.fromEntries(Object.entries(data).filter(([key]) => !spare.includes(key))) };
}

/** Characters of values that matter more than fields beside them. */
const goodRoom = 400;

interface Attempt {
  readonly group: number;
  readonly limit: ReplyLimit;
  readonly beside: JsonObject;
  /** The least room that is worth a reply. */
  readonly least: number;
}

/** The reply that fits with the earlier groups at their least and the later ones whole; undefined when none does. */
function inGroup(reply: LongReply, { group, limit, beside, least }: Attempt): Reply | undefined {
  const fits = (shown: Reply): boolean => limit.measure(shown) <= limit.most;
  const shortenTo = (room: number): Reply => {
    const rooms = reply.heavy.map((_, at) => (at < group ? 0 : at === group ? room : undefined));
    return compose(reply, shorten(reply, rooms), beside);
  };
  // Measuring a long reply takes time: rooms are tried only where one of them is enough.
  const shortest = shortenTo(least);
  if (!fits(shortest)) return undefined;
  for (const room of roomsBelow(limit.chars).filter((entry) => entry > least)) {
    const shorter = shortenTo(room);
    if (fits(shorter)) return shorter;
  }
  return shortest;
}

/** From generous to little. */
function roomsBelow(chars: number): readonly number[] {
  const rooms: number[] = [];
  for (let room = chars; room > 40; room = Math.floor(room * 0.85)) rooms.push(room);
  return rooms;
}

interface Shortened {
  readonly data: JsonObject;
  readonly cuts: readonly Cut[];
}

function shorten({ data, heavy, newestLast = false }: LongReply, rooms: readonly (number | undefined)[]): Shortened {
  let shown = data;
  const cuts: Cut[] = [];
  // What matters most is named first.
  for (const [group, paths] of [...heavy.entries()].toReversed()) {
    const room = rooms[group];
    if (room === undefined) continue;
    const present = paths.flatMap((path) => {
      const keys = keysOf(path) ?? [];
      const value = readPath(data, keys);
      return value === undefined ? [] : [{ keys, value }];
    });
    const shares = shareRoom(
      present.map(({ value }) => costOf(value, Math.max(0, room))),
      room,
    );
    for (const [at, { keys, value }] of present.entries()) {
      const given = room < 0 ? room : (shares[at] ?? 0);
      const paged = newestLast && isList(value) ? pageEnd(value, given, keys) : pageValue(value, given, { keys });
      shown = replaced(shown, keys, paged.shown) as JsonObject;
      cuts.push(...paged.cuts);
    }
  }
  return { data: shown, cuts };
}

/** The last entries that have room, whole. */
function pageEnd(list: readonly Json[], room: number, keys: Keys): ReturnType<typeof pageValue> {
  const paged = pageValue(list.toReversed(), room, { keys });
  const shown = isList(paged.shown) && paged.cuts.every((cut) => cut.keys.length === keys.length) ? paged.shown.toReversed() : [];
  return { shown, cuts: shown.length < list.length ? [{ keys, total: list.length, from: 0 }] : [] };
}

function replaced(data: Json, [key, ...below]: Keys, value: Json): Json {
  if (key === undefined) return value;
  return isObject(data) ? { ...data, [key]: replaced(data[key] ?? null, below, value) } : data;
}

function compose(reply: LongReply, { data, cuts }: Shortened, beside: JsonObject): Reply {
  const missing = withBegun(reply.begun ?? [], cuts).map((cut) => missingPart(cut, reply.rest));
  const shown = missing.length === 0 ? data : { ...data, ...truncatedField(missing), ...readFirst(data, missing), ...beside };
  return { text: reply.render(shown, missingLine(missing, reply.enough)), data: shown };
}

/** A beginning that is cut once more is still the beginning of the whole. */
function withBegun(begun: readonly Cut[], cuts: readonly Cut[]): readonly Cut[] {
  const same = (a: Cut, b: Cut): boolean => pathText(a.keys) === pathText(b.keys);
  const further = cuts.map((cut) => ({ ...cut, total: begun.find((each) => same(each, cut))?.total ?? cut.total }));
  return [...further, ...begun.filter((each) => !cuts.some((cut) => same(each, cut)))];
}

interface Missing extends Cut {
  readonly path: string;
  readonly next: NextCall | undefined;
}

function missingPart(cut: Cut, rest: LongReply["rest"], base = ""): Missing {
  const path = pathText(cut.keys, base);
  return { ...cut, path, next: rest({ path, from: cut.from }) };
}

/** A message would be closed unread by its own call: the rest of it comes first, and that call at its end. */
function readFirst({ step }: JsonObject, missing: readonly Missing[]): JsonObject {
  const next = missing.find(({ path }) => ofStep(path))?.next;
  return isObject(step) && step["type"] === "user_message" && next !== undefined ? callField(next) : {};
}

function ofStep(path: string): boolean {
  return keysOf(path)?.[0] === "step";
}

function callField(next: NextCall): JsonObject {
  return followingData({ next_call: next });
}

/** One object, or a list of them when several values are cut. */
function truncatedField(missing: readonly Missing[]): JsonObject {
  const told = missing.map(({ path, total, next }): JsonObject => ({
    path,
    total,
    ...(next === undefined ? {} : { next: { tool: next.tool, arguments: next.arguments } }),
  }));
  const [only] = told;
  if (only === undefined) return {};
  return { truncated: told.length === 1 ? only : told };
}

/** The first call in full; the others differ from it in `part` alone. */
function missingLine(missing: readonly Missing[], enough = false): string {
  const named = ({ path, from, total }: Missing): string => `\`${path}\` (${from} of ${total} are here)`;
  if (enough && missing.length > 0) return `Not all is shown of ${missing.map(named).join(", ")}; you do not need the rest.`;
  const [first, ...others] = missing.filter(({ next }) => next !== undefined);
  const lost = missing.filter(({ next }) => next === undefined).map(named);
  const only = lost.length === 0 ? "" : `Not all is shown of ${lost.join(", ")}.`;
  if (first?.next === undefined) return only;
  const acts = first.path.startsWith("step") ? " before you act" : "";
  const more = others.length === 0 ? "" : `; likewise ${others.map(named).join(", ")}`;
  return `Not all is shown: get the rest of ${named(first)}${acts} with ${callText(first.next)}${more}. ${only}`.trimEnd();
}

/** A part that continues what was shown names the value that it is of: parts of two states are never taken for one value. */
function withHash(data: JsonObject, rest: LongReply["rest"]): LongReply["rest"] {
  const known = new Map<string, string>();
  return (part) => {
    if (part.from === 0) return rest(part);
    const keys = keysOf(part.path);
    const hash = known.get(part.path) ?? hashOf(keys === undefined ? null : (readPath(data, keys) ?? null));
    known.set(part.path, hash);
    return rest({ ...part, hash });
  };
}

function hashOf(value: Json): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 8);
}

/** How parts of some data are asked for. */
export interface PartsOf extends Pick<LongReply, "rest"> {
  /** The same call without a part does not show the value: it is read from its beginning by parts alone. */
  readonly partsOnly?: boolean;
  /** As of a long reply. */
  readonly newestLast?: boolean;
}

/** Brings the value from its beginning, with all that was shown beside it. */
function beginAgain({ path }: Part, { rest, partsOnly = false }: PartsOf): NextCall | undefined {
  const call = rest({ path, from: 0 });
  if (call === undefined || partsOnly) return call;
  const { part: _part, ...args } = call.arguments;
  return { tool: call.tool, arguments: args };
}

/**
 * A part of a value that a reply had no room for, with what is missing again; `value` continues at `from`. Throws `MCP_NO_PART`, and
 * `MCP_PART_CHANGED` when the value is not the one whose beginning was shown.
 */
export function partReply(call: Pick<ToolCall, "replyChars">, data: JsonObject, part: Part, parts: PartsOf): Reply {
  if (part.action_id !== undefined && part.action_id !== openAction(data)) throw noPart(part, `\`${part.action_id}\` is not open any more`);
  const keys = keysOf(part.path);
  const value = keys === undefined ? undefined : readPath(data, keys);
  if (value === undefined) throw noPart(part, "there is no such value");
  const total = totalOf(value);
  if (part.hash !== undefined && part.hash !== hashOf(value)) throw partChanged(part, beginAgain(part, parts));
  if (part.from > total) throw noPart(part, `it has ${total} entries, keys or characters`);
  const limit = inCharacters(call);
  const rest = parts.newestLast === true ? parts.rest : withHash(data, parts.rest);
  let reply: Reply = { text: "", data: {} };
  for (const room of roomsBelow(limit.chars)) {
    reply = composePart(part, pageValue(value, room, { from: part.from }), { total, rest, data });
    if (limit.measure(reply) <= limit.most) break;
  }
  return reply;
}

/** Id of the action that a reply is about. */
export function openAction({ action_id: own, next_action: next, next_call: call }: JsonObject): Json | undefined {
  const named = isObject(next) ? next["action_id"] : undefined;
  const reports = isObject(next) && isObject(call) && isObject(call["arguments"]) ? call["arguments"]["action_id"] : undefined;
  return own ?? named ?? reports;
}

function composePart(
  part: Part,
  { shown, cuts }: ReturnType<typeof pageValue>,
  { total, rest, data }: { readonly total: number; readonly rest: LongReply["rest"]; readonly data: JsonObject },
): Reply {
  const same = part.action_id === undefined ? {} : { action_id: part.action_id };
  const missing = cuts.map((cut) => missingPart(cut, (next) => rest({ ...next, ...same }), part.path));
  const until = part.from + (typeof shown === "string" || isList(shown) || isObject(shown) ? totalOf(shown) : 1);
  const head = `\`${part.path}\`, ${part.from} to ${until} of ${total}:`;
  const following = ofStep(part.path) ? afterPart(data, missing) : {};
  const end = ["This is the end of it.", ...followingText(following)].join("\n");
  const lines = [head, plainText(shown), missing.length === 0 ? end : missingLine(missing)];
  return {
    text: lines.join("\n"),
    data: { part: { path: part.path, from: part.from, total }, value: shown, ...truncatedField(missing), ...following },
  };
}

/** The next part of a step, or what follows the step when this was the last. */
function afterPart(data: JsonObject, missing: readonly Missing[]): JsonObject {
  const next = missing.find((each) => each.next !== undefined)?.next;
  return next === undefined ? followingData(data) : callField(next);
}
