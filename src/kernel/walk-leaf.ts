import { defined, formatPath, isList, isObject, splitPath, textOf, type Json, type JsonObject } from "../base/index.ts";
import { opOf, type Ask, type DoBlock, type Expr } from "../program/index.ts";
import { openBudgetDecision } from "./budget.ts";
import { leaveFrame, timeoutOf } from "./enter-leave.ts";
import type { Update } from "./event.ts";
import { failStrand } from "./failure.ts";
import type { LeafFrame } from "./frame.ts";
import type { Given, Need } from "./input.ts";
import { askWhatNow } from "./interrupted-leaf.ts";
import { withoutHiding } from "./person-values.ts";
import { questionId } from "./read-state.ts";
import type { Action, Decision, Effect, Note, Scope, Wait } from "./run-state.ts";
import type { Turn } from "./turn.ts";
import { writeResult } from "./write-result.ts";
import { leftToWrite, targetOf, withoutStored } from "./write-state.ts";

/** A leaf that a strand is at. */
export interface Leaf {
  readonly strand: string;
  readonly frame: LeafFrame;
  readonly block: DoBlock;
}

/** Args are evaluated, the leaf is opened and waited for, its result is written. */
export function walkLeaf(turn: Turn, strand: string, frame: LeafFrame, given: Given | undefined): Need | undefined {
  const leaf = { strand, frame, block: turn.blockOf(frame) };
  if (frame.phase === "skip") return leaveLeaf(turn, leaf);
  if (frame.phase === "writes") return walkWrites(turn, leaf, given);
  if (frame.interrupted !== undefined) return continueInterrupted(turn, leaf, frame.interrupted);
  const spent = turn.spentBudget();
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
    const spent = turn.spentBudget();
    if (spent !== undefined) return openBudgetDecision(turn, strand, spent);
  }
  if (block.writes.length === 0) return leaveLeaf(turn, leaf);
  const exprs = writeExprs(leaf);
  if (given === undefined && Object.keys(exprs).length > 0) {
    const result = frame.result ?? null;
    // `result`, and the fields of an object result (`applied_count`) unless a person's answer has the name. An update has no result of its own.
    const hasFields = isObject(result) && block.what !== "state_update";
    const fields = hasFields ? withoutHiding(turn.program, turn.state, turn.strand(strand).scope, result) : {};
    const names = { ...fields, result };
    return { ...turn.evaluate(strand, exprs, names), write: true, ...atHandOut(turn, leaf) };
  }
  const updates = updatesOf(turn, leaf, given?.type === "values" ? given : { values: {} });
  if (updates.length === 0) return leaveLeaf(turn, leaf);
  const problem = typeof updates === "string" ? { code: "STATE_WRITE", message: updates } : writeResult(turn, leaf, updates);
  if (problem !== undefined) return failStrand(turn, strand, { ...problem, block: block.id });
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
  // Another agent wrote since the hand-out: what reads the state may have been another value for the holder than it is now.
  const changed = frame.version !== scope.version;
  const isKept = (at: number): boolean => block.what === "state_update" || (changed && given.reads?.includes(`value:${at}`) === true);
  return leftToWrite(scope, frame, wanted, isKept);
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

/** What a leaf is opened with. */
interface Opening {
  readonly step: string;
  readonly args: JsonObject;
  readonly paths: readonly string[];
  /** The step's name, where it is not the block's. */
  readonly named?: { readonly name?: string };
  readonly replaced?: JsonObject | undefined;
}

/** Hands a leaf whose arguments are known to its agent, person or effect, and lets the strand wait for it. */
function openLeaf(turn: Turn, leaf: Leaf, { values, replaced }: Extract<Given, { readonly type: "values" }>): undefined {
  const { strand, block } = leaf;
  const args: Record<string, Json> = {};
  const paths: string[] = [];
  for (const [key, value] of Object.entries(values)) {
    if (key.startsWith("arg:")) args[key.slice(4)] = value;
    if (key.startsWith("path:")) paths[Number(key.slice(5))] = formatPath(isList(value) ? value.map(textOf) : [textOf(value)]);
  }
  const name = values["name"];
  const named = typeof name === "string" ? { name } : {};
  const step = named.name ?? block.id;
  turn.emit({ type: "spent", steps: 1 });
  if (block.who === "person") return openDecision(turn, leaf, { step, args, paths, named });
  if (opOf(block) === "wait") return openWait(turn, leaf, args, named);
  if (block.who === "agent" || (block.orAgent === true && turn.state.options.unable.includes(block.what)))
    return openAction(turn, leaf, { step, args, paths, named, replaced });
  const timeoutMs = timeoutOf(block, leaf.frame);
  const effect: Effect = {
    id: turn.mint("e"),
    strand,
    block: block.id,
    step,
    what: block.what,
    args,
    openedAt: turn.at,
    attempt: leaf.frame.tries ?? 0,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(block.orAgent === true && replaced !== undefined ? { replaced } : {}),
  };
  turn.emit({ type: "effect_opened", effect });
  waitFor(turn, strand, { on: "effect", id: effect.id }, { ...(paths.length > 0 ? { paths } : {}), ...named });
}

/** The leaf is open under this id. */
function waitFor(turn: Turn, strand: string, on: Extract<Wait, { readonly id: string }>, more: JsonObject): undefined {
  turn.move(strand, { phase: "open", ref: on.id, ...more });
  turn.wait(strand, on);
}

export function openAction(turn: Turn, { strand, block }: Omit<Leaf, "frame">, { step, args, paths, named, replaced }: Opening): undefined {
  const notes = notesFor(turn, strand, step);
  const { holder, fence } = turn.strand(strand);
  const action: Action = {
    id: turn.mint("a"),
    strand,
    block: block.id,
    step,
    what: block.what,
    args,
    paths,
    openedAt: turn.at,
    taken: 0,
    ...(holder === undefined && fence > 0 ? { fence } : {}),
    ...(replaced !== undefined && Object.keys(replaced).length > 0 ? { replaced } : {}),
    ...(notes.length > 0 ? { notes: notes.map((note) => note.text) } : {}),
  };
  emitAction(turn, action, notes);
  waitFor(turn, strand, { on: "action", id: action.id }, { ...handedOut(turn, strand, paths), ...named });
}

/** The action is open, and these notes are delivered with it. */
export function emitAction(turn: Turn, action: Action, notes: readonly Note[]): void {
  turn.emit({ type: "action_opened", action });
  for (const note of notes) turn.emit({ type: "note_delivered", note: note.id, with: action.id });
}

/** Notes that are delivered with a step of the strand when it is handed out. */
export function notesFor(turn: Turn, strand: string, step: string): readonly Note[] {
  const mine = turn.state.notes.filter((note) => note.strand === undefined || note.strand === strand);
  return mine.filter(({ target }) => target === undefined || isFor(turn, strand, step, target));
}

/** A note waits for a step, a task or item, a role (`Coder` of `Coder:T-001`), or a state or other labelled block around the step. */
function isFor(turn: Turn, strandId: string, step: string, target: string): boolean {
  const { task, frames } = turn.strand(strandId);
  if (target === step || target === task || step.startsWith(`${target}:`)) return true;
  if (frames.some((frame) => frame.kind === "work" && frame.item?.id === target)) return true;
  return frames.some((frame) => (frame.kind === "machine" && frame.state === target) || turn.block(frame.block).label?.text === target);
}

function openDecision(turn: Turn, { strand, block }: Leaf, { step, args, paths, named }: Opening): undefined {
  const asked = { ...block.ask, ...askedFor(args) };
  const {
    decision: name,
    answerBy = "relay",
    options,
    pattern,
    patternMessage,
    tries,
    attempts = tries,
    binds,
    reasons,
    reasonsFor,
  } = asked;
  const id = name === undefined ? turn.mint("d") : questionId(turn.state, strand, name);
  const decision: Decision = {
    id,
    revision: (turn.state.decisions[id]?.revision ?? 0) + 1,
    strand,
    block: block.id,
    step,
    kind: name === undefined ? "input" : "gate",
    question: textOf(args["prompt"] ?? args["question"] ?? ""),
    answerBy,
    status: "pending",
    openedAt: turn.at,
    paths,
    ...(answerBy === "person" ? { sealed: true } : {}),
    ...defined({
      name: name === id ? undefined : name,
      options,
      pattern,
      patternMessage,
      // A person may answer until the answer is right.
      ...(answerBy === "person" ? {} : { attemptsLeft: attempts, attempts }),
      binds,
      reasons,
      reasonsFor,
    }),
  };
  turn.emit({ type: "decision_opened", decision });
  waitFor(turn, strand, { on: "decision", id }, { ...handedOut(turn, strand, paths), ...named });
}

/** What of a question is known only when it is asked comes with its arguments. */
function askedFor({
  decision,
  options,
  pattern,
  pattern_message: message,
  attempts,
  binds,
}: JsonObject): Partial<Ask> & Pick<Decision, "binds"> {
  return defined({
    decision: typeof decision === "string" ? decision : undefined,
    options: isList(options) ? (options as unknown as NonNullable<Ask["options"]>) : undefined,
    pattern: typeof pattern === "string" ? pattern : undefined,
    patternMessage: typeof message === "string" ? message : undefined,
    attempts: typeof attempts === "number" ? attempts : undefined,
    binds: isObject(binds) ? (binds as Readonly<Record<string, string>>) : undefined,
  });
}

/** What shows later whether others wrote to the state since. What was stored before an interruption still counts from its own hand-out. */
function handedOut(turn: Turn, strandId: string, paths: readonly string[]): JsonObject {
  if (paths.length === 0) return {};
  const frame = turn.top(strandId);
  const stored = frame?.kind === "do" && frame.stored !== undefined;
  const version = stored ? frame.version : turn.state.scopes[turn.strand(strandId).scope]?.version;
  return { paths, ...(version === undefined ? {} : { version }) };
}

function openWait(turn: Turn, { strand, block }: Leaf, { ms }: JsonObject, named: JsonObject): undefined {
  if (typeof ms !== "number" || !(ms >= 0)) {
    const message = `\`${block.id}\` waits for ${JSON.stringify(ms ?? null)}, which is not a number of milliseconds.`;
    return failStrand(turn, strand, { code: "WAIT_TIME", message, block: block.id });
  }
  const id = turn.setTimer({ strand, due: turn.at + ms, why: "wait" });
  waitFor(turn, strand, { on: "timer", id }, named);
}
