import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { systemAlarms } from "./system-alarms.ts";

const hour = 3_600_000;

test("a wait ends when its signal aborts, with or without a reason, and listens no longer", async () => {
  for (const reason of [undefined, "seen"]) {
    const stop = new AbortController();
    const waiting = systemAlarms.wait(hour, stop.signal);
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(1);
    stop.abort(reason);
    expect(await waiting).toBeUndefined();
    expect(getEventListeners(stop.signal, "abort")).toEqual([]);
  }
});

test("a wait whose signal has aborted already ends at once", async () => {
  expect(await systemAlarms.wait(hour, AbortSignal.abort())).toBeUndefined();
});

test("a wait that comes to its end leaves no listener behind", async () => {
  const { signal } = new AbortController();
  await systemAlarms.wait(0, signal);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
