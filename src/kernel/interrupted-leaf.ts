import type { Json } from "../base/index.ts";
import type { LostPolicy } from "../program/index.ts";
import type { Frame, KeptTask } from "./frame.ts";
import type { Action, Decision, Effect } from "./run-state.ts";
import type { Turn } from "./turn.ts";

export function lostPolicy(turn: Turn, frame: Pick<Frame, "block">): LostPolicy {
  const block = turn.block(frame.block);
  return block.kind === "do" ? (block.whenLost ?? "retry") : "retry";
}

/** Whether a holder works, or worked, on the action. */
export function wasTaken(turn: Turn, { strand, fence = 0 }: Pick<Action, "strand" | "fence">): boolean {
  return turn.strand(strand).fence > fence;
}

/** The step that is open in the strand, when it may have been begun: nobody knows what was done of it once it is given up. */
export function begunStep(turn: Turn, strandId: string): string | undefined {
  const frame = turn.top(strandId);
  if (frame?.kind !== "do" || frame.ref === undefined) return undefined;
  const action = turn.state.actions[frame.ref];
  return turn.state.effects[frame.ref]?.step ?? (action !== undefined && wasTaken(turn, action) ? action.step : undefined);
}

/** That step, when its policy does not let it be repeated by itself. */
export function unrepeatableStep(turn: Turn, strandId: string): string | undefined {
  const top = turn.top(strandId);
  const policy = top === undefined ? "retry" : lostPolicy(turn, top);
  return policy === "fail" || policy === "ask" ? begunStep(turn, strandId) : undefined;
}

/** Whether the block of the frame, begun again, would repeat something that was interrupted and must not be. */
export function holdsLost(frame: Frame): boolean {
  if (frame.lost === true || (frame.kind === "do" && frame.interrupted !== undefined)) return true;
  return frame.kind === "work" && (frame.passed === true || keepsLost(frame.kept));
}

function keepsLost(kept: Readonly<Record<string, KeptTask>> = {}): boolean {
  return Object.values(kept).some((task) => task.lost !== undefined || task.frames.some(holdsLost));
}

/** Whether the frames, begun again at the first of them, would repeat such a thing. A work that continues in place continues its tasks. */
export function wouldRepeat([first, ...inner]: readonly Frame[], inPlace: boolean): boolean {
  return inner.some(holdsLost) || (first !== undefined && (inPlace ? first.lost === true : holdsLost(first)));
}

/** A `retry` says that interrupted steps of the strand are done again, and of the tasks it stopped. Those that ask still ask. */
export function allowAgain(turn: Turn, strandId: string): void {
  const frame = turn.top(strandId);
  const next = frame && allowed(turn, frame);
  if (next !== frame) turn.move(strandId, next?.kind === "work" ? { kept: next.kept as unknown as Json } : { interrupted: null });
}

/** The frame itself where nothing changes. */
function allowed(turn: Turn, frame: Frame): Frame {
  if (frame.kind === "do" && frame.interrupted !== undefined && lostPolicy(turn, frame) !== "ask") {
    const { interrupted: _step, ...rest } = frame;
    return rest;
  }
  if (frame.kind !== "work" || !keepsLost(frame.kept)) return frame;
  const kept = Object.entries(frame.kept ?? {}).map(([id, task]): [string, KeptTask] => [
    id,
    { ...task, frames: task.frames.map((inner) => allowed(turn, inner)) },
  ]);
  return { ...frame, kept: Object.fromEntries(kept) };
}

/** Asks whether an interrupted leaf is done again or passed over. Its time does not run meanwhile; without an answer it is not done. */
export function askWhatNow(turn: Turn, strand: string, { block, step }: Pick<Action | Effect, "block" | "step">): undefined {
  const { frames } = turn.strand(strand);
  turn.endTimers(strand, ({ why, depth }) => why === "timeout" && depth === frames.length - 1);
  const id = openQuestion(turn, strand, {
    block,
    step,
    kind: "lost",
    answerBy: "relay",
    question: `\`${step}\` was interrupted before it was reported. Do it again, or continue as if it were done?`,
    options: [
      { value: "retry", label: "do it again" },
      { value: "continue", label: "continue" },
    ],
  });
  turn.move(strand, { ref: id, ...(frames.at(-1)?.kind === "do" ? { phase: "open", interrupted: step } : {}) });
  turn.wait(strand, { on: "decision", id });
}

type Asked = Pick<Decision, "block" | "step" | "kind" | "answerBy" | "question" | "options" | "binds">;

/** Opens a question that the engine asks, not the workflow, and answers its id. */
export function openQuestion(turn: Turn, strand: string, asked: Asked): string {
  const id = turn.mint("d");
  turn.emit({
    type: "decision_opened",
    decision: {
      id,
      revision: 1,
      strand,
      status: "pending",
      openedAt: turn.at,
      paths: [],
      ...(asked.answerBy === "person" ? { sealed: true } : {}),
      ...asked,
    },
  });
  return id;
}
