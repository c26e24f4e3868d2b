import { formatPath, isList, isObject, readPath, splitPath, textOf, type Json } from "../base/index.ts";
import type { DoBlock } from "../program/index.ts";
import type { Update } from "./event.ts";
import type { Given } from "./input.ts";
import type { Frame, Scope } from "./run-state.ts";
import { isSame, matchStored, withoutStored } from "./stored-writes.ts";
import type { Turn } from "./turn.ts";
import { applyUpdates, targetOf } from "./write-state.ts";

export type LeafFrame = Extract<Frame, { readonly kind: "do" }>;

export interface Leaf {
  readonly strand: string;
  readonly frame: LeafFrame;
  readonly block: DoBlock;
}

type Values = Pick<Extract<Given, { readonly type: "values" }>, "values" | "reads">;

/** The writes of a leaf that are left to be made, or why they cannot be. */
export function updatesOf(turn: Turn, leaf: Leaf, given: Values): readonly Update[] | string {
  const wanted = wantedOf(leaf, given.values);
  if (typeof wanted === "string") return wanted;
  const { frame, strand, block } = leaf;
  const scope = turn.state.scopes[turn.strand(strand).scope];
  if (scope === undefined || (frame.stored === undefined && frame.written === undefined)) return wanted;
  const made = matchStored(
    wanted.map((update) => ({ ...update, path: pathOf(update) })),
    frame.stored ?? [],
  );
  // Somebody else wrote since the hand-out: what reads the state may have been another value for the holder than it is now.
  const changed = frame.version !== scope.version;
  const left: Update[] = [];
  for (const [at, update] of wanted.entries()) {
    const match = made[at] ?? (frame.written?.includes(pathOf(update)) === true ? "other" : undefined);
    const kept = block.what === "state_update" || (changed && given.reads?.includes(`value:${at}`) === true);
    // What is written again takes with it what the holder wrote there afterwards.
    if (match === undefined || left.some((again) => isInside(update, again))) left.push(update);
    else if (match === "other" && !kept) left.push(...differing(scope, frame, update));
  }
  return left;
}

/** Whether the write goes to what the other one sets as a whole. */
function isInside({ tier, keys }: Update, { tier: other, keys: around, op }: Update): boolean {
  return op === "set" && tier === other && around.every((key, at) => keys[at] === key);
}

function wantedOf({ frame, block }: Leaf, values: Readonly<Record<string, Json>>): readonly Update[] | string {
  const updates: Update[] = [];
  for (const [index, entry] of block.writes.entries()) {
    const path = values[`path:${index}`];
    const known = frame.paths?.[index];
    const keys = isList(path) ? path.map(textOf) : splitPath(known ?? textOf(path ?? ""));
    if (keys === undefined) return `\`${known ?? textOf(path)}\` is not a path that can be written.`;
    const target = targetOf(keys);
    if (!target.ok) return target.message;
    const value = values[`value:${index}`];
    updates.push({ ...target.value, op: entry.op, value: value === undefined ? (frame.result ?? null) : value });
  }
  return updates;
}

function pathOf({ tier, keys }: Pick<Update, "tier" | "keys">): string {
  return formatPath([tier, ...keys]);
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
