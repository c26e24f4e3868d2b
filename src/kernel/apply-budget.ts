import type { EventOf } from "./event.ts";
import type { BudgetState } from "./run-state.ts";
import { without } from "./write-state.ts";

export function startBudget({ used }: BudgetState, { limits, carried }: EventOf<"started">): BudgetState {
  return carried === undefined ? { limits, used } : { ...carried, limits, used: { ...used, ...carried.used } };
}

/** What is known to be used grows. A turn that is over no longer has anything reserved, and what it used is what the next one may use. */
export function spend(budget: BudgetState, event: EventOf<"spent">): BudgetState {
  const { steps = 0, tokens = 0, money = 0, settles } = event;
  const { used } = budget;
  const grown = { ...budget, used: { steps: used.steps + steps, tokens: used.tokens + tokens, money: used.money + money } };
  return settles === undefined ? grown : settle(grown, event, settles);
}

function settle(budget: BudgetState, event: EventOf<"spent">, action: string): BudgetState {
  const { reserved = {}, measured = {}, unknown: before = [], killed = event.killed, uncounted = [], ...others } = budget;
  const { unknown = [] } = event;
  const left = without(reserved, action);
  const asked = [...new Set([...before, ...unknown])].filter((what) => !uncounted.includes(what));
  const counted = (["tokens", "money"] as const).flatMap((what) => {
    const amount = event[what];
    const { turns, sum } = measured[what] ?? { turns: 0, sum: 0 };
    return amount === undefined || unknown.includes(what) ? [] : [[what, { turns: turns + 1, sum: sum + amount }] as const];
  });
  const known = { ...measured, ...Object.fromEntries(counted) };
  return {
    ...others,
    ...(Object.keys(left).length === 0 ? {} : { reserved: left }),
    ...(Object.keys(known).length === 0 ? {} : { measured: known }),
    ...(asked.length === 0 ? {} : { unknown: asked, ...(killed === true ? { killed } : {}) }),
    ...(uncounted.length === 0 ? {} : { uncounted }),
  };
}

export function reserve(budget: BudgetState, { type: _type, action, ...reserved }: EventOf<"turn_begun">): BudgetState {
  return { ...budget, reserved: { ...budget.reserved, [action]: reserved } };
}

/** What a person lets pass uncounted is not asked about again. */
export function setBudget(budget: BudgetState, { limits, decision, uncounted = [] }: EventOf<"budget_set">): BudgetState {
  const { decision: _before, unknown = [], killed, uncounted: passed = [], ...others } = budget;
  const pass = [...new Set([...passed, ...uncounted])];
  const asked = unknown.filter((what) => !pass.includes(what));
  return {
    ...others,
    limits,
    ...(decision === undefined ? {} : { decision }),
    ...(asked.length === 0 ? {} : { unknown: asked, ...(killed === true ? { killed } : {}) }),
    ...(pass.length === 0 ? {} : { uncounted: pass }),
  };
}
