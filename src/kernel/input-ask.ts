import { textOf, type Json } from "../base/index.ts";
import { limitTime } from "./enter-leave.ts";
import type { InputOf, Rejected } from "./input.ts";
import { giveBackNotes, heldAction, returnLeaf, stopTime } from "./input-outcome.ts";
import { openQuestion } from "./interrupted-leaf.ts";
import type { Decision } from "./run-state.ts";
import { holderOf, type Turn } from "./turn.ts";

/** Who does a step wants to know something of a person: it is handed out again when that is answered, with the answer. */
export function acceptAsk(turn: Turn, input: InputOf<"ask">): Rejected | undefined {
  const action = heldAction(turn, input);
  if ("code" in action) return action;
  const { id, strand, step, block } = action;
  const { question, options } = input;
  turn.markShown(strand);
  turn.emit({ type: "action_closed", action: id, how: "cancelled" });
  giveBackNotes(turn, action);
  returnLeaf(turn, strand);
  stopTime(turn, strand);
  const asked = { block, step, kind: "asked" as const, answerBy: "person" as const, question };
  const decision = openQuestion(turn, strand, { ...asked, ...(options === undefined ? {} : { options }) });
  turn.wait(strand, { on: "decision", id: decision });
}

/** The step is handed out again, with the answer as a note. */
export function answerAsked(turn: Turn, { question, step: target, strand }: Decision, answer: Json): undefined {
  const text = `You asked: ${question} The answer: ${textOf(answer)}`;
  turn.emit({ type: "noted", note: { id: turn.mint("n"), text, from: holderOf(turn.by), at: turn.at, target, strand } });
  turn.ready(strand);
  limitTime(turn, strand);
}
