import { expect, test } from "vitest";
import { UsageMeter } from "./usage-meter.ts";

test("numbers of a session become those of a turn", () => {
  const meter = new UsageMeter({ tokens: "session", cost: "session" }, true);
  expect(meter.turn({ inputTokens: 10, costUsd: 1 })).toEqual({ inputTokens: 10, costUsd: 1 });
  expect(meter.turn({ inputTokens: 25, costUsd: 1.5 })).toEqual({ inputTokens: 15, costUsd: 0.5 });
  expect(meter.turn({})).toEqual({});
  expect(meter.turn({ inputTokens: 30, costUsd: 1 })).toEqual({ inputTokens: 5, costUsd: 0 });
});

test("the first turn of a session that another process began has none of them", () => {
  const meter = new UsageMeter({ tokens: "turn", cost: "session" }, false);
  expect(meter.turn({ outputTokens: 3, costUsd: 2 })).toEqual({ outputTokens: 3 });
  expect(meter.turn({ outputTokens: 4, costUsd: 3 })).toEqual({ outputTokens: 4, costUsd: 1 });
});

test("numbers of the last call, and those that mean nothing, are left out", () => {
  expect(new UsageMeter({ tokens: "call", cost: "none" }, true).turn({ inputTokens: 1, costUsd: 1 })).toEqual({});
});
