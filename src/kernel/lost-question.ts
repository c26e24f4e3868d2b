import type { Action, Effect, Strand } from "./run-state.ts";
import type { Turn } from "./turn.ts";

/** Asks whether an interrupted leaf is done again or passed over. Its time does not run meanwhile; without an answer it is not done. */
export function askWhatNow(turn: Turn, strand: Strand, leaf: Pick<Action | Effect, "block" | "step">): void {
  const depth = strand.frames.length - 1;
  for (const timer of Object.values(turn.state.timers))
    if (timer.strand === strand.id && timer.why === "timeout" && timer.depth === depth) turn.emit({ type: "timer_gone", timer: timer.id });
  const id = turn.mint("d");
  turn.emit({
    type: "decision_opened",
    decision: {
      id,
      revision: 1,
      strand: strand.id,
      block: leaf.block,
      step: leaf.step,
      kind: "lost",
      answerBy: "relay",
      status: "pending",
      openedAt: turn.at,
      paths: [],
      question: `\`${leaf.step}\` was interrupted before it was reported. Do it again, or go on as if it were done?`,
      options: [
        { value: "retry", label: "do it again" },
        { value: "continue", label: "go on" },
      ],
    },
  });
  const leafOpen = strand.frames.at(-1)?.kind === "do" ? { phase: "open", interrupted: leaf.step } : {};
  turn.emit({ type: "moved", strand: strand.id, patch: { ref: id, ...leafOpen } });
  turn.emit({ type: "waiting", strand: strand.id, on: { on: "decision", id } });
}
