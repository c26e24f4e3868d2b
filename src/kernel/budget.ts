import type { Budget } from "../program/index.ts";
import type { Turn } from "./turn.ts";

export interface SpentBudget {
  readonly what: keyof Budget;
  readonly limit: number;
}

/** The first limit of the run's budget that is used up, if any. */
export function spentBudget(turn: Turn): SpentBudget | undefined {
  const { limits, used } = turn.state.budget;
  const minutes = (turn.at - turn.state.startedAt) / 60_000;
  const now = { ...used, minutes };
  for (const what of ["steps", "minutes", "tokens", "money"] as const) {
    const limit = limits[what];
    if (limit !== undefined && now[what] >= limit) return { what, limit };
  }
  return undefined;
}

/** Stops the strand at a question only a person may answer: a new limit, `double`, or `stop`. */
export function openBudgetDecision(turn: Turn, strand: string, spent: SpentBudget): void {
  const open = turn.state.budget.decision;
  if (open !== undefined && turn.state.decisions[open]?.status === "pending") {
    turn.emit({ type: "waiting", strand, on: { on: "decision", id: open } });
    return;
  }
  const id = turn.mint("d");
  const frame = turn.strand(strand).frames.at(-1);
  turn.emit({
    type: "decision_opened",
    decision: {
      id,
      revision: 1,
      strand,
      step: frame?.block ?? "",
      kind: "budget",
      answerBy: "person",
      status: "pending",
      openedAt: turn.at,
      paths: [],
      question: `The budget of ${spent.limit} ${spent.what} is used up. Answer with a new limit for ${spent.what}, \`double\`, or \`stop\`.`,
      options: [
        { value: "double", label: `allow ${spent.limit * 2} ${spent.what} in all` },
        { value: "stop", label: "end the run here" },
      ],
      binds: { what: spent.what },
    },
  });
  turn.emit({ type: "budget_set", limits: turn.state.budget.limits, decision: id });
  turn.emit({ type: "waiting", strand, on: { on: "decision", id } });
}

/** The limits were raised without the question about them: nobody has to answer it any more. */
export function settleBudget(turn: Turn, decision: string): void {
  turn.emit({ type: "decision_closed", decision, status: "skipped", reason: "the budget was raised" });
  turn.emit({ type: "budget_set", limits: turn.state.budget.limits });
  wakeAskers(turn, decision);
}

/** All strands that the spent budget stopped go on. */
export function wakeAskers(turn: Turn, decision: string): void {
  for (const { id, status, waits } of Object.values(turn.state.strands))
    if (status === "waiting" && waits?.on === "decision" && waits.id === decision) turn.emit({ type: "ready", strand: id });
}

/** The limit an answer asks for; undefined when it does not say. */
export function raisedLimit(answer: unknown, limit: number): number | undefined {
  if (answer === "double") return limit * 2;
  const asked = typeof answer === "number" ? answer : typeof answer === "string" && answer.trim() !== "" ? Number(answer) : Number.NaN;
  return Number.isFinite(asked) && asked > limit ? asked : undefined;
}
