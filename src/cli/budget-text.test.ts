import { expect, test } from "vitest";
import { budgetText } from "./budget-text.ts";

const state = { startedAt: 0, budget: { limits: {}, used: { steps: 3, tokens: 0, money: 0.5 } } };

test.each([
  ["minutes", 0.05, 1_800, "0.03 of 0.05 minutes"],
  ["minutes", 0.05, 6_000, "0.1 of 0.05 minutes"],
  ["minutes", 1, 51_000, "0.85 of 1 minute"],
  ["minutes", 10, 150_000, "2.5 of 10 minutes"],
  ["minutes", 60, 1_530_000, "26 of 60 minutes"],
  ["steps", 1, 0, "3 of 1 step"],
  ["money", 2, 0, "$0.50 of $2.00"],
])("of a budget of %s %d after %d ms is shown: %s", (name, limit, at, text) => {
  expect(budgetText(state, name, limit, at)).toBe(text);
});
