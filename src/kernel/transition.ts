import { beginningOf, type Json } from "../base/index.ts";
import type { Block, Expr, Limit, Program } from "../program/index.ts";
import { finishStrand } from "./ending.ts";
import { enter, guardTime, leaveFrame } from "./enter-leave.ts";
import type { Event } from "./event.ts";
import { failStrand } from "./failure.ts";
import type { Frame, FrameOf, Limits } from "./frame.ts";
import { acceptAnswer } from "./input-answer.ts";
import { acceptAsk } from "./input-ask.ts";
import { acceptBegin } from "./input-begin.ts";
import { acceptClaim, acceptRelease } from "./input-claim.ts";
import { acceptCancel, acceptEnd, acceptEntry, acceptLimits, acceptPull, acceptRewind, acceptSet, acceptStart } from "./input-command.ts";
import { acceptAllowed, acceptOutcome, acceptReport, acceptUsed, acceptWoke } from "./input-outcome.ts";
import { acceptRetry } from "./input-retry.ts";
import type { Given, Input, InputOf, Need, Rejected } from "./input.ts";
import { changeItems, opensItems, wakeWorks } from "./items.ts";
import { lostPolicy } from "./interrupted-leaf.ts";
import { isPaused } from "./read-state.ts";
import type { RunState } from "./run-state.ts";
import { Turn, holderOf } from "./turn.ts";
import { walkCall } from "./walk-call.ts";
import { walkChoose, walkLeave, walkMachine, walkRepeat } from "./walk-flow.ts";
import { walkLeaf } from "./walk-leaf.ts";
import { walkRescue } from "./walk-rescue.ts";
import { walkWork } from "./walk-work.ts";

interface Decided {
  readonly events: readonly Event[];
  /** The state after the events. */
  readonly state: RunState;
  /** Only after `start` and `advance`: what the strand needs before it can continue. */
  readonly need?: Need;
}

/**
 * Decides what an input does. Pure and total: a refusal is a value, a throw is a bug. Only `advance` walks strands; the
 * other inputs make them ready. The caller advances ready strands until none is left, then commits.
 */
export function transition(program: Program, state: RunState, input: Input): Decided | { readonly rejected: Rejected } {
  const turn = new Turn(program, state, input);
  if (input.type === "advance") {
    const need = walk(turn, input.strand, input.given);
    wakeForNotices(turn);
    return { events: turn.events, state: turn.state, ...(need && { need }) };
  }
  const over = state.status !== "running" && !acceptedAfterEnd.has(input.type) && !(input.type === "note" && state.status === "failed");
  const rejected = over ? ended(turn) : (accept[input.type] as Accept<Input["type"]>)(turn, input);
  if (rejected !== undefined) return { rejected };
  wakeForNotices(turn);
  return { events: turn.events, state: turn.state };
}

/** Works that wait for their strands look again when dependencies in their lists settled or were reopened. */
function wakeForNotices(turn: Turn): void {
  const { settled, status } = turn.state;
  if (settled.length > 0 && status === "running") wakeWorks(turn, new Set(settled.map(({ list }) => list)), true);
}

type Accept<T extends Input["type"]> = (turn: Turn, input: InputOf<T>) => Rejected | undefined;

const accept: { readonly [T in Exclude<Input["type"], "advance">]: Accept<T> } = {
  start: acceptStart,
  report: acceptReport,
  ask: acceptAsk,
  begin: acceptBegin,
  used: acceptUsed,
  outcome: acceptOutcome,
  woke: acceptWoke,
  allowed: acceptAllowed,
  set: acceptSet,
  claim: acceptClaim,
  release: acceptRelease,
  answer: acceptAnswer,
  entry: acceptEntry,
  note: (turn, { text, target }) => {
    const note = { id: turn.mint("n"), text, from: holderOf(turn.by), at: turn.at, ...(target === undefined ? {} : { target }) };
    return turn.emit({ type: "noted", note });
  },
  mark: (turn, { step, reason, statePath }) => {
    const mark = { id: turn.mint("k"), step, reason, at: turn.at, ...(statePath === undefined ? {} : { statePath }) };
    return turn.emit({ type: "marked", mark });
  },
  refusal: (turn, { what, code, message }) => turn.emit({ type: "refused", what, code, message }),
  retry: acceptRetry,
  limits: acceptLimits,
  end: acceptEnd,
  items: (turn, { change }) => {
    // Rows of a run that is over may be settled otherwise, never opened: nobody would ever get them. One that failed can be retried.
    const { status } = turn.state;
    return (status === "completed" || status === "cancelled") && opensItems(change) ? ended(turn) : changeItems(turn, change);
  },
  pull: acceptPull,
  rewind: acceptRewind,
  cancel: acceptCancel,
};

const acceptedAfterEnd = new Set<Input["type"]>(["retry", "end", "release", "outcome", "woke", "start", "items", "used"]);

function ended(turn: Turn): Rejected {
  const { status, error } = turn.state;
  const why = error === undefined ? "" : ` Reason: ${error.message}`;
  const fix = status === "failed" ? "Retry it, or start a new run." : "Start a new run.";
  return {
    code: "RUN_ENDED",
    message: `Run \`${turn.state.id}\` ${status === "failed" ? "has failed" : `is ${status}`}; nothing more can be done in it.${why}`,
    fix,
  };
}

/** A strand stops walking after this many events, so that an endless engine-only loop is committed piece by piece. */
const eventsPerWalk = 200;

type Walker<K extends Frame["kind"]> = (turn: Turn, strand: string, frame: FrameOf<K>, given: Given | undefined) => Need | undefined;

const walkers: { readonly [K in Block["kind"] | "rescue"]: Walker<K> } = {
  seq: walkSeq,
  choose: walkChoose,
  repeat: walkRepeat,
  machine: walkMachine,
  leave: walkLeave,
  work: walkWork,
  call: walkCall,
  do: walkLeaf,
  rescue: walkRescue,
};

/** Walks one ready strand until it waits, needs an answer, ends, or the walk is long enough. */
function walk(turn: Turn, strandId: string, answer?: Given): Need | undefined {
  let given = answer;
  while (turn.state.status === "running") {
    const strand = turn.state.strands[strandId];
    if (strand?.status !== "ready" || isPaused(turn.state, strandId)) return undefined;
    if (given === undefined && turn.events.length >= eventsPerWalk) return undefined;
    const frame = strand.frames.at(-1);
    const warnings = given !== undefined && "warnings" in given ? (given.warnings ?? []) : [];
    for (const warning of warnings)
      turn.emit({ type: "warned", ...warning, strand: strandId, ...(frame === undefined ? {} : { block: frame.block }) });
    const need = frame === undefined ? finishStrand(turn, strandId, given) : walkFrame(turn, strandId, frame, given);
    given = undefined;
    if (need !== undefined) return need;
  }
  return undefined;
}

function walkFrame(turn: Turn, strand: string, frame: Frame, given: Given | undefined): Need | undefined {
  if (given?.type === "error" && frame.kind !== "rescue")
    return failStrand(turn, strand, {
      code: given.code,
      message: given.message,
      block: frame.block,
      ...(given.final === true ? { final: given.final } : {}),
    });
  if (limitsOpen(turn, frame)) return readLimits(turn, strand, frame, given);
  return (walkers[frame.kind] as Walker<Frame["kind"]>)(turn, strand, frame, given);
}

const least: Readonly<Record<keyof Limits, number>> = { timeoutMs: 1, times: 0, parallel: 1 };

/** Whether limits of the frame's block are expressions that have not been evaluated yet. */
function limitsOpen(turn: Turn, frame: Frame): boolean {
  if (frame.kind === "rescue" || frame.limits !== undefined) return false;
  const { timeoutMs, times, parallel } = limitsOf(turn.block(frame.block));
  return isExpr(timeoutMs) || isExpr(times) || isExpr(parallel);
}

/** Evaluates the limits of a block that was just entered. Its time begins when they are known. */
function readLimits(turn: Turn, strand: string, frame: Frame, given: Given | undefined): Need | undefined {
  const block = turn.block(frame.block);
  const exprs = Object.entries(limitsOf(block)).filter((entry): entry is [string, Expr] => isExpr(entry[1]));
  if (given === undefined) return turn.evaluate(strand, Object.fromEntries(exprs));
  const limits: Record<string, number> = {};
  for (const [name] of exprs as [keyof Limits, Expr][]) {
    const value = given.type === "values" ? given.values[name] : undefined;
    const number = numberOf(value);
    if (number === undefined || number < least[name]) {
      const message = `\`${block.id}\` needs a number of at least ${least[name]} for \`${name}\`, but its expression gave ${beginningOf(JSON.stringify(value ?? null), 80)}.`;
      return failStrand(turn, strand, { code: "LIMIT_VALUE", message, block: block.id });
    }
    limits[name] = name === "timeoutMs" ? number : Math.floor(number);
  }
  turn.move(strand, { limits });
  guardTime(turn, strand, block);
}

/** A template always gives text, so text that is a number counts as one. */
function numberOf(value: Json | undefined): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

function limitsOf(block: Block): Readonly<Record<keyof Limits, Limit | undefined>> {
  const parallel = block.kind === "work" ? block.parallel : undefined;
  return { timeoutMs: block.timeoutMs, times: block.rescue?.retry?.times, parallel };
}

function isExpr(limit: Limit | undefined): limit is Expr {
  return typeof limit === "object";
}

function walkSeq(turn: Turn, strand: string, frame: FrameOf<"seq">): undefined {
  const { at, doubt } = frame;
  const next = turn.blockOf(frame).blocks[at];
  if (next === undefined) return leaveFrame(turn, strand, "done");
  turn.move(strand, { at: at + 1, ...(doubt === undefined ? {} : { doubt: null }) });
  enter(turn, strand, next);
  if (doubt === undefined) return;
  const top = turn.top(strand);
  if (top?.kind === "call") turn.move(strand, { doubt });
  if (top?.kind === "do" && lostPolicy(turn, top) === "ask") turn.move(strand, { interrupted: doubt });
}
