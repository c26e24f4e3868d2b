import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { followLogs } from "./follow-logs.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => vi.useRealTimers());

/** A log that takes so long to make, and how often it was made. */
function slowLog(takesMs: number) {
  const made = { count: 0 };
  const logOf = async (): Promise<undefined> => {
    made.count += 1;
    await vi.advanceTimersByTimeAsync(takesMs);
    return undefined;
  };
  return { made, follower: followLogs({ workspace: "/none", logOf, log: () => undefined, delayMs: 100 }) };
}

test("changes within the delay are written together, and what is left when it is closed", async () => {
  const { made, follower } = slowLog(0);
  for (let moved = 0; moved < 5; moved += 1) follower.moved("r");
  await vi.advanceTimersByTimeAsync(100);
  expect(made.count).toBe(1);
  follower.moved("r");
  await follower.close();
  expect(made.count).toBe(2);
});

test("a log that takes long to make is made less often", async () => {
  const { made, follower } = slowLog(200);
  for (let passed = 0; passed < 10_000; passed += 50) {
    follower.moved("r");
    await vi.advanceTimersByTimeAsync(50);
  }
  expect(made.count).toBeGreaterThan(2);
  expect(made.count).toBeLessThan(8);
  await follower.close();
});
