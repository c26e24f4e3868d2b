import { isList, splitPath, textOf, type Json } from "../base/index.ts";
import type { Rescue, WorkBlock, Write } from "../program/index.ts";
import { beginOnFailure } from "./begin-on-failure.ts";
import { endDetached, failedWouldBreakOff, wouldBreakOff } from "./detached-works.ts";
import { endRun, ofEntry, wakeMain } from "./ending.ts";
import { enter, firstFrame, limitTime } from "./enter.ts";
import type { Given, Need } from "./input.ts";
import { timesOf } from "./limit-values.ts";
import { failItem, wake } from "./fail-item.ts";
import { holdsLost, wouldRepeat } from "./interrupted-leaf.ts";
import type { Frame, RunError, Strand } from "./run-state.ts";
import { pushRescue } from "./push-rescue.ts";
import { restartWork } from "./restart-work.ts";
import { keeping } from "./kept-places.ts";
import { leaveFailed } from "./leave-failed.ts";
import { backToTasks, hasTasks, ownTasksAt } from "./own-tasks.ts";
import { stopTasks } from "./stop-strands.ts";
import { errorFacts, stackOf, stepName, track, write } from "./tracking.ts";
import { frontOf, localsOf, type Turn } from "./turn.ts";
import { closeHandout, closeOpenLeaf, leaveFrame } from "./unwind.ts";
import { targetOf } from "./write-state.ts";

/**
 * A block of the strand failed. The innermost frame that can deal with it does; if none can, the strand fails with its
 * frames kept, so that a retry goes on at the same place.
 */
export function failStrand(turn: Turn, strandId: string, error: RunError): void {
  failFrame(turn, strandId, error, turn.strand(strandId).frames.length - 1);
}

/** The block of one frame failed as a whole: what lies inside it has no say in that. */
export function failFrame(turn: Turn, strandId: string, error: RunError, depth: number): void {
  noteFailure(turn, strandId, error, turn.strand(strandId).frames.at(-1));
  stopTasks(turn, strandId, `stopped: ${error.message}`);
  closeHandout(turn, strandId);
  closeOpenLeaf(turn, strandId);
  searchRescue(turn, strandId, error, depth);
}

function noteFailure(turn: Turn, strandId: string, error: RunError, top: Frame | undefined): void {
  const strand = turn.strand(strandId);
  const name = top === undefined ? "" : stepName(turn, top);
  const step = error.block ?? name;
  turn.emit({ type: "failed", strand: strandId, block: step, error, handled: "" });
  trackFailure(turn, strand, error, step === top?.block ? name : step);
}

function trackFailure(turn: Turn, strand: Strand, error: RunError, step: string): void {
  const stacks = turn.partOf(strand).tracking.errors?.stacks === true ? { stack: error.stack ?? stackOf(turn, strand) } : {};
  track(turn, strand, "failed", step);
  track(turn, strand, "lastError", errorFacts(error, step, stacks));
  track(turn, strand, "errors", errorFacts(error, step, stacks));
}

/** A failure while another one is being dealt with does not hide that one: the first is handed on. */
function searchRescue(turn: Turn, strandId: string, failure: RunError, from: number): void {
  let at = from;
  let error = failure;
  while (at >= 0) {
    const { frames } = turn.strand(strandId);
    const frame = frames[at];
    if (frame === undefined) break;
    // What begins again here would repeat what was lost in there.
    const inPlace = hasTasks(frame, turn.block(frame.block));
    const begun = { strand: strandId, depth: at + 1, block: frame.block };
    const breaksOff = inPlace ? failedWouldBreakOff(turn, strandId, at) : wouldBreakOff(turn, begun);
    if (wouldRepeat(frames.slice(at), inPlace) || breaksOff) error = { ...error, lost: true };
    if (frame.kind === "rescue") {
      error = error.lost === true ? { ...frame.error, lost: true } : frame.error;
      at = frame.of - 1;
      continue;
    }
    if (frame.kind === "call" && frame.phase === "inside" && frame.outer !== undefined) {
      trackFailure(turn, { ...turn.strand(strandId), scope: frame.outer }, error, frame.block);
    }
    if (rescueItem(turn, strandId, at, error)) return;
    if (!inPlace && wouldBreakOff(turn, { ...begun, depth: at })) error = { ...error, lost: true };
    const rescue = turn.block(frame.block).rescue;
    const spent = frame.kind === "do" && frame.rescued === true;
    if (rescue !== undefined && !spent && applyRescue(turn, strandId, { at, rescue, error })) return;
    at -= 1;
  }
  unhandled(turn, strandId, error);
}

interface Handling {
  readonly at: number;
  readonly rescue: Rescue;
  readonly error: RunError;
}

/** True when the rescue took the failure over. */
function applyRescue(turn: Turn, strandId: string, { at, rescue, error }: Handling): boolean {
  const frame = turn.strand(strandId).frames[at];
  const tries = frame?.tries ?? 0;
  if (rescue.retry !== undefined && error.lost !== true && tries < timesOf(rescue, frame)) {
    restart(turn, strandId, at, tries + 1);
    const { delayMs, factor, capMs } = rescue.retry;
    const delay = Math.min(capMs, delayMs * factor ** tries);
    if (delay <= 0) limitTime(turn, strandId);
    else {
      const id = turn.mint("t");
      turn.emit({ type: "timer_set", timer: { id, strand: strandId, due: turn.at + delay, why: "retry" } });
      turn.emit({ type: "waiting", strand: strandId, on: { on: "timer", id } });
    }
    return true;
  }
  switch (rescue.then) {
    case "fail":
      return false;
    case "block":
      closeOpenLeaf(turn, strandId);
      turn.emit({ type: "blocked", strand: strandId, code: error.code, reason: error.message });
      return true;
    case "continue":
    case "value":
    case "body":
      pushRescue(turn, strandId, at, error);
      return true;
  }
}

/**
 * Unwinds to the frame and begins its block again. Parallel work continues where it is: only what failed is tried again. The block's time
 * begins with the try, not with the delay before it.
 */
function restart(turn: Turn, strandId: string, at: number, tries: number): void {
  const frame = turn.strand(strandId).frames[at];
  if (frame === undefined) return;
  const block = turn.block(frame.block);
  if (block.kind === "work" && hasTasks(frame, block)) {
    const place = leaveFailed(turn, strandId, at + 1, "tried again");
    const kept = place === undefined ? undefined : backToTasks(turn, strandId, place, "tried again");
    if (kept !== undefined) turn.emit({ type: "moved", strand: strandId, patch: {}, ...keeping({ [frame.item?.id ?? ""]: kept }) });
    return restartWork(turn, strandId, block, { tries });
  }
  endDetached(turn, { strand: strandId, depth: at, block: frame.block });
  while (turn.strand(strandId).frames.length > at) leaveFrame(turn, strandId, "failed", "tried again");
  track(turn, turn.strand(strandId), "retries", stepName(turn, frame));
  turn.emit({
    type: "entered",
    strand: strandId,
    frame: {
      ...firstFrame(turn, block),
      tries,
      ...(frame.locals === undefined ? {} : { locals: frame.locals }),
      ...(frame.limits === undefined ? {} : { limits: frame.limits }),
    },
  });
  wake(turn, strandId);
}

/** The rescue's own writes, then its body, then what was promised for afterwards. */
export function walkRescue(
  turn: Turn,
  strandId: string,
  frame: Extract<Frame, { readonly kind: "rescue" }>,
  given: Given | undefined,
): Need | undefined {
  const rescue = rescueOf(turn, frame);
  if (given?.type === "error") {
    turn.emit({ type: "warned", code: given.code, message: given.message, strand: strandId, block: frame.block });
    turn.emit({ type: "moved", strand: strandId, patch: { phase: "body" } });
    return undefined;
  }
  if (frame.phase === "writes") {
    if (rescue.writes !== undefined && rescue.writes.length > 0 && given === undefined) return writesNeed(turn, strandId, rescue.writes);
    if (given?.type === "values") writeErrors(turn, strandId, rescue.writes ?? [], given.values);
    turn.emit({ type: "moved", strand: strandId, patch: { phase: "body" } });
    return undefined;
  }
  if (frame.phase === "body") {
    turn.emit({ type: "moved", strand: strandId, patch: { phase: "end" } });
    if (rescue.body !== undefined) enter(turn, strandId, rescue.body);
    return undefined;
  }
  return finishRescue(turn, strandId, frame, rescue) as undefined;
}

function rescueOf(turn: Turn, frame: Extract<Frame, { readonly kind: "rescue" }>): Rescue {
  if (frame.of >= 0) return turn.block(frame.block).rescue ?? { then: "fail" };
  const body = turn.mainPart().onFailure?.body;
  return { then: "body", after: "fail", ...(body === undefined ? {} : { body }) };
}

function finishRescue(turn: Turn, strandId: string, frame: Extract<Frame, { readonly kind: "rescue" }>, rescue: Rescue): void {
  leaveFrame(turn, strandId, "done");
  if (frame.of < 0) return failRun(turn, strandId, frame.error, frame.elsewhere !== true);
  if (rescue.then === "body" && (rescue.after ?? "fail") === "fail") return searchRescue(turn, strandId, frame.error, frame.of - 1);
  const lost = frame.error.lost === true || turn.strand(strandId).frames.slice(frame.of).some(holdsLost);
  while (turn.strand(strandId).frames.length > frame.of + 1) leaveFrame(turn, strandId, "failed", frame.error.message);
  if (lost) turn.emit({ type: "moved", strand: strandId, patch: { lost: true } });
  if (rescue.then === "value" && turn.strand(strandId).frames.at(-1)?.kind === "do") {
    turn.emit({ type: "moved", strand: strandId, patch: { phase: "writes", ref: null, result: rescue.value ?? null, rescued: true } });
    return;
  }
  leaveFrame(turn, strandId, "failed", frame.error.message);
}

function writesNeed(turn: Turn, strandId: string, writes: readonly Write[]): Need {
  const { scope, frames } = turn.strand(strandId);
  const exprs = Object.fromEntries(
    writes.flatMap((entry, index) => [
      [`path:${index}`, entry.path] as const,
      ...(entry.value === undefined ? [] : [[`value:${index}`, entry.value] as const]),
    ]),
  );
  return { type: "evaluate", strand: strandId, exprs, scope, locals: localsOf(frames), ...frontOf(frames) };
}

function writeErrors(turn: Turn, strandId: string, writes: readonly Write[], values: Readonly<Record<string, Json>>): void {
  for (const [index, entry] of writes.entries()) {
    const path = values[`path:${index}`];
    const target = targetOf(isList(path) ? path.map(textOf) : (splitPath(textOf(path)) ?? []));
    const problem = target.ok
      ? write(turn, turn.strand(strandId).scope, [
          { ...target.value, op: entry.op, value: entry.value === undefined ? true : (values[`value:${index}`] ?? null) },
        ])
      : target.message;
    if (problem !== undefined) turn.emit({ type: "warned", code: "STATE_WRITE", message: problem, strand: strandId });
  }
}

/** A loop in one strand deals with the failure of one item as its workflow says. */
function rescueItem(turn: Turn, strandId: string, at: number, error: RunError): boolean {
  const frame = turn.strand(strandId).frames[at];
  if (frame?.kind !== "work" || frame.item === undefined || frame.mode !== "each") return false;
  const block = turn.block(frame.block) as WorkBlock;
  if (block.onItemFailure === undefined) return false;
  const { list, id, facets, root, attempts } = frame.item;
  const kept = leaveFailed(turn, strandId, at + 1, error.message);
  const held = block.fill === undefined ? { strand: strandId } : {};
  const patch = { item: null, names: null };
  return failItem(turn, { parent: strandId, block, item: { list, id, facets, root }, attempts, patch, kept, ...held }, error);
}

function unhandled(turn: Turn, strandId: string, error: RunError): void {
  const strand = turn.strand(strandId);
  if (strand.item !== undefined) return taskFailed(turn, strandId, error);
  const failure = turn.mainPart().onFailure;
  if (!ofEntry(turn, strand) && failure !== undefined) {
    if (failure.checkpoint) {
      turn.emit({ type: "marked", mark: { id: turn.mint("k"), step: error.block ?? "", reason: `failed: ${error.message}`, at: turn.at } });
    }
    if (failure.body !== undefined && beginOnFailure(turn, strandId, error)) return;
  }
  failRun(turn, strandId, error);
}

function failRun(turn: Turn, strandId: string, error: RunError, own = true): void {
  closeOpenLeaf(turn, strandId);
  const { entry, parent } = turn.strand(strandId);
  if (entry !== undefined) {
    while (turn.strand(strandId).frames.length > 0) leaveFrame(turn, strandId, "failed", error.message);
    turn.emit({ type: "strand_ended", strand: strandId, status: "failed", error });
    return wakeMain(turn);
  }
  // A work that nobody waits for keeps its place for a retry, as the main strand does.
  if (parent !== undefined) turn.emit({ type: "blocked", strand: strandId, code: error.code, reason: error.message });
  else turn.emit({ type: "strand_ended", strand: strandId, status: "failed", ...(own ? { error } : {}) });
  endRun(turn, { status: "failed", error });
}

/** A task's item has failed or is tried again. The work around it fails if its workflow says so. */
function taskFailed(turn: Turn, childId: string, failure: RunError): void {
  const { frames } = turn.strand(childId);
  const [root] = frames;
  const breaksOff = root !== undefined && wouldBreakOff(turn, { strand: childId, depth: 0, block: root.block });
  const error = breaksOff && ownTasksAt(turn, frames) < 0 ? { ...failure, lost: true as const } : failure;
  const kept = leaveFailed(turn, childId, 0, failure.message);
  const child = turn.strand(childId);
  turn.emit({ type: "strand_ended", strand: childId, status: "failed", error });
  const parent = child.parent ?? "";
  const frame = turn.state.strands[parent]?.frames.at(-1);
  if (frame?.kind !== "work" || child.item === undefined) return;
  const block = turn.block(frame.block) as WorkBlock;
  const { attempts, ...item } = child.item;
  const patch = { open: frame.open.filter((id) => id !== childId) };
  const held = block.fill === undefined ? { strand: childId } : {};
  if (failItem(turn, { parent, block, item, attempts, patch, kept, ...held }, error)) return;
  stopTasks(turn, parent, `stopped: task \`${item.id}\` failed`);
  failStrand(turn, parent, {
    code: error.code,
    message: `Task \`${item.id}\` of \`${block.id}\` failed: ${error.message}`,
    block: block.id,
    ...(error.lost === true ? { lost: true } : {}),
  });
}
