import type { Program } from "../program/index.ts";
import type { Event } from "./event.ts";
import { acceptAnswer } from "./input-answer.ts";
import { acceptClaim, acceptRelease } from "./input-claim.ts";
import { acceptCancel, acceptEnd, acceptEntry, acceptLimits, acceptPull, acceptRewind, acceptSet, acceptStart } from "./input-command.ts";
import { acceptOutcome, acceptReport, acceptWoke } from "./input-outcome.ts";
import { acceptRetry } from "./input-retry.ts";
import type { Input, InputOf, Need, Rejected } from "./input.ts";
import { changeItems, opensItems, wakeForNotices } from "./items.ts";
import type { RunState } from "./run-state.ts";
import { holderOf, isPaused, Turn } from "./turn.ts";
import { walk } from "./walk.ts";

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
    return { events: turn.events, state: turn.state, ...(need === undefined ? {} : { need }) };
  }
  const over = state.status !== "running" && !acceptedAfterEnd.has(input.type);
  const rejected = over ? ended(turn) : (accept[input.type] as Accept<Input["type"]>)(turn, input);
  if (rejected !== undefined) return { rejected };
  wakeForNotices(turn);
  return { events: turn.events, state: turn.state };
}

type Accept<T extends Input["type"]> = (turn: Turn, input: InputOf<T>) => Rejected | undefined;

const accept: { readonly [T in Exclude<Input["type"], "advance">]: Accept<T> } = {
  start: acceptStart,
  report: acceptReport,
  outcome: acceptOutcome,
  woke: acceptWoke,
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

const acceptedAfterEnd = new Set<Input["type"]>(["retry", "end", "note", "mark", "release", "outcome", "woke", "start", "items"]);

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
