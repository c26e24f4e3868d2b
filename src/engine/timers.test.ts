import { afterEach, expect, test } from "vitest";
import { DrivenTime } from "../../test/support/driven-time.ts";
import { openTestEngine, type TestEngine } from "../../test/support/test-engine.ts";
import { next } from "./commands/next.ts";
import { progress } from "./commands/progress.ts";
import { start } from "./commands/start.ts";
import type { Caller } from "./caller.ts";

const hour = 3_600_000;
const engines: TestEngine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0).toReversed()) await engine.close();
});

async function open(time: DrivenTime, steps: string, leaseBeatMs = 10_000): Promise<TestEngine> {
  const text = `name: timed\ndescription: A case.\nversion: "1.0.0"\n${steps}`;
  const engine = await openTestEngine({ ".waymark/workflows/timed.yaml": text }, { leaseTtlMs: 3 * leaseBeatMs, leaseBeatMs }, time);
  engines.push(engine);
  return engine;
}

const waits = `steps:
  - { id: pause, type: wait, duration_ms: ${hour} }
  - { id: after, type: user_message, message: done }
`;
const asks = "steps:\n  - { id: a, type: user_message, message: a }\n";

test("a wait of an hour ends with its hour, though nobody asks meanwhile", async () => {
  const time = new DrivenTime();
  const { context, caller } = await open(time, waits, hour);
  const { run, standing } = await start(context, caller, { workflow: "timed", waitMs: 0 });
  expect(standing.kind).toBe("working");
  await time.advance(hour - 1);
  expect((await next(context, caller, { run, waitMs: 0 })).standing.kind).toBe("working");
  await time.advance(1);
  expect((await context.runs.open(run)).state.timers).toEqual({});
  expect((await next(context, caller, { run, waitMs: 0 })).standing).toMatchObject({ kind: "action", action: { step: "after" } });
});

test("who asks is answered when the time to wait is up, and at once when the step comes before that", async () => {
  const time = new DrivenTime();
  const { context, caller } = await open(time, waits, hour);
  const { run } = await start(context, caller, { workflow: "timed", waitMs: 0 });
  const early = next(context, caller, { run, waitMs: 60_000 });
  await time.advance(60_000);
  expect((await early).standing.kind).toBe("working");
  const late = next(context, caller, { run, waitMs: 2 * hour });
  await time.advance(hour);
  expect((await late).standing).toMatchObject({ kind: "action", action: { step: "after" } });
  expect(time.now() - Date.UTC(2026, 0, 1)).toBe(hour + 60_000);
});

test("a wait that ends soon is waited for, and a long one is told at once", async () => {
  const time = new DrivenTime();
  const { context, caller } = await open(time, waits, hour);
  const { run } = await start(context, caller, { workflow: "timed", waitMs: 0 });
  const { callWaitMs } = context.settings;
  const until = time.now() + hour;
  expect((await next(context, caller, { run })).standing).toMatchObject({ kind: "working", until, far: true });
  await time.advance(hour - 2 * callWaitMs);
  const near = next(context, caller, { run });
  await time.advance(callWaitMs);
  expect((await near).standing).toEqual({ kind: "working", on: "pause", until });
  const last = next(context, caller, { run });
  await time.advance(callWaitMs);
  expect((await last).standing).toMatchObject({ kind: "action", action: { step: "after" } });
});

test("a wait that another process began ends in the one that is left", async () => {
  const time = new DrivenTime();
  const first = await open(time, waits, hour);
  const { run } = await start(first.context, first.caller, { workflow: "timed", waitMs: 0 });
  const second = await first.again();
  engines.push(second);
  await next(second.context, second.caller, { run, takeOver: true, waitMs: 0 });
  await first.context.timers.close();
  await time.advance(hour);
  expect((await next(second.context, second.caller, { run, waitMs: 0 })).standing).toMatchObject({ kind: "action" });
});

test("a holder keeps its strand as long as its process beats, and loses it to the next one when it does not", async () => {
  const time = new DrivenTime();
  const engine = await open(time, asks);
  const { run } = await start(engine.context, engine.caller, { workflow: "timed" });
  const other = await engine.again();
  engines.push(other);
  await time.advance(9 * 60_000);
  await expect(next(other.context, other.caller, { run })).rejects.toMatchObject({ code: "STRAND_HELD" });
  engine.context.holding.close();
  await time.advance(29_000);
  await expect(next(other.context, other.caller, { run })).rejects.toMatchObject({ code: "STRAND_HELD" });
  await time.advance(2_000);
  expect((await next(other.context, other.caller, { run })).standing.kind).toBe("action");
  await expect(progress(engine.context, engine.caller, { run, result: "x" })).rejects.toThrow("not by you");
});

test("a caller with a lease of its own loses the strand when that is over", async () => {
  const time = new DrivenTime();
  const engine = await open(time, asks);
  const brief: Caller = { ...engine.caller, leaseOwner: "brief", leaseTtlMs: 1_000, holder: { ...engine.caller.holder, session: "brief" } };
  const { run } = await start(engine.context, brief, { workflow: "timed" });
  await time.advance(999);
  await expect(next(engine.context, engine.caller, { run })).rejects.toMatchObject({ code: "STRAND_HELD" });
  await time.advance(2);
  expect((await next(engine.context, engine.caller, { run })).standing.kind).toBe("action");
});
