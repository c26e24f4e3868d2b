import type { Program } from "../program/index.ts";
import type { Event } from "./event.ts";
import { acceptAnswer } from "./input-answer.ts";
import { acceptCancel } from "./input-cancel.ts";
import { acceptClaim, acceptRelease } from "./input-claim.ts";
import { acceptEnd, acceptEntry, acceptLimits, acceptMark, acceptNote, acceptRetry, acceptSet, acceptStart } from "./input-command.ts";
import { acceptOutcome, acceptReport, acceptWoke } from "./input-outcome.ts";
import type { Input, ItemsChange, Need, Rejected } from "./input.ts";
import { changeItems, opensItems, wakeForNotices } from "./items.ts";
import { acceptPull } from "./input-pull.ts";
import { acceptRewind } from "./input-rewind.ts";
import { isPaused } from "./pause.ts";
import type { RunState } from "./run-state.ts";
import { Turn } from "./turn.ts";
import { walk } from "./walk.ts";

export interface Decided {
  readonly events: readonly Event[];
  /** The state after the events. */
  readonly state: RunState;
  /** Only after `start` and `advance`: what the strand needs before it can go on. */
  readonly need?: Need;
}
export type Transition = Decided | { readonly rejected: Rejected };

/**
 * Decides what an input does. Pure and total: a refusal is a value, a throw is a bug. Only `advance` walks strands; the
 * other inputs make them ready. The caller advances ready strands until none is left, then commits.
 */
export function transition(program: Program, state: RunState, input: Input): Transition {
  const turn = new Turn(program, state, input);
  if (input.type === "advance") {
    const need = walk(turn, input.strand, input.given);
    wakeForNotices(turn);
    return { events: turn.events, state: turn.state, ...(need === undefined ? {} : { need }) };
  }
  const rejected = accept(turn, input);
  if (rejected === undefined) wakeForNotices(turn);
  return rejected === undefined ? { events: turn.events, state: turn.state } : { rejected };
}

function accept(turn: Turn, input: Exclude<Input, { readonly type: "advance" }>): Rejected | undefined {
  if (turn.state.status !== "running" && !acceptedAfterEnd.has(input.type)) return ended(turn);
  switch (input.type) {
    case "start":
      return acceptStart(turn, input);
    case "report":
      return acceptReport(turn, input);
    case "outcome":
      return acceptOutcome(turn, input);
    case "woke":
      return acceptWoke(turn, input);
    case "set":
      return acceptSet(turn, input);
    case "claim":
      return acceptClaim(turn, input);
    case "release":
      return acceptRelease(turn, input);
    case "answer":
      return acceptAnswer(turn, input);
    case "entry":
      return acceptEntry(turn, input);
    case "note":
      return acceptNote(turn, input);
    case "mark":
      return acceptMark(turn, input);
    case "refusal":
      turn.emit({ type: "refused", what: input.what, code: input.code, message: input.message });
      return undefined;
    case "retry":
      return acceptRetry(turn, input);
    case "limits":
      return acceptLimits(turn, input);
    case "end":
      return acceptEnd(turn, input);
    case "items":
      return acceptItems(turn, input.change);
    case "pull":
      return acceptPull(turn, input);
    case "rewind":
      return acceptRewind(turn, input);
    case "cancel":
      return acceptCancel(turn, input);
  }
}

/** Rows of a run that is over may be settled otherwise, never opened: nobody would ever get them. One that failed can be retried. */
function acceptItems(turn: Turn, change: ItemsChange): Rejected | undefined {
  const { status } = turn.state;
  if ((status === "completed" || status === "cancelled") && opensItems(change)) return ended(turn);
  changeItems(turn, change);
  return undefined;
}

const acceptedAfterEnd: ReadonlySet<Input["type"]> = new Set([
  "retry",
  "end",
  "note",
  "mark",
  "release",
  "outcome",
  "woke",
  "start",
  "items",
] as const);

function ended(turn: Turn): Rejected {
  const { status, error } = turn.state;
  const why = error === undefined ? "" : ` Reason: ${error.message}`;
  const fix = status === "failed" ? "Retry it, or start a new run." : "Start a new run.";
  return { code: "RUN_ENDED", message: `Run \`${turn.state.id}\` is ${status}; nothing more can be done in it.${why}`, fix };
}

/** Ids of strands that can be walked now, oldest first. */
export function readyStrands(state: RunState): string[] {
  if (state.status !== "running") return [];
  return Object.values(state.strands)
    .filter((strand) => strand.status === "ready" && !isPaused(state, strand.id))
    .map((strand) => strand.id);
}
