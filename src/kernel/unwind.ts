import type { Event } from "./event.ts";
import { unrepeatableStep } from "./interrupted-leaf.ts";
import { emitMove, isHeld } from "./items.ts";
import type { Frame, KeptTask, Strand } from "./run-state.ts";
import { stepName, track } from "./tracking.ts";
import type { Turn } from "./turn.ts";

type How = Extract<Event, { readonly type: "left" }>["how"];

/** Takes the top frame off. Cleans up what it had open: time limits, tasks, items in hand, a call's scope. */
export function leaveFrame(turn: Turn, strandId: string, how: How, reason?: string): void {
  const strand = turn.strand(strandId);
  const frame = strand.frames.at(-1);
  if (frame === undefined) return;
  endTimers(turn, strandId, strand.frames.length - 1);
  if ((frame.kind === "do" || frame.kind === "call") && how !== "done") closeLeaf(turn, frame);
  if (frame.kind === "work") closeWork(turn, strand, frame, reason ?? "left early");
  emitLeft(turn, strandId, frame, how);
  passLost(turn, strand, frame);
  if (frame.kind === "do" && how === "done") track(turn, turn.strand(strandId), "completed", stepName(turn, frame));
}

/** Takes frames off down to this depth, for somebody who keeps them: items and tasks that they have are not given up. */
export function liftFrames(turn: Turn, strandId: string, depth: number): void {
  endTimers(turn, strandId, depth);
  for (const frame of turn.strand(strandId).frames.slice(depth).toReversed()) emitLeft(turn, strandId, frame, "failed");
}

function endTimers(turn: Turn, strandId: string, depth: number): void {
  for (const timer of Object.values(turn.state.timers)) {
    if (timer.strand === strandId && (timer.depth === undefined || timer.depth >= depth))
      turn.emit({ type: "timer_gone", timer: timer.id });
  }
}

function emitLeft(turn: Turn, strandId: string, frame: Frame, how: How): void {
  const back = frame.kind === "call" && frame.phase === "inside" ? frame.outer : frame.kind === "rescue" ? frame.inner : undefined;
  const scope = back === undefined ? {} : { scope: back };
  turn.emit({ type: "left", strand: strandId, block: frame.block, how, ...(frame.kind === "do" ? { leaf: true as const } : {}), ...scope });
}

/** A frame that was left may hold something that was lost: then so does what is around it, which must not be begun again by itself either. */
function passLost(turn: Turn, { id, parent, item, frames }: Strand, left: Frame): void {
  if (left.lost !== true && (left.kind !== "work" || left.passed !== true)) return;
  if (frames.length > 1) return turn.emit({ type: "moved", strand: id, patch: { lost: true } });
  const around = parent === undefined ? undefined : turn.state.strands[parent];
  if (item !== undefined && around?.frames.at(-1)?.kind === "work")
    return turn.emit({ type: "moved", strand: around.id, patch: { passed: true } });
  // A work that nobody waits for: whatever began it may have been left long ago.
  const main = Object.values(turn.state.strands).find((strand) => strand.parent === undefined && strand.entry === undefined);
  const next = around ?? main;
  if (parent !== undefined && next !== undefined) turn.emit({ type: "moved", strand: next.id, patch: { lost: true } });
}

/** A leaf that is given up no longer waits for anybody. One that must not be repeated by itself remembers that it may have been begun. */
export function closeOpenLeaf(turn: Turn, strandId: string): void {
  const frame = turn.strand(strandId).frames.at(-1);
  if (frame?.kind !== "do" && frame?.kind !== "call") return;
  const step = unrepeatableStep(turn, strandId);
  closeLeaf(turn, frame);
  if (step !== undefined) turn.emit({ type: "moved", strand: strandId, patch: { interrupted: step } });
}

function closeLeaf(turn: Turn, { ref }: { readonly ref?: string }): void {
  if (ref === undefined) return;
  if (turn.state.actions[ref] !== undefined) turn.emit({ type: "action_closed", action: ref, how: "cancelled" });
  if (turn.state.effects[ref] !== undefined) turn.emit({ type: "effect_closed", effect: ref, how: "cancelled" });
  if (turn.state.decisions[ref]?.status === "pending") turn.emit({ type: "decision_closed", decision: ref, status: "cancelled" });
}

/** Nobody works on the tasks of the strand's innermost work any more; should it go on, they are handed out anew. */
export function closeHandout(turn: Turn, strandId: string): void {
  const frame = turn.strand(strandId).frames.at(-1);
  if (frame?.kind !== "work" || frame.action === undefined) return;
  if (turn.state.actions[frame.action] !== undefined) turn.emit({ type: "action_closed", action: frame.action, how: "joined" });
  turn.emit({ type: "moved", strand: strandId, patch: { action: null } });
}

function closeWork(turn: Turn, strand: Strand, frame: Extract<Frame, { readonly kind: "work" }>, reason: string): void {
  const block = turn.block(frame.block);
  const owned = block.kind === "work" && block.fill !== undefined;
  for (const id of frame.open) cancelStrand(turn, id, owned ? "skipped" : "pending", reason);
  for (const task of Object.values(frame.kept ?? {})) closeKept(turn, strand.id, task, reason);
  if (frame.action !== undefined && turn.state.actions[frame.action] !== undefined)
    turn.emit({ type: "action_closed", action: frame.action, how: "joined" });
  if (frame.item !== undefined) {
    const item = frame.item;
    const to = owned ? "skipped" : "pending";
    emitMove(turn, {
      list: item.list,
      id: item.id,
      from: "in_progress",
      to,
      facets: item.facets,
      root: item.root,
      reason,
      ...(owned ? {} : { strand: strand.id }),
    });
  }
  const counts = turn.state.lists[frame.list];
  if (!owned || counts === undefined) return;
  if (counts.by.pending > 0) {
    turn.emit({
      type: "items_swept",
      list: frame.list,
      query: { status: "pending" },
      from: "pending",
      to: "skipped",
      reason,
      count: counts.by.pending,
      facets: {},
    });
  }
  turn.emit({ type: "list_closed", list: frame.list, into: frame.block });
}

/** Nobody takes up a task that stood there: its lists are closed, and what is open in them is skipped. */
export function closeKept(turn: Turn, strandId: string, { frames }: KeptTask, reason: string): void {
  for (const inner of frames.toReversed()) if (inner.kind === "work") closeWork(turn, turn.strand(strandId), inner, reason);
}

/** Ends a strand from outside; its item goes back or is skipped, with the reason. */
export function cancelStrand(turn: Turn, strandId: string, items: "skipped" | "pending", reason: string): void {
  const strand = turn.state.strands[strandId];
  if (strand === undefined) return;
  while (turn.strand(strandId).frames.length > 0) leaveFrame(turn, strandId, "skipped", reason);
  if (strand.item !== undefined) {
    const { attempts, ...item } = strand.item;
    // A try that was broken off from outside does not count.
    const uncounted = items === "pending" ? { attempts: attempts - 1 } : {};
    const held = isHeld(turn, item) ? { strand: strandId } : {};
    emitMove(turn, { ...item, from: "in_progress", to: items, reason, ...uncounted, ...held });
  }
  turn.emit({ type: "strand_ended", strand: strandId, status: "cancelled" });
}
