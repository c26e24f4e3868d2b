import { formatPath, isList, isObject, readPath, splitPath, textOf, type Json } from "../base/index.ts";
import { opOf, type DoBlock, type Expr } from "../program/index.ts";
import { openBudgetDecision, spentBudget } from "./budget.ts";
import type { Update } from "./event.ts";
import { failStrand } from "./failure.ts";
import type { LeafFrame } from "./frame.ts";
import type { Given, Need } from "./input.ts";
import { askWhatNow } from "./interrupted-leaf.ts";
import { openLeaf, type Leaf } from "./open-leaf.ts";
import type { Scope } from "./run-state.ts";
import { isSame, matchStored, withoutStored } from "./stored-writes.ts";
import { write } from "./tracking.ts";
import type { Turn } from "./turn.ts";
import { leaveFrame } from "./unwind.ts";
import { applyUpdates, targetOf } from "./write-state.ts";

/** Args are evaluated, the leaf is opened and waited for, its result is written. */
export function walkLeaf(turn: Turn, strand: string, frame: LeafFrame, given: Given | undefined): Need | undefined {
  const leaf = { strand, frame, block: turn.blockOf(frame) };
  if (frame.phase === "skip") return leaveLeaf(turn, leaf);
  if (frame.phase === "writes") return walkWrites(turn, leaf, given);
  if (frame.interrupted !== undefined) return continueInterrupted(turn, leaf, frame.interrupted);
  const spent = spentBudget(turn);
  if (spent !== undefined) return openBudgetDecision(turn, strand, spent);
  const exprs = argExprs(leaf.block);
  if (given === undefined && Object.keys(exprs).length > 0) return turn.evaluate(strand, exprs);
  return openLeaf(turn, leaf, given?.type === "values" ? given : { type: "values", values: {} });
}

/** It was given up while it may have been under way, and nobody has said since that it is done again. */
function continueInterrupted(turn: Turn, { strand, block }: Leaf, step: string): undefined {
  if (block.whenLost === "ask") return askWhatNow(turn, strand, { block: block.id, step });
  const code = block.who === "engine" ? "EFFECT_LOST" : "HOLDER_LOST";
  const message = `\`${step}\` was interrupted before it ended; it may have been done in part.`;
  failStrand(turn, strand, { code, message, block: block.id, lost: true });
}

function argExprs(block: DoBlock): Record<string, Expr> {
  const exprs: Record<string, Expr> = {};
  for (const [name, expr] of Object.entries(block.args)) exprs[`arg:${name}`] = expr;
  if (block.name !== undefined) exprs["name"] = block.name;
  if (block.who !== "engine" || block.orAgent === true) for (const [at, { path }] of block.writes.entries()) exprs[`path:${at}`] = path;
  return exprs;
}

/** Gives a leaf its result and lets its strand continue. */
export function resolveLeaf(turn: Turn, strand: string, result: Json, write = true): undefined {
  turn.move(strand, { phase: write ? "writes" : "skip", ref: null, result });
  turn.ready(strand);
}

function walkWrites(turn: Turn, leaf: Leaf, given: Given | undefined): Need | undefined {
  const { strand, frame, block } = leaf;
  if (frame.ref === undefined && opOf(block) === "write" && given === undefined) {
    const spent = spentBudget(turn);
    if (spent !== undefined) return openBudgetDecision(turn, strand, spent);
  }
  if (block.writes.length === 0) return leaveLeaf(turn, leaf);
  const exprs = writeExprs(leaf);
  if (given === undefined && Object.keys(exprs).length > 0) {
    const result = frame.result ?? null;
    // `result`, and the fields of an object result that are not names already (`applied_count`).
    const names = isObject(result) ? { ...result, result } : { result };
    return { ...turn.evaluate(strand, exprs, names), write: true, ...atHandOut(turn, leaf) };
  }
  const updates = updatesOf(turn, leaf, given?.type === "values" ? given : { values: {} });
  if (updates.length === 0) return leaveLeaf(turn, leaf);
  const problem = typeof updates === "string" ? updates : write(turn, turn.strand(strand).scope, updates);
  if (problem !== undefined) return failStrand(turn, strand, { code: "STATE_WRITE", message: problem, block: block.id });
  if (opOf(block) === "write") turn.emit({ type: "spent", steps: 1 });
  return leaveLeaf(turn, leaf);
}

function writeExprs({ frame, block }: Leaf): Record<string, Expr> {
  const exprs: Record<string, Expr> = {};
  for (const [index, { path, value, transform = value }] of block.writes.entries()) {
    if (frame.paths?.[index] === undefined) exprs[`path:${index}`] = path;
    if (transform !== undefined) exprs[`value:${index}`] = transform;
  }
  return exprs;
}

/** What a holder stored by itself does not change what the step's expressions say. */
function atHandOut(turn: Turn, { strand, frame: { stored } }: Leaf): { readonly handedOut?: Scope } {
  const scope = turn.state.scopes[turn.strand(strand).scope];
  return stored === undefined || scope === undefined ? {} : { handedOut: withoutStored(scope, stored) };
}

/** What the leaf is called by the blocks after it becomes a name of the block around it. */
function leaveLeaf(turn: Turn, { strand, frame, block }: Leaf): undefined {
  leaveFrame(turn, strand, "done");
  const around = turn.top(strand);
  if (frame.doubt !== undefined && around?.kind === "seq") turn.move(strand, { doubt: frame.doubt });
  if (block.as === undefined || around === undefined) return;
  turn.move(strand, { locals: { ...around.locals, [block.as]: frame.result ?? null } });
}

type Values = Pick<Extract<Given, { readonly type: "values" }>, "values" | "reads">;

/** The writes of a leaf that are left to be made, or why they cannot be. */
function updatesOf(turn: Turn, leaf: Leaf, given: Values): readonly Update[] | string {
  const wanted = wantedOf(leaf, given.values);
  if (typeof wanted === "string") return wanted;
  const { frame, strand, block } = leaf;
  const scope = turn.state.scopes[turn.strand(strand).scope];
  if (scope === undefined || (frame.stored === undefined && frame.written === undefined)) return wanted;
  const withPaths = wanted.map((update) => ({ ...update, path: pathOf(update) }));
  const made = matchStored(withPaths, frame.stored ?? []);
  // Another agent wrote since the hand-out: what reads the state may have been another value for the holder than it is now.
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
