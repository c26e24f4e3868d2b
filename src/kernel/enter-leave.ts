import type { JsonObject } from "../base/index.ts";
import { opOf, type Block, type BlockId, type Limit, type Rescue } from "../program/index.ts";
import type { EventOf } from "./event.ts";
import type { Frame, KeptTask, Limits, WorkFrame } from "./frame.ts";
import { unrepeatableStep } from "./interrupted-leaf.ts";
import { moveTaken } from "./items.ts";
import { stepName } from "./read-state.ts";
import type { Strand } from "./run-state.ts";
import { track } from "./tracking.ts";
import type { Turn } from "./turn.ts";

/** Puts a block on top of the strand's stack. */
export function enter(turn: Turn, strand: string, block: BlockId, locals?: JsonObject): undefined {
  const definition = turn.block(block);
  const only = locals === undefined && turn.strand(strand).frames.length > 0 ? onlyBlock(definition) : undefined;
  if (only !== undefined) return enter(turn, strand, only);
  const first = firstFrame(turn, definition);
  turn.emit({ type: "entered", strand, frame: locals === undefined ? first : { ...first, locals } });
  guardTime(turn, strand, definition);
}

/** The one block of a sequence that is nothing more than it: three events less in every round. */
function onlyBlock(block: Block): BlockId | undefined {
  const plain = block.kind === "seq" && block.blocks.length === 1;
  return plain && block.label === undefined && block.rescue === undefined && block.timeoutMs === undefined ? block.blocks[0] : undefined;
}

/** Each frame is written out whole: a step makes several, and an object made by spreading is many times slower. */
export function firstFrame(turn: Turn, block: Block): Frame {
  const { id } = block;
  switch (block.kind) {
    case "seq":
      return { block: id, kind: "seq", at: 0 };
    case "choose":
      return { block: id, kind: "choose", branch: null };
    case "repeat":
      return { block: id, kind: "repeat", round: 0, inside: false };
    case "machine":
      return { block: id, kind: "machine", state: block.initial, inside: false };
    case "call":
      return { block: id, kind: "call", phase: "inputs" };
    case "do":
      return { block: id, kind: "do", phase: opOf(block) === "write" ? "writes" : "args", enteredAt: turn.at };
    case "leave":
      return { block: id, kind: "leave" };
    case "work": {
      const mode = block.mode === "strands" && turn.state.options.serial ? "each" : block.mode;
      const phase = block.fill !== undefined ? "fill" : block.where === undefined ? "run" : "where";
      return { block: id, kind: "work", phase, list: block.list ?? "", mode, open: [], total: 0, failed: [] };
    }
  }
}

/** Effects carry their own limit; everything else that has one is watched by a timer. */
export function guardTime(turn: Turn, strand: string, block: Block, depth?: number): void {
  const toAgent = block.kind === "do" && block.orAgent === true && turn.state.options.unable.includes(block.what);
  if (block.kind === "do" && block.who === "engine" && opOf(block) !== "wait" && !toAgent) return;
  watchTime(turn, strand, block, depth);
}

/** Sets the time limit of a block the strand is in, if it has one; the innermost unless its depth is given. */
export function watchTime(turn: Turn, strand: string, block: Block, depth: number = turn.strand(strand).frames.length - 1): void {
  const limit = timeoutOf(block, turn.strand(strand).frames[depth]);
  if (limit !== undefined) turn.setTimer({ strand, due: turn.at + limit, why: "timeout", depth });
}

/** Limits that ran out, or ended with the run, begin again; not those of blocks whose error steps are at work. */
export function limitTime(turn: Turn, strand: string): void {
  const { frames } = turn.strand(strand);
  for (const [depth, frame] of frames.entries()) {
    if (frames.some((each, at) => each.kind === "rescue" && at > depth && each.of <= depth)) continue;
    const running = Object.values(turn.state.timers).some(
      (timer) => timer.strand === strand && timer.why === "timeout" && timer.depth === depth,
    );
    if (frame.kind !== "rescue" && !running) guardTime(turn, strand, turn.block(frame.block), depth);
  }
}

/** Milliseconds that the block of this frame may take, as far as that is known yet. */
export function timeoutOf({ timeoutMs }: Pick<Block, "timeoutMs">, frame: Frame | undefined): number | undefined {
  return valueOf(timeoutMs, frame, "timeoutMs");
}

/** How often the block of this frame is tried again. An expression that could not be evaluated allows nothing. */
export function timesOf({ retry }: Rescue, frame: Frame | undefined): number {
  return valueOf(retry?.times, frame, "times") ?? 0;
}

function valueOf(limit: Limit | undefined, frame: Frame | undefined, name: keyof Limits): number | undefined {
  return typeof limit === "object" ? frame?.limits?.[name] : limit;
}

type How = EventOf<"left">["how"];

/** Takes the top frame off. Cleans up what it had open: time limits, tasks, items, a call's scope. */
export function leaveFrame(turn: Turn, strandId: string, how: How, reason?: string): undefined {
  const strand = turn.strand(strandId);
  const frame = strand.frames.at(-1);
  if (frame === undefined) return;
  endLimits(turn, strandId, strand.frames.length - 1);
  if ((frame.kind === "do" || frame.kind === "call") && how !== "done") closeLeaf(turn, strandId, frame);
  if (frame.kind === "work") closeWork(turn, strandId, frame, reason ?? "left early");
  emitLeft(turn, strandId, frame, how);
  passLost(turn, strand, frame);
  const { completed, failed } = turn.partOf(turn.strand(strandId)).tracking;
  if (frame.kind === "do" && how === "done" && (completed ?? failed) !== undefined)
    track(turn, turn.strand(strandId), "completed", stepName(frame));
}

/** Takes frames off until so many are left. */
export function leaveTo(turn: Turn, strandId: string, depth: number, why: { readonly how: How; readonly reason: string }): void {
  while (turn.strand(strandId).frames.length > depth) leaveFrame(turn, strandId, why.how, why.reason);
}

/** Takes frames off down to this depth, for a caller that keeps them: items and tasks that they have are not given up. */
export function liftFrames(turn: Turn, strandId: string, depth: number): void {
  endLimits(turn, strandId, depth);
  for (const frame of turn.strand(strandId).frames.slice(depth).toReversed()) emitLeft(turn, strandId, frame, "failed");
}

function endLimits(turn: Turn, strandId: string, from: number): void {
  turn.endTimers(strandId, ({ depth }) => depth === undefined || depth >= from);
}

function emitLeft(turn: Turn, strand: string, frame: Frame, how: How): void {
  const back = frame.kind === "call" && frame.phase === "inside" ? frame.outer : frame.kind === "rescue" ? frame.inner : undefined;
  const leaf = frame.kind === "do" ? { leaf: true as const } : {};
  turn.emit({ type: "left", strand, block: frame.block, how, ...leaf, ...(back === undefined ? {} : { scope: back }) });
}

/** A frame that was left may hold something that was lost: then so does what is around it, which must not be begun again by itself either. */
function passLost(turn: Turn, { id, parent, item, frames }: Strand, left: Frame): void {
  if (left.lost !== true && (left.kind !== "work" || left.passed !== true)) return;
  if (frames.length > 1) return turn.move(id, { lost: true });
  const around = parent === undefined ? undefined : turn.state.strands[parent];
  if (item !== undefined && around?.frames.at(-1)?.kind === "work") return turn.move(around.id, { passed: true });
  // A work that nobody waits for: whatever began it may have been left long ago.
  const next = around ?? turn.main();
  if (parent !== undefined && next !== undefined) turn.move(next.id, { lost: true });
}

/** A leaf that is given up no longer waits. One that must not be repeated by itself remembers that it may have been begun. */
export function closeOpenLeaf(turn: Turn, strandId: string): void {
  const frame = turn.top(strandId);
  if (frame?.kind !== "do" && frame?.kind !== "call") return;
  const step = unrepeatableStep(turn, strandId);
  closeLeaf(turn, strandId, frame);
  if (step !== undefined) turn.move(strandId, { interrupted: step });
}

function closeLeaf(turn: Turn, strand: string, { ref }: { readonly ref?: string }): void {
  closeAsked(turn, strand);
  if (ref === undefined) return;
  if (turn.state.actions[ref] !== undefined) turn.emit({ type: "action_closed", action: ref, how: "cancelled" });
  if (turn.state.effects[ref] !== undefined) turn.emit({ type: "effect_closed", effect: ref, how: "cancelled" });
  if (turn.state.decisions[ref]?.status === "pending") turn.emit({ type: "decision_closed", decision: ref, status: "cancelled" });
}

/** What the holder of a step asked a person is asked for that step alone. The question about a budget is of all strands. */
function closeAsked(turn: Turn, strand: string): void {
  const { waits } = turn.strand(strand);
  const asked = waits?.on === "decision" ? turn.state.decisions[waits.id] : undefined;
  if (asked?.kind === "asked" && asked.status === "pending")
    turn.emit({ type: "decision_closed", decision: asked.id, status: "cancelled" });
}

/** Nobody works on the tasks of the strand's innermost work any more; should it continue, they are handed out again. */
export function closeHandout(turn: Turn, strandId: string): void {
  const frame = turn.top(strandId);
  if (frame?.kind !== "work" || frame.action === undefined) return;
  joinAction(turn, frame);
  turn.move(strandId, { action: null });
}

function joinAction(turn: Turn, { action }: WorkFrame): void {
  if (action !== undefined && turn.state.actions[action] !== undefined) turn.emit({ type: "action_closed", action, how: "joined" });
}

function closeWork(turn: Turn, strandId: string, frame: WorkFrame, reason: string): void {
  const { list, item } = frame;
  const owned = turn.blockOf(frame).fill !== undefined;
  const to = owned ? "skipped" : "pending";
  for (const id of frame.open) cancelStrand(turn, id, to, reason);
  for (const task of Object.values(frame.kept ?? {})) closeKept(turn, strandId, task, reason);
  joinAction(turn, frame);
  if (item !== undefined) moveTaken(turn, strandId, item, { to, reason });
  const count = turn.state.lists[list]?.by.pending;
  if (!owned || count === undefined) return;
  const swept = { list, query: { status: "pending" }, from: "pending", to: "skipped", reason, count, facets: {} } as const;
  if (count > 0) turn.emit({ type: "items_swept", ...swept });
  turn.emit({ type: "list_closed", list, into: frame.block });
}

/** Nobody continues a task that was at this place: its lists are closed, and what is open in them is skipped. */
export function closeKept(turn: Turn, strandId: string, { frames }: KeptTask, reason: string): void {
  for (const inner of frames.toReversed()) if (inner.kind === "work") closeWork(turn, strandId, inner, reason);
}

/** Ends a strand from outside; its item goes back or is skipped, with the reason. */
export function cancelStrand(turn: Turn, strandId: string, to: "skipped" | "pending", reason: string): void {
  const strand = turn.state.strands[strandId];
  if (strand === undefined) return;
  leaveTo(turn, strandId, 0, { how: "skipped", reason });
  endTask(turn, strand, to, reason);
}

/** The strand of a task ends before the task is done. */
export function endTask(turn: Turn, { id, item }: Strand, to: "skipped" | "pending", reason: string): void {
  // A try that was broken off from outside does not count.
  const uncounted = to === "pending" && item !== undefined ? { attempts: item.attempts - 1 } : {};
  if (item !== undefined) moveTaken(turn, id, item, { to, reason, ...uncounted });
  turn.emit({ type: "strand_ended", strand: id, status: "cancelled" });
}
