import { endRun, isOpen, wakeMain } from "./ending.ts";
import type { Given, Need } from "./input.ts";
import { taskEnded } from "./task-ended.ts";
import type { Turn } from "./turn.ts";

/** A strand with no frame left is done. The main one joins the others and obeys the completion rules first. */
export function finishStrand(turn: Turn, strandId: string, given: Given | undefined): Need | undefined {
  const strand = turn.strand(strandId);
  if (strand.parent !== undefined || strand.entry !== undefined) {
    taskEnded(turn, strandId);
    wakeMain(turn);
    return undefined;
  }
  const others = Object.values(turn.state.strands).filter((other) => other.id !== strandId && isOpen(other.status));
  if (others.length > 0) {
    turn.emit({ type: "waiting", strand: strandId, on: { on: "strands" } });
    return undefined;
  }
  const rules = turn.mainPart().rules;
  if (rules.length > 0 && given === undefined) {
    return {
      type: "evaluate",
      strand: strandId,
      exprs: Object.fromEntries(rules.map((rule) => [rule.id, rule.when])),
      scope: strand.scope,
      locals: {},
    };
  }
  const unmet = rules.filter((rule) => given?.type !== "values" || given.values[rule.id] !== true);
  if (unmet.length > 0) {
    turn.emit({ type: "blocked", strand: strandId, code: "RULES_UNMET", reason: unmet.map((rule) => rule.message).join(" ") });
    return undefined;
  }
  endRun(turn, { status: "completed" });
  return undefined;
}
