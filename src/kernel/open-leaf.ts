import { defined, formatPath, isList, isObject, textOf, type Json, type JsonObject } from "../base/index.ts";
import { opOf, type Ask, type DoBlock } from "../program/index.ts";
import { timeoutOf } from "./enter.ts";
import { failStrand } from "./failure.ts";
import type { LeafFrame } from "./frame.ts";
import { questionId } from "./hand-out-id.ts";
import type { Given } from "./input.ts";
import type { Action, Decision, Effect, Note, Wait } from "./run-state.ts";
import type { Turn } from "./turn.ts";

export interface Leaf {
  readonly strand: string;
  readonly frame: LeafFrame;
  readonly block: DoBlock;
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
export function openLeaf(turn: Turn, leaf: Leaf, { values, replaced }: Extract<Given, { readonly type: "values" }>): undefined {
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
    // A holder that takes a step which asks after a loss is asked in doubt: its strand may have been given back as lost before it was opened.
    ...(holder === undefined && fence > 0 && block.whenLost !== "ask" ? { fence } : {}),
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
  return turn.state.notes.filter(({ target }) => target === undefined || isFor(turn, strand, step, target));
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
  const { decision: name, answerBy = "relay", options, pattern, patternMessage, attempts, binds } = asked;
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
    ...defined({ name: name === id ? undefined : name, options, pattern, patternMessage, attemptsLeft: attempts, attempts, binds }),
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
