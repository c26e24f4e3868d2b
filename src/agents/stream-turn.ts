import type { AgentEvent, AgentResult, Alarms, Turn } from "../ports/index.ts";
import { classifyFailure, TurnFailed, type Failure } from "./classify-failure.ts";
import { EventQueue } from "./event-queue.ts";
import { longestTurn, TurnRecord, type TurnEnd } from "./turn-record.ts";

/** What every provider needs of the world. */
export interface AgentTime {
  readonly alarms: Alarms;
  readonly now: () => number;
}

const idleMs = 600_000;
/** A timer that is set for longer rings at once. */
const longestTimer = 2 ** 31 - 1;

/** A turn while it runs: what its provider says and hears. */
export interface RunningTurn {
  readonly turn: Turn;
  /** Aborted when the turn must end: by the caller, by its limits, or because nobody listens any more. */
  readonly signal: AbortSignal;
  readonly record: TurnRecord;
  readonly emit: (event: Exclude<AgentEvent, AgentResult>) => void;
  /** Resolves when the caller has dealt with every event so far, or the turn must end. */
  readonly heard: () => Promise<void>;
  /** A sign of life that is not an event. */
  readonly alive: () => void;
  /** Ends the turn as failed. */
  readonly stop: (failure: Failure) => void;
}

/**
 * The events of a turn that `perform` carries out. Holds the limits of time and of text: when one is passed, the turn's signal is aborted
 * and its result is an error. What the caller aborts is `cancelled`, whatever the agent says of it.
 */
export async function* streamTurn(
  turn: Turn,
  time: AgentTime,
  perform: (running: RunningTurn) => Promise<TurnEnd>,
): AsyncGenerator<AgentEvent, void, undefined> {
  const queue = new EventQueue<AgentEvent>();
  const record = new TurnRecord(time.now);
  const ending = new AbortController();
  const abort = (): void => ending.abort();
  const stop = (failure: Failure): void => {
    if (!ending.signal.aborted) record.fail(failure);
    ending.abort();
  };
  const clocks = startClocks(turn, time, stop);
  const running: RunningTurn = {
    turn,
    record,
    signal: ending.signal,
    stop,
    alive: clocks.alive,
    heard: () =>
      Promise.race([
        queue.drained(),
        new Promise<void>((done) => {
          if (ending.signal.aborted) done();
          ending.signal.addEventListener("abort", () => done(), { once: true });
        }),
      ]),
    emit: (event) => {
      clocks.alive();
      for (const one of record.take(event)) queue.put(one);
      if (record.chars > longestTurn) stop({ kind: "unknown", text: `The agent wrote more than ${longestTurn} characters in one turn.` });
    },
  };
  if (turn.signal?.aborted === true) abort();
  turn.signal?.addEventListener("abort", abort);
  const done = perform(running)
    .catch((cause: unknown): TurnEnd => {
      const failure = cause instanceof TurnFailed ? cause.failure : classifyFailure(messageOf(cause), time.now());
      return { stop: "error", failure };
    })
    .then((end) => {
      for (const event of record.flush()) queue.put(event);
      queue.put(record.result(end, turn.signal?.aborted === true));
      queue.close();
    });
  try {
    yield* queue;
  } finally {
    clocks.stop();
    abort();
    turn.signal?.removeEventListener("abort", abort);
    await done;
  }
}

/** The limits of a turn: silence, and its whole length. */
function startClocks(
  turn: Turn,
  { alarms }: AgentTime,
  stop: RunningTurn["stop"],
): { readonly alive: () => void; readonly stop: () => void } {
  const silence = Math.min(turn.idleMs ?? idleMs, longestTimer);
  const late = (text: string) => (): void => stop({ kind: "timeout", text });
  const watch = (): (() => void) => alarms.after(silence, late(`The agent was silent for ${silence / 1000} seconds.`));
  let idle = watch();
  let isOver = false;
  const limit =
    turn.limitMs === undefined ? undefined : alarms.after(turn.limitMs, late(`The turn took longer than ${turn.limitMs / 1000} seconds.`));
  return {
    alive: () => {
      idle();
      if (!isOver) idle = watch();
    },
    stop: () => {
      isOver = true;
      idle();
      limit?.();
    },
  };
}

/** The prompt with what the answer must look like. */
export function promptOf({ prompt, outputSchema }: Turn): string {
  if (outputSchema === undefined) return prompt;
  return `${prompt}\n\nEnd with a message that is only JSON, without a code fence, and fits this JSON Schema:\n${JSON.stringify(outputSchema)}`;
}

export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
