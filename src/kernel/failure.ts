import { splitPath, type JsonObject } from "../base/index.ts";
import type { Rescue, WorkBlock } from "../program/index.ts";
import { endDetached, endWorksOf, failedWouldBreakOff, wouldBreakOff } from "./detached-works.ts";
import { endRun, ofEntry, wakeMain } from "./ending.ts";
import { closeHandout, closeKept, closeOpenLeaf, firstFrame, leaveTo, limitTime, timesOf } from "./enter-leave.ts";
import type { KeptTask, RunError, WorkFrame } from "./frame.ts";
import { holdsLost, wouldRepeat } from "./interrupted-leaf.ts";
import { moveTaken, settleItem } from "./items.ts";
import { backToTasks, hasTasks, keeping, ownTasksAt, scopeBelow } from "./kept-places.ts";
import { stepName } from "./read-state.ts";
import { reopenFailed } from "./retry-strand.ts";
import type { TakenItem } from "./run-state.ts";
import { giveUpOpen, leaveFailed, stopTasks } from "./stop-strands.ts";
import { track, trackFailure } from "./tracking.ts";
import { localsOf, type Turn } from "./turn.ts";
import { targetOf } from "./write-state.ts";

/**
 * A block of the strand failed. The innermost frame that can deal with it does; if none can, the strand fails with its
 * frames kept, so that a retry continues at the same place.
 */
export function failStrand(turn: Turn, strandId: string, error: RunError): undefined {
  failFrame(turn, strandId, error, turn.strand(strandId).frames.length - 1);
}

/** The block of one frame failed as a whole: what is inside it has no say in that. */
export function failFrame(turn: Turn, strandId: string, error: RunError, depth: number): undefined {
  const strand = turn.strand(strandId);
  const top = strand.frames.at(-1);
  const name = top === undefined ? "" : stepName(top);
  const step = error.block ?? name;
  turn.emit({ type: "failed", strand: strandId, block: step, error, handled: "" });
  trackFailure(turn, strand, error, step === top?.block ? name : step);
  stopTasks(turn, strandId, `stopped: ${error.message}`);
  closeHandout(turn, strandId);
  closeOpenLeaf(turn, strandId);
  searchRescue(turn, strandId, error, depth);
}

/** A failure while another one is being dealt with does not hide that one: the first is handed on. */
export function searchRescue(turn: Turn, strandId: string, failure: RunError, from: number): undefined {
  let at = from;
  let error = failure;
  while (at >= 0) {
    const { frames } = turn.strand(strandId);
    const frame = frames[at];
    if (frame === undefined) break;
    // What begins again here would repeat what was lost in there.
    const inPlace = hasTasks(turn, frame);
    const begun = { strand: strandId, depth: at + 1, block: frame.block };
    const breaksOff = inPlace ? failedWouldBreakOff(turn, strandId, at) : wouldBreakOff(turn, begun);
    if (wouldRepeat(frames.slice(at), inPlace) || breaksOff) error = { ...error, lost: true };
    if (frame.kind === "rescue") {
      error = error.lost === true ? { ...frame.error, lost: true } : frame.error;
      at = frame.of - 1;
      continue;
    }
    if (frame.kind === "call" && frame.phase === "inside" && frame.outer !== undefined)
      trackFailure(turn, { ...turn.strand(strandId), scope: frame.outer }, error, frame.block);
    if (rescueItem(turn, strandId, at, error)) return;
    if (!inPlace && wouldBreakOff(turn, { ...begun, depth: at })) error = { ...error, lost: true };
    const { rescue } = turn.block(frame.block);
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

/** No policy tries it again. */
function isFinal({ lost, needsPerson }: RunError): boolean {
  return lost === true || needsPerson === true;
}

/** True when the rescue took the failure over. */
function applyRescue(turn: Turn, strand: string, { at, rescue, error }: Handling): boolean {
  const frame = turn.strand(strand).frames[at];
  const tries = frame?.tries ?? 0;
  const final = isFinal(error) || (error.final === true && frame?.kind === "do");
  if (rescue.retry !== undefined && !final && tries < timesOf(rescue, frame)) {
    restart(turn, strand, at, tries + 1);
    const { delayMs, factor, capMs } = rescue.retry;
    const delay = Math.min(capMs, delayMs * factor ** tries);
    if (delay <= 0) limitTime(turn, strand);
    else turn.wait(strand, { on: "timer", id: turn.setTimer({ strand, due: turn.at + delay, why: "retry" }) });
    return true;
  }
  if (rescue.then === "fail" || waitsForPerson(turn, strand, { at, rescue, error })) return false;
  if (rescue.then !== "block") pushRescue(turn, strand, at, error);
  else {
    closeOpenLeaf(turn, strand);
    turn.emit({ type: "blocked", strand, code: error.code, reason: error.message });
  }
  return true;
}

/** Only a person passes a question for a person: no default is written in place of the answer, and silence does not pass it. */
function waitsForPerson(turn: Turn, strand: string, { at, rescue, error }: Handling): boolean {
  const frame = turn.strand(strand).frames[at];
  const block = frame === undefined ? undefined : turn.block(frame.block);
  if (block?.kind !== "do" || block.ask?.answerBy !== "person") return false;
  const passes = rescue.then === "value" || rescue.then === "continue";
  return passes && (error.code === "TIMEOUT" || (rescue.then === "value" && block.writes.length > 0));
}

/** Unwinds to the frame and begins its block again. The block's time begins with the try, not with the delay before it. */
function restart(turn: Turn, strand: string, at: number, tries: number): void {
  const frame = turn.strand(strand).frames[at];
  if (frame === undefined) return;
  if (hasTasks(turn, frame)) return restartWork(turn, strand, at, { frame, tries });
  endDetached(turn, { strand, depth: at, block: frame.block });
  leaveTo(turn, strand, at, { how: "failed", reason: "tried again" });
  track(turn, turn.strand(strand), "retries", stepName(frame));
  const { locals, limits } = frame;
  const kept = { ...(locals === undefined ? {} : { locals }), ...(limits === undefined ? {} : { limits }) };
  turn.emit({ type: "entered", strand, frame: { ...firstFrame(turn, turn.block(frame.block)), tries, ...kept } });
  turn.wake(strand);
}

/** Parallel work is tried again in place: what is done stays, what stopped continues, what failed is open again. */
function restartWork(
  turn: Turn,
  strand: string,
  at: number,
  { frame, tries }: { readonly frame: WorkFrame; readonly tries: number },
): void {
  const place = leaveFailed(turn, strand, at + 1, "tried again");
  const kept = place && backToTasks(turn, strand, place, "tried again");
  if (kept !== undefined) turn.move(strand, {}, keeping({ [frame.item?.id ?? ""]: kept }));
  turn.endTimers(strand, ({ depth }) => depth === at);
  settleItem(turn, strand, "pending", "tried again");
  track(turn, turn.strand(strand), "retries", frame.block);
  reopenFailed(turn, strand, "policy", { tries, phase: "run", next: null });
  if (frame.item !== undefined) endWorksOf(turn, strand, [frame.item.id], "policy");
  turn.wake(strand);
}

/** Puts the dealing with a failure on the strand's stack. `of` is the index of the frame that is rescued; -1 for the run's own steps. */
function pushRescue(turn: Turn, strandId: string, of: number, error: RunError): void {
  const strand = turn.strand(strandId);
  const depth = Math.max(of, 0);
  const block = strand.frames[depth]?.block ?? turn.mainPart().root;
  const scope = scopeBelow(strand, depth);
  const elsewhere = scope !== strand.scope;
  const names = elsewhere ? { ...localsOf(strand.frames.slice(0, depth)), ...strand.frames[of]?.locals } : {};
  const locals = { ...names, error: { message: error.message, code: error.code, type: error.code, step_id: error.block ?? "" } };
  const inner = elsewhere ? { inner: strand.scope } : {};
  closeOpenLeaf(turn, strandId);
  turn.endTimers(strandId, (timer) => timer.why === "timeout" && (timer.depth ?? 0) >= of);
  turn.emit({ type: "entered", strand: strandId, frame: { kind: "rescue", block, of, error, phase: "writes", locals, ...inner }, scope });
  turn.wake(strandId);
}

/** A loop in one strand deals with the failure of one item as its workflow says. */
function rescueItem(turn: Turn, strand: string, at: number, error: RunError): boolean {
  const frame = turn.strand(strand).frames[at];
  if (frame?.kind !== "work" || frame.item === undefined || frame.mode !== "each") return false;
  if (turn.blockOf(frame).onItemFailure === undefined) return false;
  const kept = leaveFailed(turn, strand, at + 1, error.message);
  return failItem(turn, { strand, parent: strand, frame, item: frame.item, patch: { item: null, names: null }, kept }, error);
}

/** The body of a task failed. The work around it fails too if its workflow says so. */
function failTask(turn: Turn, strand: string, failure: RunError): void {
  const { frames, parent = "", item } = turn.strand(strand);
  const [root] = frames;
  const breaksOff = root !== undefined && wouldBreakOff(turn, { strand, depth: 0, block: root.block });
  const error = breaksOff && ownTasksAt(turn, frames) < 0 ? { ...failure, lost: true as const } : failure;
  const kept = leaveFailed(turn, strand, 0, failure.message);
  turn.emit({ type: "strand_ended", strand, status: "failed", error });
  const frame = turn.state.strands[parent]?.frames.at(-1);
  if (frame?.kind !== "work" || item === undefined) return;
  const patch = { open: frame.open.filter((id) => id !== strand) };
  if (failItem(turn, { strand, parent, frame, item, patch, kept }, error)) return;
  stopTasks(turn, parent, `stopped: task \`${item.id}\` failed`);
  const message = `Task \`${item.id}\` of \`${frame.block}\` failed: ${error.message}`;
  failStrand(turn, parent, {
    code: error.code,
    message,
    block: frame.block,
    ...(error.lost === true ? { lost: true } : {}),
    ...personOf(error),
  });
}

/** What fails around it needs the person too. */
function personOf({ needsPerson }: RunError): Pick<RunError, "needsPerson"> {
  return needsPerson === true ? { needsPerson } : {};
}

interface FailedItem {
  /** The strand that worked on it, and the one whose work it is. */
  readonly strand: string;
  readonly parent: string;
  readonly frame: WorkFrame;
  readonly item: TakenItem;
  /** What changes in the work's frame. */
  readonly patch: JsonObject;
  /** Where its body failed. */
  readonly kept: KeptTask | undefined;
}

/** An item whose body failed is tried again as its workflow says, or has failed for good. True when the work continues all the same. */
function failItem(turn: Turn, { strand, parent, frame, item, patch, kept }: FailedItem, error: RunError): boolean {
  const block = turn.blockOf(frame);
  const { id, attempts } = item;
  const { retries, then } = block.onItemFailure ?? { retries: 0, then: "fail" };
  const again = !isFinal(error) && attempts <= retries;
  const reason = again ? `try ${attempts} failed: ${error.message}` : error.message;
  moveTaken(turn, strand, item, { to: again ? "pending" : "failed", reason });
  // The place of what failed for good is for a retry of the run. Rows of a declared list are opened again by others too.
  const forRetry = !again && then !== "continue" && block.fill !== undefined;
  const place = kept === undefined || forRetry ? kept : backToTasks(turn, parent, kept, error.message);
  // The work continues without it. Should a retry open it again, it begins at its first step.
  const over = !again && then === "continue" ? place : undefined;
  const lost = error.lost === true || over?.frames.some(holdsLost) === true;
  const keeps = place === undefined || over !== undefined ? {} : keeping({ [id]: place });
  const change = { ...patch, ...(lost ? { lost } : {}) };
  if (again) turn.move(parent, change, keeps);
  else turn.move(parent, { ...change, ...firstReason(block, frame, error) }, { push: { failed: id }, ...keeps });
  if (over !== undefined) closeKept(turn, parent, over, error.message);
  if (again) endWorksOf(turn, parent, [id], "policy");
  else collect(turn, parent, block, { task_id: id, message: error.message, type: error.code, attempts });
  turn.wake(parent);
  return again || then !== "fail";
}

function firstReason({ unit }: WorkBlock, { failed }: WorkFrame, { message }: RunError): JsonObject {
  return unit === undefined || failed.length > 0 ? {} : { why: message };
}

/** Appends the failure to the field that the workflow collects failures in. */
function collect(turn: Turn, strandId: string, { onItemFailure }: WorkBlock, value: JsonObject): void {
  const target = targetOf(splitPath(onItemFailure?.collect ?? "") ?? []);
  if (target.ok) turn.write(turn.strand(strandId).scope, [{ ...target.value, op: "append", value }]);
}

function unhandled(turn: Turn, strandId: string, error: RunError): void {
  const strand = turn.strand(strandId);
  if (strand.item !== undefined) return failTask(turn, strandId, error);
  const failure = ofEntry(turn, strand) ? undefined : turn.mainPart().onFailure;
  if (failure?.checkpoint === true)
    turn.emit({ type: "marked", mark: { id: turn.mint("k"), step: error.block ?? "", reason: `failed: ${error.message}`, at: turn.at } });
  if (failure?.body === undefined || !beginOnFailure(turn, strandId, error)) failRun(turn, strandId, error);
}

/**
 * The run's own error steps, in the main strand, whichever strand failed. A work that nobody waits for keeps its place meanwhile, and main
 * gives up what it has open. False when these steps themselves failed.
 */
function beginOnFailure(turn: Turn, strand: string, error: RunError): boolean {
  const main = turn.main();
  if (main === undefined) return false;
  const begun = main.frames.some((frame) => frame.kind === "rescue" && frame.of < 0);
  if (main.id === strand) {
    if (!begun) pushRescue(turn, strand, -1, error);
    return !begun;
  }
  closeOpenLeaf(turn, strand);
  turn.emit({ type: "blocked", strand, code: error.code, reason: error.message });
  if (begun) return true;
  giveUpOpen(turn, main.id, `stopped: ${error.message}`);
  pushRescue(turn, main.id, -1, error);
  turn.move(main.id, { elsewhere: true });
  return true;
}

/** `own`: the error is this strand's, not that of a strand elsewhere. */
export function failRun(turn: Turn, strand: string, error: RunError, own = true): undefined {
  closeOpenLeaf(turn, strand);
  const { entry, parent } = turn.strand(strand);
  if (entry !== undefined) {
    leaveTo(turn, strand, 0, { how: "failed", reason: error.message });
    turn.emit({ type: "strand_ended", strand, status: "failed", error });
    return wakeMain(turn);
  }
  // A work that nobody waits for keeps its place for a retry, as the main strand does.
  if (parent !== undefined) turn.emit({ type: "blocked", strand, code: error.code, reason: error.message });
  else turn.emit({ type: "strand_ended", strand, status: "failed", ...(own ? { error } : {}) });
  endRun(turn, { status: "failed", error });
}
