import { formatPath, isList, isObject, textOf, type Json, type JsonObject } from "../base/index.ts";
import { opOf, type Ask, type DoBlock, type Expr } from "../program/index.ts";
import { openBudgetDecision, spentBudget } from "./budget.ts";
import { failStrand } from "./failure.ts";
import type { Given, Need } from "./input.ts";
import { askWhatNow } from "./lost-question.ts";
import { timeoutOf } from "./limit-values.ts";
import { notesFor } from "./notes-for.ts";
import { questionId } from "./question-id.ts";
import { write } from "./tracking.ts";
import { leaveFrame } from "./unwind.ts";
import type { Action, Decision, Effect, Scope } from "./run-state.ts";
import { withoutStored } from "./stored-writes.ts";
import { frontOf, localsOf, type Turn } from "./turn.ts";
import { updatesOf, type Leaf, type LeafFrame } from "./updates-of.ts";

/** Args are evaluated, the leaf is opened and waited for, its result is written. */
export function walkLeaf(turn: Turn, strand: string, frame: LeafFrame, given: Given | undefined): Need | undefined {
  const block = turn.block(frame.block);
  if (block.kind !== "do") return undefined;
  if (given?.type === "error") return failStrand(turn, strand, { code: given.code, message: given.message, block: block.id }) as undefined;
  if (frame.phase === "skip") return leaveLeaf(turn, { strand, frame, block }) as undefined;
  if (frame.phase === "writes") return walkWrites(turn, { strand, frame, block }, given);
  if (frame.interrupted !== undefined) return takeUpInterrupted(turn, { strand, frame, block }, frame.interrupted) as undefined;
  const spent = spentBudget(turn);
  if (spent !== undefined) return openBudgetDecision(turn, strand, spent) as undefined;
  const exprs = argExprs(block);
  if (given === undefined && Object.keys(exprs).length > 0) {
    const { scope, frames } = turn.strand(strand);
    return { type: "evaluate", strand, exprs, scope, locals: localsOf(frames), ...frontOf(frames) };
  }
  openLeaf(turn, { strand, frame, block }, given?.type === "values" ? given : { type: "values", values: {} });
  return undefined;
}

/** It was given up while it may have been under way, and nobody has said since that it is done again. */
function takeUpInterrupted(turn: Turn, { strand, block }: Leaf, step: string): void {
  if (block.whenLost === "ask") return askWhatNow(turn, turn.strand(strand), { block: block.id, step });
  failStrand(turn, strand, {
    code: block.who === "engine" ? "EFFECT_LOST" : "HOLDER_LOST",
    message: `\`${step}\` was interrupted before it ended; it may have been done in part.`,
    block: block.id,
    lost: true,
  });
}

function argExprs(block: DoBlock): Record<string, Expr> {
  const exprs: Record<string, Expr> = {};
  for (const [name, expr] of Object.entries(block.args)) exprs[`arg:${name}`] = expr;
  if (block.name !== undefined) exprs["name"] = block.name;
  if (block.who !== "engine" || block.orAgent === true) {
    block.writes.forEach((entry, index) => {
      exprs[`path:${index}`] = entry.path;
    });
  }
  return exprs;
}

function openLeaf(turn: Turn, leaf: Leaf, given: Extract<Given, { readonly type: "values" }>): void {
  const { strand, block } = leaf;
  const args: Record<string, Json> = {};
  const paths: string[] = [];
  for (const [key, value] of Object.entries(given.values)) {
    if (key.startsWith("arg:")) args[key.slice(4)] = value;
    if (key.startsWith("path:")) paths[Number(key.slice(5))] = formatPath(isList(value) ? value.map(textOf) : [textOf(value)]);
  }
  const name = given.values["name"];
  const step = typeof name === "string" ? name : block.id;
  turn.emit({ type: "spent", steps: 1 });
  const named = typeof name === "string" ? { name } : {};
  if (block.who === "person") return openDecision(turn, leaf, { step, args, paths, named });
  if (opOf(block) === "wait") return openWait(turn, leaf, args, named);
  const toAgent = block.who === "agent" || (block.orAgent === true && turn.state.options.unable.includes(block.what));
  if (toAgent)
    return openAction(turn, leaf, { step, args, paths, named, ...(given.replaced === undefined ? {} : { replaced: given.replaced }) });
  const id = turn.mint("e");
  const timeoutMs = timeoutOf(block, leaf.frame);
  const effect: Effect = {
    id,
    strand,
    block: block.id,
    step,
    what: block.what,
    args,
    openedAt: turn.at,
    attempt: leaf.frame.tries ?? 0,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(block.orAgent === true && given.replaced !== undefined ? { replaced: given.replaced } : {}),
  };
  turn.emit({ type: "effect_opened", effect });
  settle(turn, strand, { phase: "open", ref: id, ...(paths.length > 0 ? { paths } : {}), ...named }, { on: "effect", id });
}

interface Opening {
  readonly step: string;
  readonly args: JsonObject;
  readonly paths: readonly string[];
  readonly named: { readonly name?: string };
  readonly replaced?: JsonObject;
}

export function openAction(
  turn: Turn,
  { strand, block }: Pick<Leaf, "strand" | "block">,
  { step, args, paths, named, replaced }: Opening,
): void {
  const notes = notesFor(turn, strand, step);
  const { holder, fence } = turn.strand(strand);
  const id = turn.mint("a");
  const action: Action = {
    id,
    strand,
    block: block.id,
    step,
    what: block.what,
    args,
    paths,
    openedAt: turn.at,
    taken: 0,
    // A holder that takes a step which asks after a loss is asked in doubt: its strand may have been given back as lost before it was opened.
    ...(holder === undefined && fence > 0 && block.whenLost !== "ask" ? { fence } : {}),
    ...(replaced !== undefined && Object.keys(replaced).length > 0 ? { replaced } : {}),
    ...(notes.length > 0 ? { notes: notes.map((note) => note.text) } : {}),
  };
  turn.emit({ type: "action_opened", action });
  for (const note of notes) turn.emit({ type: "note_delivered", note: note.id, with: id });
  settle(turn, strand, { phase: "open", ref: id, ...handedOut(turn, strand, paths), ...named }, { on: "action", id });
}

function openDecision(turn: Turn, { strand, block }: Leaf, { step, args, paths, named }: Opening): void {
  const ask = { ...(block.ask ?? { answerBy: "relay" as const }), ...askedFor(args) };
  const id = ask.decision === undefined ? turn.mint("d") : questionId(turn.state, strand, ask.decision);
  const held = turn.state.decisions[id];
  const decision: Decision = {
    id,
    revision: (held?.revision ?? 0) + 1,
    strand,
    block: block.id,
    step,
    kind: ask.decision === undefined ? "input" : "gate",
    question: textOf(args["prompt"] ?? args["question"] ?? ""),
    answerBy: ask.answerBy,
    status: "pending",
    openedAt: turn.at,
    paths,
    ...(ask.decision === undefined || ask.decision === id ? {} : { name: ask.decision }),
    ...(ask.options === undefined ? {} : { options: ask.options }),
    ...(ask.pattern === undefined ? {} : { pattern: ask.pattern }),
    ...(ask.patternMessage === undefined ? {} : { patternMessage: ask.patternMessage }),
    ...(ask.attempts === undefined ? {} : { attemptsLeft: ask.attempts, attempts: ask.attempts }),
    ...(ask.binds === undefined ? {} : { binds: ask.binds }),
  };
  turn.emit({ type: "decision_opened", decision });
  settle(turn, strand, { phase: "open", ref: id, ...handedOut(turn, strand, paths), ...named }, { on: "decision", id });
}

type Asked = Partial<Omit<Ask, "answerBy">> & Pick<Decision, "binds">;

/** What of a question is known only when it is asked comes with its arguments. */
function askedFor({ decision, options, pattern, pattern_message: message, attempts, binds }: JsonObject): Asked {
  return {
    ...(typeof decision === "string" ? { decision } : {}),
    ...(isList(options) ? { options: options as unknown as NonNullable<Ask["options"]> } : {}),
    ...(typeof pattern === "string" ? { pattern } : {}),
    ...(typeof message === "string" ? { patternMessage: message } : {}),
    ...(typeof attempts === "number" ? { attempts } : {}),
    ...(isObject(binds) ? { binds: binds as Readonly<Record<string, string>> } : {}),
  };
}

/** What tells later whether others wrote to the state since. What was stored before an interruption still counts from its own hand-out. */
function handedOut(turn: Turn, strandId: string, paths: readonly string[]): JsonObject {
  if (paths.length === 0) return {};
  const { scope, frames } = turn.strand(strandId);
  const frame = frames.at(-1);
  const before = frame?.kind === "do" && frame.stored !== undefined ? frame.version : turn.state.scopes[scope]?.version;
  return { paths, ...(before === undefined ? {} : { version: before }) };
}

function openWait(turn: Turn, { strand, block }: Leaf, args: JsonObject, named: { readonly name?: string }): void {
  const ms = args["ms"];
  if (typeof ms !== "number" || !(ms >= 0)) {
    return failStrand(turn, strand, {
      code: "WAIT_TIME",
      message: `\`${block.id}\` waits for ${JSON.stringify(ms ?? null)}, which is not a number of milliseconds.`,
      block: block.id,
    });
  }
  const id = turn.mint("t");
  turn.emit({ type: "timer_set", timer: { id, strand, due: turn.at + ms, why: "wait" } });
  settle(turn, strand, { phase: "open", ref: id, ...named }, { on: "timer", id });
}

function settle(
  turn: Turn,
  strand: string,
  patch: JsonObject,
  on: { readonly on: "action" | "effect" | "timer" | "decision"; readonly id: string },
): void {
  turn.emit({ type: "moved", strand, patch });
  turn.emit({ type: "waiting", strand, on });
}

/** Gives a leaf its result and lets its strand go on. */
export function resolveLeaf(turn: Turn, strand: string, result: Json, write = true): void {
  turn.emit({ type: "moved", strand, patch: { phase: write ? "writes" : "skip", ref: null, result } });
  turn.emit({ type: "ready", strand });
}

function walkWrites(turn: Turn, leaf: Leaf, given: Given | undefined): Need | undefined {
  const { strand, frame, block } = leaf;
  if (frame.ref === undefined && opOf(block) === "write" && given === undefined) {
    const spent = spentBudget(turn);
    if (spent !== undefined) return openBudgetDecision(turn, strand, spent) as undefined;
  }
  if (block.writes.length === 0) return leaveLeaf(turn, leaf) as undefined;
  const exprs = writeExprs(leaf);
  if (given === undefined && Object.keys(exprs).length > 0) {
    const { scope, frames } = turn.strand(strand);
    return {
      type: "evaluate",
      strand,
      exprs,
      scope,
      locals: { ...localsOf(frames), ...resultNames(frame) },
      write: true,
      ...atHandOut(turn, strand, frame),
      ...frontOf(frames),
    };
  }
  const updates = updatesOf(turn, leaf, given?.type === "values" ? given : { values: {} });
  if (updates.length === 0) return leaveLeaf(turn, leaf) as undefined;
  const problem = typeof updates === "string" ? updates : write(turn, turn.strand(strand).scope, updates);
  if (problem !== undefined) return failStrand(turn, strand, { code: "STATE_WRITE", message: problem, block: block.id }) as undefined;
  if (opOf(block) === "write") turn.emit({ type: "spent", steps: 1 });
  leaveLeaf(turn, leaf);
  return undefined;
}

/** What a holder stored by itself does not change what the step's expressions say. */
function atHandOut(turn: Turn, strandId: string, { stored }: LeafFrame): { readonly handedOut?: Scope } {
  const scope = turn.state.scopes[turn.strand(strandId).scope];
  return stored === undefined || scope === undefined ? {} : { handedOut: withoutStored(scope, stored) };
}

/** What the leaf is called by the blocks after it becomes a name of the block around it. */
function leaveLeaf(turn: Turn, { strand, frame, block }: Leaf): void {
  leaveFrame(turn, strand, "done");
  const around = turn.strand(strand).frames.at(-1);
  if (frame.doubt !== undefined && around?.kind === "seq") turn.emit({ type: "moved", strand, patch: { doubt: frame.doubt } });
  if (block.as === undefined || around === undefined) return;
  turn.emit({ type: "moved", strand, patch: { locals: { ...around.locals, [block.as]: frame.result ?? null } } });
}

/** `result`, and the fields of an object result that are not names already (`applied_count`). */
function resultNames(frame: LeafFrame): JsonObject {
  const result = frame.result ?? null;
  return isObject(result) ? { ...result, result } : { result };
}

function writeExprs({ frame, block }: Leaf): Record<string, Expr> {
  const exprs: Record<string, Expr> = {};
  block.writes.forEach((entry, index) => {
    if (frame.paths?.[index] === undefined) exprs[`path:${index}`] = entry.path;
    if (entry.transform !== undefined) exprs[`value:${index}`] = entry.transform;
    else if (entry.value !== undefined) exprs[`value:${index}`] = entry.value;
  });
  return exprs;
}
