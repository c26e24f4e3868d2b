import { defined, own } from "../base/index.ts";
import type { Block } from "../program/index.ts";
import type { EventOf } from "./event.ts";
import { limitTime, timeoutOf, watchTime } from "./enter-leave.ts";
import { failFrame, failStrand } from "./failure.ts";
import type { Blocked, Frame, RunError } from "./frame.ts";
import type { InputOf, Outcome, Rejected } from "./input.ts";
import { askWhatNow, lostPolicy } from "./interrupted-leaf.ts";
import { changeItems } from "./items.ts";
import type { Action, Effect, RunState, Strand, Timer } from "./run-state.ts";
import { sameHolder } from "./read-state.ts";
import { taskName } from "./task-name.ts";
import { holderOf, type Turn } from "./turn.ts";
import { openAction, resolveLeaf } from "./walk-leaf.ts";
import { matchStored } from "./write-state.ts";

export function acceptReport(turn: Turn, input: InputOf<"report">): Rejected | undefined {
  const action = heldAction(turn, input);
  if ("code" in action) return action;
  turn.markShown(action.strand);
  spendTurn(turn, input);
  if (input.change !== undefined) changeItems(turn, input.change);
  return takeReport(turn, action, input);
}

/** The open action, when it is the holder's; otherwise why it is not. */
export function heldAction(turn: Turn, input: Pick<InputOf<"report">, "action" | "holder" | "fence">): Action | Rejected {
  const action = own(turn.state.actions, input.action);
  const details = openRefs(turn.state);
  if (action === undefined) {
    return {
      code: "ACTION_NOT_OPEN",
      message: `There is no open action \`${input.action}\` in run \`${turn.state.id}\`: it was reported before, or taken over. Nothing was changed.`,
      fix: "Ask for the next step and report that one.",
      details,
    };
  }
  const strand = turn.strand(action.strand);
  // Nobody takes the strand that hands out tasks beside another one: its step ends with them all the same.
  const taken = strand.holder !== undefined || strand.fence > 0;
  if (!taken && action.what !== "parallel_tasks") return neverTaken(turn, action, strand);
  if (taken && (!sameHolder(strand.holder, input.holder) || strand.fence !== input.fence)) {
    const now = strand.holder === undefined ? "nobody now" : `${strand.holder.kind} \`${strand.holder.name}\`, not by you`;
    return {
      code: "HOLDER_LOST",
      message: `\`${action.step}\` is held by ${now}. Nothing was changed.`,
      fix: "Leave it to its holder, and ask for the next step later.",
      details,
    };
  }
  return action.what === "parallel_tasks" ? tasksOpen(turn, action) : action;
}

function takeReport(turn: Turn, action: Action, { outcome, write, session, denied }: InputOf<"report">): undefined {
  const { id, strand, paths, what, step, block } = action;
  const driven = { ...(session === undefined ? {} : { session }), ...(denied === undefined ? {} : { denied }) };
  if (outcome.ok === true) {
    const keep = paths.length === 0 && outcome.value !== null ? { result: outcome.value } : {};
    turn.emit({ type: "action_closed", action: id, how: "reported", ...keep, ...driven });
    return resolveLeaf(turn, strand, outcome.value, what === "state_update" ? !isWritten(turn, action) : write);
  }
  const goesBack = outcome.ok === "blocked" || outcome.ok === "denied";
  turn.emit({ type: "action_closed", action: id, how: goesBack ? "cancelled" : "failed", ...driven });
  giveBackNotes(turn, action);
  if (!goesBack) return failLeaf(turn, strand, { ...failureOf(outcome, step), block });
  if (outcome.ok === "denied") return denyLeaf(turn, strand, outcome);
  waitLeaf(turn, strand, outcome);
}

/** How often a step may come back after the time that it waited for with nothing done. */
const mostIdle = 2;

/** The step waits for a time. One that came back twice after such a time with nothing done waits for a person. */
function waitLeaf(
  turn: Turn,
  strand: string,
  { until, reason, idle, pool, role, fixed }: Extract<Outcome, { readonly ok: "blocked" }>,
): undefined {
  const frame = turn.top(strand);
  const rounds = idle === true ? ((frame?.kind === "do" ? frame.idle : undefined) ?? 0) + 1 : 0;
  const of = defined({ pool, role, fixed });
  // A limit of the agent's account is not the workflow's failure. What a reporter says by itself leaves the workflow's own limits in force.
  if (pool !== undefined || idle === true) stopTime(turn, strand);
  if (rounds > mostIdle) {
    blockLeaf(turn, strand, { code: "NO_PROGRESS", reason: `It waited ${mostIdle} times, and nothing could be done. ${reason}`, ...of });
    return turn.move(strand, { idle: null });
  }
  blockLeaf(turn, strand, { code: "BLOCKED_UNTIL", reason, until, ...of });
  if (rounds > 0 || (frame?.kind === "do" && frame.idle !== undefined)) turn.move(strand, { idle: rounds === 0 ? null : rounds });
  turn.setTimer({ strand, due: until, why: "blocked" });
}

/** The step goes back without having cost a try or a step of the budget, and is begun again when the strand continues. */
export function returnLeaf(turn: Turn, strand: string): void {
  turn.emit({ type: "spent", steps: -1 });
  turn.move(strand, { phase: "args", ref: null });
}

function blockLeaf(turn: Turn, strand: string, blocked: Blocked): void {
  returnLeaf(turn, strand);
  turn.emit({ type: "blocked", strand, ...blocked });
}

/** Limits of time around the step begin again with the strand: how long a person takes is not the workflow's failure. */
export function stopTime(turn: Turn, strand: string): void {
  turn.endTimers(strand, ({ why }) => why === "timeout");
}

function denyLeaf(turn: Turn, strand: string, { code, reason }: { readonly code: string; readonly reason: string }): undefined {
  blockLeaf(turn, strand, { code, reason, denied: true });
  stopTime(turn, strand);
}

/** What a driven agent used and was not allowed in a turn, where no report said so. */
export function acceptUsed(turn: Turn, input: InputOf<"used">): undefined {
  const { action, denied } = input;
  spendTurn(turn, input, { action, ...(denied === undefined ? {} : { denied }) });
}

/** A turn for which something was reserved is counted once, by the driver that finds out first that it is over. */
function spendTurn(
  turn: Turn,
  { action, usage, settling }: Pick<InputOf<"used">, "action" | "usage" | "settling">,
  more?: Pick<EventOf<"spent">, "action" | "denied">,
): void {
  const { settles, unknown = [], killed } = settling ?? {};
  if (settles === undefined) {
    if (usage !== undefined || more !== undefined) turn.emit({ type: "spent", ...usage, ...more });
  } else if (own(turn.state.budget.reserved ?? {}, action)?.session === settles)
    turn.emit({ type: "spent", ...usage, ...more, settles: action, ...(unknown.length === 0 ? {} : { unknown, ...defined({ killed }) }) });
  else if (more?.denied !== undefined) turn.emit({ type: "spent", ...more });
}

export function acceptAllowed(turn: Turn, { strand }: InputOf<"allowed">): Rejected | undefined {
  if (own(turn.state.strands, strand)?.blocked?.denied !== true)
    return { code: "NOTHING_TO_RETRY", message: `\`${strand}\` of run \`${turn.state.id}\` does not wait for a permission.` };
  turn.ready(strand);
  limitTime(turn, strand);
}

/** The strand stops waiting for its leaf, which failed. */
function failLeaf(turn: Turn, strand: string, error: RunError): undefined {
  turn.ready(strand);
  failStrand(turn, strand, error);
}

/** The reporter has done a step that it was not given: nothing was lost, and nothing is to be taken over. */
function neverTaken(turn: Turn, { step }: Action, strand: Strand): Rejected {
  const { id } = turn.state;
  const task = strand.task === undefined ? undefined : taskName(strand);
  const [part, by, option] =
    task === undefined ? ["This part", "", ""] : [`Task \`${task}\``, ` with task_id \`${task}\``, ` --task ${task}`];
  return {
    code: "STRAND_NOT_HELD",
    message: `${part} of run \`${id}\` is not claimed yet, so \`${step}\` cannot be reported. Nothing was changed.`,
    fix: `Claim it first: ask for its next step (workflow_next${by}, or \`waymark next ${id}${option}\`), then do and report that.`,
    details: openRefs(turn.state),
  };
}

/** What a person said counts until the step it came with has been done: it comes again with the next try. */
export function giveBackNotes(turn: Turn, { notes = [], step }: Action): void {
  const from = holderOf(turn.by);
  for (const text of notes) turn.emit({ type: "noted", note: { id: turn.mint("n"), text, from, at: turn.at, target: step } });
}

/** Whether the holder made all of the step's writes itself; what it left out the report writes. */
function isWritten(turn: Turn, { strand, paths, args }: Action): boolean {
  const frame = turn.top(strand);
  if (frame?.kind !== "do") return false;
  const { writes } = turn.blockOf(frame);
  const wanted = paths.map((path, at) => ({ path, op: writes[at]?.op ?? ("set" as const), value: args[`value${at}`] ?? null }));
  const made = matchStored(wanted, frame.stored ?? []);
  const before = (path: string): boolean => frame.wrote === true && frame.written?.includes(path) !== false;
  return wanted.every(({ path }, at) => made[at] !== undefined || before(path));
}

/** What is open in a run, short enough for a refusal: steps and questions. */
export function openRefs(
  state: RunState,
  most = 10,
): { readonly open_steps: readonly string[]; readonly open_decisions: readonly string[] } {
  const pending = Object.values(state.decisions).filter(({ status }) => status === "pending");
  const steps = Object.values(state.actions).slice(0, most);
  return { open_steps: steps.map(({ step }) => step), open_decisions: pending.slice(0, most).map(({ id }) => id) };
}

function failureOf(outcome: Exclude<Outcome, { readonly ok: true }>, step: string): RunError {
  if (outcome.ok !== false) return { code: "STEP_FAILED", message: `\`${step}\` cannot be done here.` };
  const { ok: _failed, ...error } = outcome;
  return error;
}

function tasksOpen(turn: Turn, { strand, step }: Action): Rejected {
  const tasks = Object.values(turn.state.strands).filter(({ parent, task }) => parent === strand && task !== undefined);
  const names = tasks.map((task) => taskName(task));
  return {
    code: "TASKS_OPEN",
    message: `\`${step}\` ends by itself when its tasks are done. Still open: ${names.slice(0, 10).join(", ")}${names.length > 10 ? ` and ${names.length - 10} more` : ""}.`,
    fix: "Let each task ask for its next step with its task id until none is left, then ask for the next step of the run.",
    details: { open_tasks: names },
  };
}

export function acceptOutcome(turn: Turn, { effect: id, outcome, change, doubt, warnings = [] }: InputOf<"outcome">): Rejected | undefined {
  const effect = turn.state.effects[id];
  if (effect === undefined) return { code: "EFFECT_NOT_OPEN", message: `The effect \`${id}\` is not open any more.` };
  if (outcome.ok === "cannot") return handOver(turn, effect);
  if (outcome.ok === "lost") return takeUpLost(turn, effect);
  const { strand, step, block } = effect;
  if (outcome.ok === "denied") {
    turn.emit({ type: "effect_closed", effect: id, how: "cancelled" });
    return denyLeaf(turn, strand, outcome);
  }
  if (change !== undefined) changeItems(turn, change);
  for (const warning of warnings) turn.emit({ type: "warned", ...warning, strand, block });
  turn.emit({ type: "effect_closed", effect: id, how: outcome.ok === true ? "done" : "failed" });
  if (outcome.ok !== true) return failLeaf(turn, strand, { ...failureOf(outcome, step), block });
  resolveLeaf(turn, strand, outcome.value);
  if (doubt !== undefined) turn.move(strand, { doubt });
}

/** The process that performed it died: the step's policy decides; it may have been done in part. */
function takeUpLost(turn: Turn, effect: Effect): undefined {
  const { id, strand, step, block } = effect;
  const policy = lostPolicy(turn, effect);
  turn.emit({ type: "effect_closed", effect: id, how: "cancelled" });
  if (policy === "continue") return resolveLeaf(turn, strand, null, false);
  if (policy === "ask") return askWhatNow(turn, strand, effect);
  turn.ready(strand);
  if (policy === "retry") return turn.move(strand, { phase: "args", ref: null });
  turn.move(strand, { interrupted: step });
  const message = `\`${step}\` was interrupted by a crash; it may have been done in part.`;
  failStrand(turn, strand, { code: "EFFECT_LOST", message, block, lost: true });
}

/** The engine cannot do it here after all: the agent gets it. */
function handOver(turn: Turn, { id, strand, step, args, replaced, block: of }: Effect): undefined {
  const block = turn.block(of);
  turn.emit({ type: "effect_closed", effect: id, how: "handed_over" });
  if (block.kind !== "do" || block.orAgent !== true)
    return failLeaf(turn, strand, { code: "STEP_FAILED", message: `\`${step}\` cannot be done here.`, block: of });
  const frame = turn.top(strand);
  openAction(turn, { strand, block }, { step, args, paths: frame?.kind === "do" ? (frame.paths ?? []) : [], replaced });
  watchTime(turn, strand, block);
}

function tooLong(frame: Frame, block: Block): string {
  const step = (frame.kind === "do" ? frame.name : undefined) ?? block.label?.text ?? block.id;
  const limit = timeoutOf(block, frame);
  return `\`${step}\` took longer than its limit${limit === undefined ? "" : ` of ${spanOf(limit)}`}.`;
}

function spanOf(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000} s` : `${ms} ms`;
}

export function acceptWoke(turn: Turn, { timer: id }: InputOf<"woke">): Rejected | undefined {
  const timer = turn.state.timers[id];
  if (timer === undefined) return { code: "TIMER_GONE", message: `The timer \`${id}\` is not set any more.` };
  if (timer.due > turn.at) return { code: "TIMER_EARLY", message: `The timer \`${id}\` is not due yet.` };
  turn.emit({ type: "timer_gone", timer: id });
  const strand = turn.state.strands[timer.strand];
  if (strand === undefined) return undefined;
  if (timer.why === "timeout") {
    const depth = timer.depth ?? 0;
    const frame = strand.frames[depth];
    const block = frame?.block ?? "";
    const message = frame === undefined ? "The time is over." : tooLong(frame, turn.block(block));
    if (strand.status === "waiting") turn.ready(strand.id);
    return failFrame(turn, strand.id, { code: "TIMEOUT", message, block }, depth);
  }
  if (!isAwaited(strand, timer)) return undefined;
  if (timer.why === "wait") return resolveLeaf(turn, strand.id, null);
  turn.ready(strand.id);
  if (timer.why === "retry" || timer.why === "blocked") limitTime(turn, strand.id);
}

/** A strand that is blocked for something else, or until another time, does not wait for this timer. */
function isAwaited({ status, blocked, waits }: Strand, { id, why, due }: Timer): boolean {
  if (why === "blocked") return status === "blocked" && blocked?.until === due;
  return waits?.on === "timer" && waits.id === id;
}
