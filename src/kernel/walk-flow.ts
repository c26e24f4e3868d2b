import { counted } from "../base/index.ts";
import { completeRun, endRun, taskEnded } from "./ending.ts";
import { cancelStrand, enter, leaveFrame, leaveTo } from "./enter-leave.ts";
import { failFrame, failStrand } from "./failure.ts";
import type { FrameOf, Reopening } from "./frame.ts";
import type { Given, Need } from "./input.ts";
import { emitReopened, settleItem } from "./items.ts";
import { restoreFrames } from "./retry-strand.ts";
import { mainScope } from "./run-state.ts";
import type { Turn } from "./turn.ts";

export function walkChoose(turn: Turn, strand: string, frame: FrameOf<"choose">, given: Given | undefined): Need | undefined {
  const { branches, otherwise } = turn.blockOf(frame);
  if (frame.branch !== null) return leaveFrame(turn, strand, "done");
  if (given === undefined && branches.length > 0)
    return { ...turn.evaluate(strand, Object.fromEntries(branches.map(({ when }, index) => [String(index), when]))), first: true };
  const values = given?.type === "values" ? given.values : {};
  const branch = branches.findIndex((_branch, at) => values[String(at)] === true);
  const target = branch < 0 ? otherwise : branches[branch]?.then;
  turn.move(strand, { branch, ...(frame.before === undefined ? {} : { before: null }) });
  if (frame.before?.branch === branch) restoreFrames(turn, strand, frame.before.frames);
  else if (target !== undefined) enter(turn, strand, target);
}

/** `while` is asked before a round, `until` after it. */
export function walkRepeat(turn: Turn, strand: string, frame: FrameOf<"repeat">, given: Given | undefined): Need | undefined {
  const { id, while: whileTrue, until, max, onLimit, lacks, body } = turn.blockOf(frame);
  const question = frame.inside ? (until ?? whileTrue) : whileTrue;
  if (question !== undefined && given === undefined)
    return turn.evaluate(strand, { "0": question }, { iteration: frame.round + (question === until ? 0 : 1) });
  const held = given?.type === "values" && given.values["0"] === true;
  const over = question !== undefined && held === (question === until);
  if (over) return leaveFrame(turn, strand, "done");
  if (frame.round >= (frame.most ?? max)) {
    const rounds = counted(frame.round, "round");
    const message = lacks === undefined ? `\`${id}\` did ${rounds} and its condition still holds.` : `${rounds} without ${lacks}.`;
    if (onLimit === "fail") return failStrand(turn, strand, { code: "LOOP_LIMIT", message, block: id });
    turn.emit({ type: "warned", code: "LOOP_LIMIT", message, strand, block: id });
    return leaveFrame(turn, strand, "done");
  }
  const round = frame.round + 1;
  turn.move(strand, { round, inside: true, locals: { ...frame.locals, iteration: round } });
  enter(turn, strand, body);
}

export function walkMachine(turn: Turn, strand: string, frame: FrameOf<"machine">, given: Given | undefined): Need | undefined {
  const state = turn.blockOf(frame).states[frame.state];
  if (state === undefined) return leaveFrame(turn, strand, "done");
  if (!frame.inside) {
    turn.move(strand, { inside: true });
    return enter(turn, strand, state.body);
  }
  const asked = state.outcomes.flatMap(({ when }, index) => (when === undefined ? [] : [[String(index), when] as const]));
  if (asked.length > 0 && given === undefined) return { ...turn.evaluate(strand, Object.fromEntries(asked)), first: true };
  const values = given?.type === "values" ? given.values : {};
  const outcome = state.outcomes.find(({ when }, index) => when === undefined || values[String(index)] === true);
  if (outcome === undefined) {
    const message = `State \`${frame.state}\` ended and none of its outcomes holds.`;
    return failStrand(turn, strand, { code: "MACHINE_NO_OUTCOME", message, block: frame.block });
  }
  return outcome.to === null ? leaveFrame(turn, strand, "done") : turn.move(strand, { state: outcome.to, inside: false });
}

/** Each way out leaves the frame of the `leave` block too, or fails in it: then a retry comes to it again. */
export function walkLeave(turn: Turn, strand: string, frame: FrameOf<"leave">, given: Given | undefined): Need | undefined {
  const { id, how, message: expr, state = "", items = [] } = turn.blockOf(frame);
  if (how === "finish") return completeRun(turn, strand, given, id);
  if (expr !== undefined && given === undefined) return turn.evaluate(strand, { message: expr });
  const text = given?.type === "values" ? given.values["message"] : undefined;
  const message = typeof text === "string" && text !== "" ? text : undefined;
  switch (how) {
    case "break":
    case "continue":
      return leaveLoop(turn, strand, how, id);
    case "skip":
      return skipItem(turn, strand, message ?? `left at \`${id}\``);
    case "to":
      return leaveToState(turn, strand, state, id);
    case "cancel":
      return cancelRun(turn, strand, message ?? `cancelled at \`${id}\``, id);
    case "reopen":
      return giveBack(turn, strand, { ids: items, reason: message ?? `reopened by \`${id}\`` });
    case "fail": {
      const error = { code: "STEP_EXIT", message: message ?? `The workflow was ended as failed by \`${id}\`.`, block: id };
      // The exit keeps its place, so that a retry does not walk past it; what is around it deals with the failure.
      return failFrame(turn, strand, error, turn.strand(strand).frames.length - 2);
    }
  }
}

/** Unwinds to the nearest loop of the strand. `break` leaves it, `continue` begins its next round. */
function leaveLoop(turn: Turn, strand: string, how: "break" | "continue", by: string): undefined {
  const { frames } = turn.strand(strand);
  const at = frames.findLastIndex((frame) => frame.kind === "repeat" || (frame.kind === "work" && frame.mode === "each"));
  if (at < 0) return failStrand(turn, strand, { code: "NO_LOOP", message: `\`${by}\` is a ${how} outside of a loop.`, block: by });
  const reason = `left by ${how} at \`${by}\``;
  leaveFrame(turn, strand, "done");
  leaveTo(turn, strand, at + 1, { how: "skipped", reason });
  if (how === "continue") return;
  settleItem(turn, strand, "completed");
  leaveFrame(turn, strand, "done", reason);
}

/** Moves the nearest machine that has the state; strands between here and there are cancelled. */
function leaveToState(turn: Turn, strand: string, state: string, by: string): undefined {
  for (let id: string | undefined = strand; id !== undefined; id = turn.strand(id).parent) {
    const { frames } = turn.strand(id);
    const at = frames.findLastIndex((frame) => frame.kind === "machine" && turn.blockOf(frame).states[state] !== undefined);
    if (at < 0) continue;
    const reason = `moved to state \`${state}\` by \`${by}\``;
    leaveFrame(turn, strand, "done");
    leaveTo(turn, id, at + 1, { how: "skipped", reason });
    turn.move(id, { state, inside: false });
    turn.wake(id);
    if (id !== strand) cancelStrand(turn, strand, "pending", reason);
    return;
  }
  const message = `\`${by}\` leads to the state \`${state}\`, but no enclosing machine has that state.`;
  failStrand(turn, strand, { code: "NO_STATE", message, block: by });
}

/** The current item is done, and nothing new begins; without one around it the run ends here. A call is not the run: it fails. */
function cancelRun(turn: Turn, strand: string, reason: string, by: string): undefined {
  const { scope, item } = turn.strand(strand);
  if (scope !== mainScope) {
    const error = { code: "CALL_CANCELLED", message: reason, block: by };
    return failFrame(turn, strand, error, turn.strand(strand).frames.length - 2);
  }
  leaveFrame(turn, strand, "done");
  turn.emit({ type: "closing", reason });
  if (item !== undefined) {
    leaveTo(turn, strand, 0, { how: "skipped", reason });
    return taskEnded(turn, strand);
  }
  const at = itemFrameAt(turn, strand);
  if (at < 0) return endRun(turn, { status: "cancelled", reason, error: { code: "RUN_CANCELLED", message: reason } });
  leaveTo(turn, strand, at + 1, { how: "skipped", reason });
  settleItem(turn, strand, "completed");
}

/** The current item goes back to its work, which opens the others again before it chooses the next one. */
function giveBack(turn: Turn, strand: string, asked: Reopening): undefined {
  const { item, parent = "" } = turn.strand(strand);
  const work = turn.state.strands[parent]?.frames.at(-1);
  const at = itemFrameAt(turn, strand);
  const push = { push: { reopening: { ids: asked.ids, reason: asked.reason } } };
  if (at >= 0) {
    leaveFrame(turn, strand, "done");
    leaveTo(turn, strand, at + 1, { how: "skipped", reason: asked.reason });
    settleItem(turn, strand, "pending", asked.reason);
    return turn.move(strand, {}, push);
  }
  if (item === undefined || work?.kind !== "work")
    return failStrand(turn, strand, { code: "NO_LOOP", message: "There is no item to give back here." });
  cancelStrand(turn, strand, "pending", asked.reason);
  emitReopened(turn, { list: item.list, id: item.id, reason: asked.reason });
  turn.move(parent, { open: work.open.filter((id) => id !== strand) }, push);
  turn.wake(parent);
}

function itemFrameAt(turn: Turn, strand: string): number {
  return turn.strand(strand).frames.findLastIndex((frame) => frame.kind === "work" && frame.mode === "each" && frame.item !== undefined);
}

/** Settles the item that this strand works on as skipped: the innermost one, else the one the strand was opened for. */
function skipItem(turn: Turn, strand: string, reason: string): undefined {
  const { item } = turn.strand(strand);
  const at = itemFrameAt(turn, strand);
  if (at < 0 && item === undefined) return failStrand(turn, strand, { code: "NO_LOOP", message: "There is no item to skip here." });
  leaveFrame(turn, strand, "done");
  leaveTo(turn, strand, at + 1, { how: "skipped", reason });
  return at < 0 ? taskEnded(turn, strand, reason) : settleItem(turn, strand, "skipped", reason);
}
