import { expect, test } from "vitest";
import { totalsData } from "./use-lines.ts";

test("what is not known is not shown as nothing, also beside a turn that the provider refused at once", () => {
  const total = (known: number, unknown: number) => ({
    step: "a",
    agent: "fake",
    turns: 3,
    tokens: { known: 50, unknown: 0 },
    cost: { known, unknown },
  });
  const cost = (known: number, unknown: number): unknown => totalsData([total(known, unknown)]).used?.["cost_usd"];
  expect([cost(0, 3), cost(0, 2), cost(0.5, 2), cost(0, 0)]).toEqual([null, null, 0.5, 0]);
});
