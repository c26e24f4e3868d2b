import { estimateOf, limitText, openBudgetDecision, reservedLimit } from "./budget.ts";
import type { InputOf, Rejected } from "./input.ts";
import { giveBackNotes, heldAction, returnLeaf, stopTime } from "./input-outcome.ts";
import type { Turn } from "./turn.ts";

/**
 * A turn of the action begins: what it may use is reserved, so that several drivers do not exceed a budget together. Where the budget is used
 * up the step goes back, and a person is asked.
 */
export function acceptBegin(turn: Turn, input: InputOf<"begin">): Rejected | undefined {
  const action = heldAction(turn, input);
  if ("code" in action) return action;
  const { id, strand } = action;
  const { budget } = turn.state;
  const spent = turn.spentBudget();
  if (spent !== undefined) {
    turn.emit({ type: "action_closed", action: id, how: "cancelled" });
    giveBackNotes(turn, action);
    returnLeaf(turn, strand);
    stopTime(turn, strand);
    return openBudgetDecision(turn, strand, spent);
  }
  const full = reservedLimit(budget);
  if (full !== undefined) {
    const limit = limitText({ what: full, limit: budget.limits[full] ?? 0 });
    const message = `Turns that are under way may use up what is left of the budget of ${limit}. Nothing was begun.`;
    return { code: "BUDGET_RESERVED", message };
  }
  turn.emit({ type: "turn_begun", action: id, strand, session: input.holder.session, at: turn.at, ...estimateOf(budget) });
}
