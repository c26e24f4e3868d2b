import { expect, test } from "vitest";
import { DrivenTime } from "../../test/support/driven-time.ts";
import type { Alarms } from "../ports/index.ts";
import { streamTurn } from "./stream-turn.ts";

test("a limit for silence is never longer than a timer can wait: a longer one would ring at once", async () => {
  const set: number[] = [];
  const { alarms: driven, now } = new DrivenTime();
  const alarms: Alarms = { ...driven, after: (ms) => (set.push(ms), () => undefined) };
  const turn = { prompt: "", cwd: "/", permission: { level: "read" }, idleMs: Number.MAX_SAFE_INTEGER } as const;
  for await (const _event of streamTurn(turn, { alarms, now }, () => Promise.resolve({ stop: "end" }))) continue;
  expect(new Set(set)).toEqual(new Set([2_147_483_647]));
});
