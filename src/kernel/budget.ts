import { openQuestion } from "./interrupted-leaf.ts";
import type { SpentBudget, Turn } from "./turn.ts";

/** Stops the strand at a question only a person may answer: a new limit, `double`, or `stop`. */
export function openBudgetDecision(turn: Turn, strand: string, { what, limit }: SpentBudget): undefined {
  const { decision: open, limits } = turn.state.budget;
  if (open !== undefined && turn.state.decisions[open]?.status === "pending") return turn.wait(strand, { on: "decision", id: open });
  const id = openQuestion(turn, strand, {
    step: turn.top(strand)?.block ?? "",
    kind: "budget",
    answerBy: "person",
    question: `The budget of ${limit} ${what} is used up. Answer with a new limit for ${what}, \`double\`, or \`stop\`.`,
    options: [
      { value: "double", label: `allow ${limit * 2} ${what} in all` },
      { value: "stop", label: "end the run here" },
    ],
    binds: { what },
  });
  turn.emit({ type: "budget_set", limits, decision: id });
  turn.wait(strand, { on: "decision", id });
}

/** The limits were raised without the question about them: nobody has to answer it any more. */
export function settleBudget(turn: Turn, decision: string): void {
  turn.emit({ type: "decision_closed", decision, status: "skipped", reason: "the budget was raised" });
  turn.emit({ type: "budget_set", limits: turn.state.budget.limits });
  wakeAskers(turn, decision);
}

/** All strands that the spent budget stopped continue. */
export function wakeAskers(turn: Turn, decision: string): undefined {
  for (const { id, status, waits } of Object.values(turn.state.strands))
    if (status === "waiting" && waits?.on === "decision" && waits.id === decision) turn.ready(id);
}

/** The limit an answer asks for; undefined when it does not say. */
export function raisedLimit(answer: unknown, limit: number): number | undefined {
  if (answer === "double") return limit * 2;
  const asked = typeof answer === "number" ? answer : typeof answer === "string" && answer.trim() !== "" ? Number(answer) : Number.NaN;
  return Number.isFinite(asked) && asked > limit ? asked : undefined;
}
