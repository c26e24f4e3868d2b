import type { Action, Effect, Strand } from "./run-state.ts";
import type { Turn } from "./turn.ts";

/** Asks whether an interrupted leaf is done again or passed over. */
export function askWhatNow(turn: Turn, strand: Strand, leaf: Pick<Action | Effect, "block" | "step">): void {
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
  turn.emit({ type: "moved", strand: strand.id, patch: { ref: id } });
  turn.emit({ type: "waiting", strand: strand.id, on: { on: "decision", id } });
}
