import { own, type Json } from "../base/index.ts";
import { limitTime, watchTime } from "./enter.ts";
import { failFrame, failStrand } from "./failure.ts";
import type { Actor, Input, Outcome, Rejected } from "./input.ts";
import { changeItems } from "./items.ts";
import { openRefs } from "./open-refs.ts";
import { lostPolicy } from "./interrupted-leaf.ts";
import { askWhatNow } from "./lost-question.ts";
import type { Action, Effect, Holder, Strand, Timer } from "./run-state.ts";
import { matchStored } from "./stored-writes.ts";
import { taskName } from "./task-name.ts";
import type { Turn } from "./turn.ts";
import { show } from "./unshown.ts";
import { openAction, resolveLeaf } from "./walk-leaf.ts";

type InputOf<T extends Input["type"]> = Extract<Input, { readonly type: T }>;

export function acceptReport(turn: Turn, input: InputOf<"report">): Rejected | undefined {
  const action = own(turn.state.actions, input.action);
  if (action === undefined) {
    return {
      code: "ACTION_NOT_OPEN",
      message: `There is no open action \`${input.action}\` in run \`${turn.state.id}\`: it was reported before, or taken over. Nothing was changed.`,
      fix: "Ask for the next step and report that one.",
      details: openRefs(turn.state),
    };
  }
  const strand = turn.strand(action.strand);
  // Nobody takes the strand that hands out tasks beside another one: its step ends with them all the same.
  if (strand.holder === undefined && strand.fence === 0)
    return action.what === "parallel_tasks"
      ? tasksOpen(turn, action)
      : neverTaken(turn, action, strand.task === undefined ? undefined : taskName(strand));
  if (!sameHolder(strand.holder, input.holder) || strand.fence !== input.fence) {
    const now = strand.holder === undefined ? "nobody" : `${strand.holder.kind} \`${strand.holder.name}\``;
    return {
      code: "HOLDER_LOST",
      message: `This report came too late: \`${action.step}\` is now held by ${now}. Nothing was changed.`,
      fix: "Resume the run to take it over, or leave it to the new holder.",
      details: openRefs(turn.state),
    };
  }
  if (action.what === "parallel_tasks") return tasksOpen(turn, action);
  show(turn, strand.id);
  if (input.usage !== undefined) turn.emit({ type: "spent", ...input.usage });
  const { outcome } = input;
  changeItems(turn, input.change);
  if (outcome.ok === true) {
    const keep = action.paths.length === 0 && outcome.value !== null ? { result: outcome.value } : {};
    turn.emit({ type: "action_closed", action: action.id, how: "reported", ...keep });
    resolveLeaf(turn, strand.id, outcome.value, action.what === "state_update" ? !isWritten(turn, action) : input.write);
    return undefined;
  }
  if (outcome.ok === "blocked") return blockUntil(turn, action, outcome) as undefined;
  turn.emit({ type: "action_closed", action: action.id, how: "failed" });
  giveBackNotes(turn, action);
  turn.emit({ type: "ready", strand: strand.id });
  failStrand(turn, strand.id, { ...failureOf(outcome, action.step), block: action.block });
  return undefined;
}

/** Whoever reports has done a step that was not handed to them: nothing was lost, and nothing is to be taken over. */
function neverTaken(turn: Turn, action: Action, task: string | undefined): Rejected {
  const { id } = turn.state;
  const [part, by, option] =
    task === undefined ? ["this part", "", ""] : [`task \`${task}\``, ` with task_id \`${task}\``, ` --task ${task}`];
  return {
    code: "STRAND_NOT_HELD",
    message: `Nobody has taken ${part} of run \`${id}\` yet, so \`${action.step}\` cannot be reported. Nothing was changed.`,
    fix: `Take it first: ask for its next step (workflow_next${by}, or \`waymark next ${id}${option}\`), then do and report that.`,
    details: openRefs(turn.state),
  };
}

/** The step goes back without having cost a try or a step of the budget, and is handed out again when the time has come. */
function blockUntil(turn: Turn, action: Action, { until, reason }: Extract<Outcome, { readonly ok: "blocked" }>): void {
  turn.emit({ type: "action_closed", action: action.id, how: "cancelled" });
  giveBackNotes(turn, action);
  turn.emit({ type: "spent", steps: -1 });
  turn.emit({ type: "moved", strand: action.strand, patch: { phase: "args", ref: null } });
  turn.emit({ type: "blocked", strand: action.strand, code: "BLOCKED_UNTIL", reason, until });
  turn.emit({ type: "timer_set", timer: { id: turn.mint("t"), strand: action.strand, due: until, why: "blocked" } });
}

/** What a person said counts until the step it came with has been done: it comes again with the next try. */
function giveBackNotes(turn: Turn, { notes = [], step }: Action): void {
  const { kind, name, session } = turn.by;
  const from = { kind: kind === "engine" ? ("worker" as const) : kind, name, session };
  for (const text of notes) turn.emit({ type: "noted", note: { id: turn.mint("n"), text, from, at: turn.at, target: step } });
}

/** Whether the holder made all of the step's writes itself; what it left out the report writes. */
function isWritten(turn: Turn, { strand, block: of, paths, args }: Action): boolean {
  const frame = turn.strand(strand).frames.at(-1);
  const block = turn.block(of);
  if (frame?.kind !== "do" || block.kind !== "do") return false;
  const wanted = paths.map((path, at) => ({ path, op: block.writes[at]?.op ?? ("set" as const), value: args[`value${at}`] ?? null }));
  const made = matchStored(wanted, frame.stored ?? []);
  const before = ({ path }: { readonly path: string }): boolean => frame.wrote === true && frame.written?.includes(path) !== false;
  return wanted.every((each, at) => made[at] !== undefined || before(each));
}

export function sameHolder(a: Holder | undefined, b: Pick<Actor, "kind" | "name" | "session">): boolean {
  return a !== undefined && a.kind === b.kind && a.name === b.name && a.session === b.session;
}

function failureOf(
  outcome: Exclude<Outcome, { readonly ok: true }>,
  step: string,
): { readonly code: string; readonly message: string; readonly stack?: string } {
  if (outcome.ok !== false) return { code: "STEP_FAILED", message: `\`${step}\` cannot be done here.` };
  return { code: outcome.code, message: outcome.message, ...(outcome.stack === undefined ? {} : { stack: outcome.stack }) };
}

function tasksOpen(turn: Turn, action: Action): Rejected {
  const tasks = Object.values(turn.state.strands).filter((strand) => strand.parent === action.strand && strand.task !== undefined);
  const names = tasks.map((strand) => taskName(strand));
  return {
    code: "TASKS_OPEN",
    message: `\`${action.step}\` ends by itself when its tasks are done. Still open: ${names.slice(0, 10).join(", ")}${names.length > 10 ? ` and ${names.length - 10} more` : ""}.`,
    fix: "Let each task ask for its next step with its task id until none is left, then ask for the next step of the run.",
    details: { open_tasks: names },
  };
}

export function acceptOutcome(turn: Turn, input: InputOf<"outcome">): Rejected | undefined {
  const effect = turn.state.effects[input.effect];
  if (effect === undefined) return { code: "EFFECT_NOT_OPEN", message: `The effect \`${input.effect}\` is not open any more.` };
  const { outcome } = input;
  if (outcome.ok === "cannot") return handOver(turn, input.effect);
  if (outcome.ok === "lost") return takeUpLost(turn, effect);
  changeItems(turn, input.change);
  turn.emit({ type: "effect_closed", effect: effect.id, how: outcome.ok === true ? "done" : "failed" });
  if (outcome.ok === true) {
    resolveLeaf(turn, effect.strand, outcome.value);
    if (input.doubt !== undefined) turn.emit({ type: "moved", strand: effect.strand, patch: { doubt: input.doubt } });
  } else {
    turn.emit({ type: "ready", strand: effect.strand });
    failStrand(turn, effect.strand, { ...failureOf(outcome, effect.step), block: effect.block });
  }
  return undefined;
}

/** The process that performed it died: the step's policy decides; it may have been done in part. */
function takeUpLost(turn: Turn, effect: Effect): undefined {
  const policy = lostPolicy(turn, effect);
  turn.emit({ type: "effect_closed", effect: effect.id, how: "cancelled" });
  if (policy === "continue") return resolveLeaf(turn, effect.strand, null, false) as undefined;
  if (policy === "ask") return askWhatNow(turn, turn.strand(effect.strand), effect) as undefined;
  turn.emit({ type: "ready", strand: effect.strand });
  if (policy === "retry") {
    turn.emit({ type: "moved", strand: effect.strand, patch: { phase: "args", ref: null } });
    return;
  }
  turn.emit({ type: "moved", strand: effect.strand, patch: { interrupted: effect.step } });
  failStrand(turn, effect.strand, {
    code: "EFFECT_LOST",
    message: `\`${effect.step}\` was interrupted by a crash; it may have been done in part.`,
    block: effect.block,
    lost: true,
  });
}

/** The engine cannot do it here after all: the agent gets it. */
function handOver(turn: Turn, effectId: string): undefined {
  const effect = turn.state.effects[effectId];
  if (effect === undefined) return;
  const block = turn.block(effect.block);
  turn.emit({ type: "effect_closed", effect: effectId, how: "handed_over" });
  if (block.kind !== "do" || block.orAgent !== true) {
    turn.emit({ type: "ready", strand: effect.strand });
    failStrand(turn, effect.strand, { code: "STEP_FAILED", message: `\`${effect.step}\` cannot be done here.`, block: effect.block });
    return;
  }
  const frame = turn.strand(effect.strand).frames.at(-1);
  const paths = frame?.kind === "do" ? (frame.paths ?? []) : [];
  const { strand, step, args, replaced = {} } = effect;
  openAction(turn, { strand, block }, { step, args, paths, named: {}, replaced });
  watchTime(turn, effect.strand, block);
}

export function acceptWoke(turn: Turn, input: InputOf<"woke">): Rejected | undefined {
  const timer = turn.state.timers[input.timer];
  if (timer === undefined) return { code: "TIMER_GONE", message: `The timer \`${input.timer}\` is not set any more.` };
  if (timer.due > turn.at) return { code: "TIMER_EARLY", message: `The timer \`${input.timer}\` is not due yet.` };
  turn.emit({ type: "timer_gone", timer: timer.id });
  const strand = turn.state.strands[timer.strand];
  if (strand === undefined) return undefined;
  if (timer.why === "timeout") {
    const frame = strand.frames[timer.depth ?? 0];
    const block = frame?.block ?? "";
    if (strand.status === "waiting") turn.emit({ type: "ready", strand: strand.id });
    failFrame(turn, strand.id, { code: "TIMEOUT", message: `\`${block}\` took longer than its limit.`, block }, timer.depth ?? 0);
    return undefined;
  }
  if (!isAwaited(strand, timer)) return undefined;
  if (timer.why === "wait") return resolveLeaf(turn, strand.id, null as Json) as undefined;
  turn.emit({ type: "ready", strand: strand.id });
  if (timer.why === "retry") limitTime(turn, strand.id);
  return undefined;
}

/** A strand that is blocked for something else, or until another time, does not wait for this timer. */
function isAwaited({ status, blocked, waits }: Strand, { id, why, due }: Timer): boolean {
  if (why === "blocked") return status === "blocked" && blocked?.until === due;
  return waits?.on === "timer" && waits.id === id;
}
