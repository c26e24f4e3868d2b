import type { JsonObject } from "../base/index.ts";
import { counted, dollars } from "../base/index.ts";
import { sumOf, type UseSum, type UseTotal } from "../engine/index.ts";
import type { Output } from "./output.ts";

/** Rows that are shown; the rest is in the sum. */
const mostRows = 20;

/** For scripts. A number is what is known; null when nothing is. `unknown_...` counts turns that did not say it. */
export function totalsData(totals: readonly UseTotal[]): { readonly used?: JsonObject } {
  if (totals.length === 0) return {};
  const turns = turnsOf(totals);
  const by = totals.map(({ step, agent, model, turns: own, tokens, cost }) => ({
    step,
    agent,
    ...(model === undefined ? {} : { model }),
    turns: own,
    ...amounts({ turns: own, tokens, cost }),
  }));
  return { used: { turns, ...amounts({ turns, tokens: sumOf(totals, "tokens"), cost: sumOf(totals, "cost") }), by } };
}

type Use = Pick<UseTotal, "turns" | "tokens" | "cost">;

function amounts({ turns, tokens, cost }: Use): JsonObject {
  const value = (sum: UseSum): number | null => (isUnknown(sum, turns) ? null : sum.known);
  return {
    tokens: value(tokens),
    cost_usd: value(cost),
    ...(tokens.unknown === 0 ? {} : { unknown_tokens: tokens.unknown }),
    ...(cost.unknown === 0 ? {} : { unknown_cost: cost.unknown }),
  };
}

/** What agents used, by step, agent and model, and in all; nothing for a run without turns. */
export function showTotals(out: Output, totals: readonly UseTotal[]): void {
  if (totals.length === 0) return;
  out.line();
  const rows = totals.slice(0, mostRows).map(({ step, agent, model = "", turns, tokens, cost }) => {
    return [step, agent, model, String(turns), amountText(tokens, turns, tokenText), amountText(cost, turns, dollars)];
  });
  out.table(["STEP", "AGENT", "MODEL", "TURNS", "TOKENS", "COST"], rows);
  if (totals.length > rows.length) out.line(`and ${totals.length - rows.length} more: --json`);
  const turns = turnsOf(totals);
  const [tokens, cost] = [amountText(sumOf(totals, "tokens"), turns, tokenText), amountText(sumOf(totals, "cost"), turns, dollars)];
  out.line(`Used in all: ${counted(turns, "turn")}, tokens ${tokens}, cost ${cost}.`);
}

function turnsOf(totals: readonly UseTotal[]): number {
  return totals.reduce((sum, { turns }) => sum + turns, 0);
}

/** What is not known is never shown as nothing, also beside turns that used nothing. */
function isUnknown({ known, unknown }: UseSum, turns: number): boolean {
  return unknown === turns || (unknown > 0 && known === 0);
}

function amountText(sum: UseSum, turns: number, text: (amount: number) => string): string {
  if (isUnknown(sum, turns)) return "unknown";
  const { known, unknown } = sum;
  return unknown > 0 ? `at least ${text(known)}` : text(known);
}

function tokenText(amount: number): string {
  return amount.toLocaleString("en-US");
}
