import { dollars } from "../base/index.ts";
import { usedOf, type RunHandle } from "../engine/index.ts";

/** What is used of a limit at a moment: `2.5 of 10 minutes`. */
export function budgetText(state: Pick<RunHandle["state"], "budget" | "startedAt">, name: string, limit: number, at: number): string {
  const amount = usedOf(state, name as keyof typeof state.budget.limits, at);
  const used = name === "minutes" ? shownMinutes(amount) : amount;
  const { unknown = [], uncounted = [] } = state.budget;
  const partly = [...unknown, ...uncounted].some((what) => what === name);
  const most = name === "money" ? dollars(limit) : `${limit} ${limit === 1 ? name.replace(/s$/, "") : name}`;
  if (partly && used === 0) return `unknown of ${most}`;
  const amounts = `${name === "money" ? dollars(used) : Math.round(used * 10_000) / 10_000} of ${most}`;
  return `${partly ? "at least " : ""}${amounts}`;
}

/** With one decimal below 10, where half a minute counts, and two below 1. */
function shownMinutes(minutes: number): number {
  const parts = minutes < 1 ? 100 : minutes < 10 ? 10 : 1;
  return Math.round(minutes * parts) / parts;
}
