import { dollars } from "../base/index.ts";
import type { Budget } from "../program/index.ts";
import { limitTime } from "./enter-leave.ts";
import { openQuestion } from "./interrupted-leaf.ts";
import type { BudgetState, Counted, Decision } from "./run-state.ts";
import type { SpentBudget, Turn } from "./turn.ts";

const counted = ["tokens", "money"] as const;

/** Stops the strand at a question only a person may answer: a new limit, `double`, or `stop`; `continue` where the use is unknown. */
export function openBudgetDecision(turn: Turn, strand: string, spent: SpentBudget): undefined {
  const { decision: open, limits } = turn.state.budget;
  if (open !== undefined && turn.state.decisions[open]?.status === "pending") return turn.wait(strand, { on: "decision", id: open });
  const id = openQuestion(turn, strand, {
    step: turn.top(strand)?.block ?? "",
    kind: "budget",
    answerBy: "person",
    ...askedOf(turn.state.budget, spent),
  });
  turn.emit({ type: "budget_set", limits, decision: id });
  turn.wait(strand, { on: "decision", id });
}

/** The open question shows the limits that count now; an answer to what it showed before is refused. */
export function reviseBudgetDecision(turn: Turn, open: Decision, spent: SpentBudget): undefined {
  const asked = askedOf(turn.state.budget, spent);
  if (asked.question === open.question) return;
  turn.emit({ type: "decision_opened", decision: { ...open, ...asked, revision: open.revision + 1, openedAt: turn.at } });
}

function askedOf(budget: BudgetState, spent: SpentBudget) {
  return spent.unknown === true ? unknownUse(budget) : usedUp(spent);
}

/** What a budget allows, in the words of people. */
export function limitText({ what, limit }: Pick<SpentBudget, "what" | "limit">): string {
  return what === "money" ? dollars(limit) : `${limit} ${limit === 1 ? what.slice(0, -1) : what}`;
}

/** In whole cents, tokens, steps or minutes. */
function twice(what: keyof Budget, used: number): number {
  return what === "money" ? Math.ceil(used * 200) / 100 : Math.ceil(used) * 2;
}

/** Twice the limit, or twice what is used where that is not enough to continue. */
function usedUp({ what, limit, used }: SpentBudget) {
  const double = limit * 2 > used ? limit * 2 : twice(what, used);
  const kind = what === "money" ? "in dollars" : `for ${what}`;
  return {
    question: `The budget of ${limitText({ what, limit })} is used up. Answer with a new limit ${kind}, \`double\`, or \`stop\`.`,
    options: [
      { value: "double", label: `allow ${limitText({ what, limit: double })} in all` },
      { value: "stop", label: "end the run here" },
    ],
    binds: { what, double: String(double) },
  };
}

/** One question for all that a turn did not say, and one answer. */
function unknownUse({ limits, unknown = [], killed }: BudgetState) {
  const [what = "tokens", also] = counted.filter((each) => unknown.includes(each) && limits[each] !== undefined);
  const asked = also === undefined ? [what] : [what, also];
  const uses = asked.map((each) => (each === "money" ? "what it cost" : "how many tokens it used")).join(" and ");
  const budgets = asked.map((each) => limitText({ what: each, limit: limits[each] ?? 0 })).join(" and ");
  const said = killed === true ? `A turn was killed before it said ${uses}` : `A turn did not say ${uses}`;
  return {
    question: `${said}, so nobody knows what is left of the budget of ${budgets}. Answer \`continue\` to let the run continue and count only what turns say, or \`stop\`.`,
    options: [
      { value: "continue", label: "continue, and count only what turns say" },
      { value: "stop", label: "end the run here" },
    ],
    binds: { what, unknown: "yes", ...(also === undefined ? {} : { also }) },
  };
}

/** What a turn that begins now may use: as much as turns of the run used so far, on average. */
export function estimateOf({ measured = {} }: BudgetState): Readonly<Record<Counted, number>> {
  const mean = (what: Counted): number => {
    const { turns, sum } = measured[what] ?? { turns: 0, sum: 0 };
    return turns === 0 ? 0 : sum / turns;
  };
  return { tokens: Math.ceil(mean("tokens")), money: mean("money") };
}

/** The limit that turns under way are expected to use up, if any. */
export function reservedLimit({ limits, used, reserved = {} }: BudgetState): Counted | undefined {
  const sum = (what: Counted): number => Object.values(reserved).reduce((all, each) => all + each[what], used[what]);
  return counted.find((what) => sum(what) >= (limits[what] ?? Infinity));
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
    if (status === "waiting" && waits?.on === "decision" && waits.id === decision) {
      turn.ready(id);
      limitTime(turn, id);
    }
}

/** The limit an answer asks for; undefined when it does not say, or nothing would be left. */
export function raisedLimit(answer: unknown, limit: number, double: number = limit * 2): number | undefined {
  if (answer === "double") return double;
  const asked = typeof answer === "number" ? answer : typeof answer === "string" && answer.trim() !== "" ? Number(answer) : Number.NaN;
  return Number.isFinite(asked) && asked > limit ? asked : undefined;
}
