import { afterEach, beforeEach, expect, test } from "vitest";
import { DrivenTime } from "../../test/support/driven-time.ts";
import { openTestEngine, type TestEngine } from "../../test/support/test-engine.ts";
import { journal } from "./commands/journal.ts";
import { next } from "./commands/next.ts";
import { start } from "./commands/start.ts";
import type { Caller } from "./caller.ts";

const [ttl, idle] = [30_000, 600_000];
let time: DrivenTime;
let engine: TestEngine;
let run: string;
beforeEach(async () => {
  time = new DrivenTime();
  const text = "name: one\nsteps: [{ id: a, type: user_message, message: x }, { id: b, type: user_message, message: y }]\n";
  engine = await openTestEngine(
    { ".waymark/workflows/one.yaml": text },
    { leaseTtlMs: ttl, leaseBeatMs: ttl / 3, idleAfterMs: idle },
    time,
  );
  ({ run } = await start(engine.context, engine.caller, { workflow: "one", waitMs: 0 }));
});
afterEach(() => engine.close());

const other = (more: Partial<Caller> = {}): Caller => ({
  holder: { kind: "agent", name: "second", session: "s-second" },
  surface: "test",
  leaseOwner: "second-owner",
  ...more,
});
const ask = (caller: Caller, takeOver = false) => next(engine.context, caller, { run, takeOver, waitMs: 0 });
const released = async (): Promise<string[]> =>
  (await journal(engine.context, run, 0, 1_000)).flatMap(({ events }) =>
    events.flatMap((event) => (event.type === "released" ? [event.why] : [])),
  );
const holder = async () => (await engine.context.runs.open(run)).state.strands["main"]?.holder?.name;

test("who asks for what somebody else drives is told who that is, since when and for how long", async () => {
  await time.advance(5_000);
  await expect(ask(other())).rejects.toMatchObject({
    code: "STRAND_HELD",
    message: `This part of run \`${run}\` is held by agent \`tester\`. It was given \`a\` 5 s ago.`,
    details: { run_id: run, holder: "tester", lease_ends_in_ms: ttl - 5_000, stale: false },
  });
  expect(await holder()).toBe("tester");
  expect(await released()).toEqual([]);
});

test("a holder looks stale when it has not reported for longer than it may be idle", async () => {
  await time.advance(idle);
  await expect(ask(other())).rejects.toMatchObject({ details: { stale: false } });
  await time.advance(1);
  await expect(ask(other())).rejects.toMatchObject({
    message: expect.stringContaining(`\`a\` ${idle / 1_000} s ago and has not reported since: it looks stale.`) as string,
    details: { stale: true },
  });
});

test("a part is taken over from a holder that is alive only by who says so", async () => {
  await ask(other(), true);
  expect(await holder()).toBe("second");
  expect(await released()).toEqual(["taken_over"]);
  await expect(ask(engine.caller)).rejects.toMatchObject({ code: "STRAND_HELD", details: { holder: "second" } });
});

test("a part whose holder's lease has run out is free, and counts as lost", async () => {
  engine.context.holding.close();
  await time.advance(ttl - 1);
  await expect(ask(other())).rejects.toMatchObject({ code: "STRAND_HELD" });
  await time.advance(1);
  await ask(other());
  expect(await holder()).toBe("second");
  expect(await released()).toEqual(["lost"]);
});

test("a holder that asks again after its lease ran out has it again, if nobody else took the part", async () => {
  engine.context.holding.close();
  await time.advance(ttl);
  await ask(engine.caller);
  await expect(ask(other())).rejects.toMatchObject({ code: "STRAND_HELD", details: { lease_ends_in_ms: ttl } });
  expect(await released()).toEqual([]);
});

test("what a connection gives back is free at once", async () => {
  await engine.context.holding.release(engine.caller.leaseOwner);
  await ask(other());
  expect(await holder()).toBe("second");
});

test("another session of the same name, or a person of it, is somebody else", async () => {
  const { holder: own } = engine.caller;
  for (const same of [
    { ...own, session: "s-else" },
    { ...own, kind: "person" as const },
    { ...own, name: "else" },
  ])
    await expect(ask(other({ holder: same }))).rejects.toMatchObject({ code: "STRAND_HELD" });
  expect((await ask(other({ holder: own, leaseOwner: engine.caller.leaseOwner }))).standing.kind).toBe("action");
});

test("a caller with a lease of its own length is not beaten for", async () => {
  await ask(other({ leaseTtlMs: 1_000 }), true);
  await time.advance(999);
  await expect(ask(engine.caller)).rejects.toMatchObject({ code: "STRAND_HELD", details: { lease_ends_in_ms: 1 } });
  await time.advance(1);
  await ask(engine.caller);
  expect(await holder()).toBe("tester");
});
