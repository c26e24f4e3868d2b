import { createHash } from "node:crypto";
import { defined, isList, isObject, readPath, type Json, type JsonObject } from "../base/index.ts";
import { callText, followingData, followingText } from "../views/index.ts";
import { noPart, partChanged } from "./codes.ts";
import { costOf, keysOf, pageEnd, pageValue, pathText, shareRoom, totalOf, type Cut, type Keys } from "./page-value.ts";
import { plainText } from "./reply-text.ts";
import type { NextCall, ReplyPart, Reply, ToolCall } from "./tool.ts";

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

type Rest = (part: ReplyPart) => NextCall | undefined;

/** A reply with values that may be too large for it. */
export interface LongReply {
  readonly data: JsonObject;
  /** Where they are in the data; what is cut first comes first, and what is in one group shares its room. */
  readonly heavy: readonly (readonly Keys[])[];
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
  /** The call that brings a part of this data, undefined when none does; this call again if not given. */
  readonly rest?: Rest;
  /** What is asked for can be done without the rest. */
  readonly enough?: boolean;
  /** Fields about the whole, from this group on; where room is short they are left out, unless `always`. */
  readonly beside?: { readonly from: number; readonly fields: () => Promise<JsonObject>; readonly always?: boolean };
}

/**
 * The reply within its limit, or the part of it that the caller asks for. Data stays valid: a value that is too large is shown as its
 * beginning, and `truncated` says of each one where it is, how much there is in all, and which call brings the rest. What an agent must
 * write, show or run is shortened here only; `cutText` is for a line of an overview.
 */
export async function pageReply(
  call: Pick<ToolCall, "replyChars" | "part" | "again">,
  { rest: given, ...long }: LongReply,
  limit: ReplyLimit = inCharacters(call),
): Promise<Reply> {
  const { data, whole: all = data, heavy, spare = [], newestLast = false } = long;
  const rest: Rest = given ?? ((part) => againFor(call, part));
  if (call.part !== undefined) return partReply(call, all, call.part, { rest, newestLast });
  const reply: Pageable = { ...long, rest: newestLast ? rest : withHash(all, rest) };
  const whole = compose(reply, [long.room], {});
  if (limit.measure(whole) <= limit.most) return whole;
  const needed = Object.fromEntries(Object.entries(data).filter(([key]) => !spare.includes(key)));
  const lean = spare.length === 0 ? reply : { ...reply, data: needed };
  /** The reply that fits with the earlier groups at their least and the later ones whole; undefined when none does. */
  const inGroup = (held: Pageable, group: number, fields: JsonObject, least: number): Reply | undefined => {
    const rooms = (room: number) => heavy.map((_, at) => (at < group ? 0 : at === group ? room : undefined));
    const shortenTo = (room: number): Reply => compose(held, rooms(room), fields);
    // Measuring a long reply takes time: rooms are tried only where one of them is enough.
    if (limit.measure(shortenTo(least)) > limit.most) return undefined;
    return firstThatFits(limit, [...sizesBelow(limit.chars).filter((room) => room > least), least], shortenTo);
  };
  let beside: JsonObject = {};
  let kept: JsonObject = {};
  for (const group of heavy.keys()) {
    if (long.beside?.from === group) beside = await long.beside.fields();
    if (long.beside?.always === true) kept = beside;
    for (const held of new Set(group === 0 ? [reply, lean] : [lean])) {
      const found = inGroup(held, group, beside, goodRoom) ?? inGroup(held, group, kept, 0);
      if (found !== undefined) return found;
    }
  }
  const inRoom = (room: number): Reply => compose(lean, Array<number>(heavy.length).fill(room), kept);
  const [barest, bare] = [inRoom(-1), inRoom(0)];
  return limit.measure(bare) < limit.measure(barest) ? bare : barest;
}

/** Arguments longer than this are not repeated in a reply, where they would take the room of what was asked for. */
const longestAgain = 500;

/** The same call for a part of what it gives; undefined where a repeat would not give it, or is too long to name. */
export function againFor({ again }: Pick<ToolCall, "again">, part: ReplyPart): NextCall | undefined {
  if (again === undefined || JSON.stringify(again.arguments).length > longestAgain) return undefined;
  return { tool: again.tool, arguments: { ...again.arguments, part: { ...part } } };
}

/** A long reply whose rest can be asked for. */
type Pageable = LongReply & { readonly rest: Rest };

/** Characters of values that matter more than fields beside them. */
const goodRoom = 400;

/** Sizes from generous to little, all of them above `above`. */
export function sizesBelow(from: number, factor = 0.85, above = 40): readonly number[] {
  const sizes: number[] = [];
  for (let size = from; size > above; size = Math.floor(size * factor)) sizes.push(size);
  return sizes;
}

/** The reply of the first size that has room; that of the last one where none has. */
export function firstThatFits<Made extends Reply>(limit: ReplyLimit, sizes: readonly number[], make: (size: number) => Made): Made {
  const [size = 0, ...smaller] = sizes;
  const made = make(size);
  return smaller.length === 0 || limit.measure(made) <= limit.most ? made : firstThatFits(limit, smaller, make);
}

/** The reply with its groups in these rooms; those without one are whole. */
function compose(reply: Pageable, rooms: readonly (number | undefined)[], beside: JsonObject): Reply {
  const { data, cuts } = shorten(reply, rooms);
  const missing = withBegun(reply.begun ?? [], cuts).map((cut) => missingPart(cut, reply.rest));
  const shown = missing.length === 0 ? data : { ...data, ...truncatedField(missing), ...readFirst(data, missing), ...beside };
  return { text: reply.render(shown, missingLine(missing, reply.enough)), data: shown };
}

function shorten(
  { data, heavy, newestLast = false }: LongReply,
  rooms: readonly (number | undefined)[],
): { readonly data: JsonObject; readonly cuts: readonly Cut[] } {
  let shown = data;
  const cuts: Cut[] = [];
  // What matters most is named first.
  for (const [group, places] of [...heavy.entries()].toReversed()) {
    const room = rooms[group];
    if (room === undefined) continue;
    const present = places.flatMap((keys) => {
      const value = readPath(data, keys.map(String));
      return value === undefined ? [] : [{ keys, value, cost: costOf(value, Math.max(0, room)) }];
    });
    const costs = present.map(({ cost }) => cost);
    const shares = shareRoom(costs, room);
    for (const [at, { keys, value }] of present.entries()) {
      const given = room < 0 ? room : (shares[at] ?? 0);
      const paged = newestLast && isList(value) ? pageEnd(value, given, keys) : pageValue(value, given, { keys });
      shown = replaced(shown, keys, paged.shown) as JsonObject;
      cuts.push(...paged.cuts);
    }
  }
  return { data: shown, cuts };
}

function replaced(data: Json, [key, ...below]: Keys, value: Json): Json {
  if (key === undefined) return value;
  return isObject(data) ? { ...data, [key]: replaced(data[key] ?? null, below, value) } : data;
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

function missingPart(cut: Cut, rest: Rest, base = ""): Missing {
  const path = pathText(cut.keys, base);
  return { ...cut, path, next: rest({ path, from: cut.from }) };
}

/** A message would be closed unread by its own call: the rest of it comes first, and that call at its end. */
function readFirst({ step }: JsonObject, missing: readonly Missing[]): JsonObject {
  const next = missing.find(({ path }) => ofStep(path))?.next;
  return isObject(step) && step["type"] === "user_message" && next !== undefined ? followingData({ next_call: next }) : {};
}

function ofStep(path: string): boolean {
  return keysOf(path)?.[0] === "step";
}

/** One object, or a list of them when several values are cut. */
function truncatedField(missing: readonly Missing[]): JsonObject {
  const cut = missing.map(({ path, total, next }): JsonObject => ({ path, total, ...(next === undefined ? {} : { next: { ...next } }) }));
  const [only] = cut;
  return only === undefined ? {} : { truncated: cut.length === 1 ? only : cut };
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
function withHash(data: JsonObject, rest: Rest): Rest {
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
interface PartsOf {
  readonly rest: Rest;
  /** The same call without a part does not show the value: it is read from its beginning by parts alone. */
  readonly partsOnly?: boolean;
  /** As of a long reply. */
  readonly newestLast?: boolean;
}

/** Brings the value from its beginning, with all that was shown beside it. */
function beginAgain({ path }: ReplyPart, { rest, partsOnly = false }: PartsOf): NextCall | undefined {
  const call = rest({ path, from: 0 });
  if (call === undefined || partsOnly) return call;
  const { part: _part, ...args } = call.arguments;
  return { tool: call.tool, arguments: args };
}

/**
 * A part of a value that a reply had no room for, with what is missing again; `value` continues at `from`. Throws `MCP_NO_PART`, and
 * `MCP_PART_CHANGED` when the value is not the one whose beginning was shown.
 */
export function partReply(call: Pick<ToolCall, "replyChars">, data: JsonObject, part: ReplyPart, parts: PartsOf): Reply {
  if (part.action_id !== undefined && part.action_id !== openAction(data)) throw noPart(part, `\`${part.action_id}\` is not open any more`);
  const keys = keysOf(part.path);
  const value = keys === undefined ? undefined : readPath(data, keys);
  if (value === undefined) throw noPart(part, "there is no such value");
  const total = totalOf(value);
  if (part.hash !== undefined && part.hash !== hashOf(value)) throw partChanged(part, beginAgain(part, parts));
  if (part.from > total) throw noPart(part, `it has ${total} entries, keys or characters`);
  const limit = inCharacters(call);
  const { path, from, action_id } = part;
  const rest = parts.newestLast === true ? parts.rest : withHash(data, parts.rest);
  return firstThatFits(limit, sizesBelow(limit.chars), (room) => {
    const { shown, cuts } = pageValue(value, room, { from });
    const missing = cuts.map((cut) => missingPart(cut, (next) => rest({ ...next, ...defined({ action_id }) }), path));
    const head = `\`${path}\`, ${from + 1} to ${from + totalOf(shown)} of ${total}:`;
    // The next part of a step, or what follows the step when this was the last.
    const next = missing.find((each) => each.next !== undefined)?.next;
    const following = ofStep(path) ? followingData(next === undefined ? data : { next_call: next }) : {};
    const end = ["This is the end of it.", ...followingText(following)].join("\n");
    return {
      text: [head, plainText(shown), missing.length === 0 ? end : missingLine(missing)].join("\n"),
      data: { part: { path, from, total }, value: shown, ...truncatedField(missing), ...following },
    };
  });
}

/** Id of the action that a reply is about. */
export function openAction({ action_id: own, next_action: next, next_call: call }: JsonObject): Json | undefined {
  const named = isObject(next) ? next["action_id"] : undefined;
  const reports = isObject(next) && isObject(call) && isObject(call["arguments"]) ? call["arguments"]["action_id"] : undefined;
  return own ?? named ?? reports;
}
