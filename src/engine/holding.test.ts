import { afterEach, beforeEach, expect, test } from "vitest";
import { DrivenTime } from "../../test/support/driven-time.ts";
import { openTestEngine, type TestEngine } from "../../test/support/test-engine.ts";
import { end } from "./commands/end.ts";
import { journal } from "./commands/journal.ts";
import { next } from "./commands/next.ts";
import { progress } from "./commands/progress.ts";
import { report } from "./commands/report.ts";
import { resume, retry } from "./commands/resume.ts";
import { start } from "./commands/start.ts";
import type { Caller } from "./caller.ts";

const [ttl, limit, idle] = [30_000, 600_000, 1_800_000];
let time: DrivenTime;
let engine: TestEngine;
let run: string;
beforeEach(async () => {
  time = new DrivenTime();
  const text = "name: one\nsteps: [{ id: a, type: user_message, message: x }, { id: b, type: user_message, message: y }]\n";
  engine = await openTestEngine(
    { ".waymark/workflows/one.yaml": text },
    { leaseTtlMs: ttl, leaseBeatMs: ttl / 3, agentIdleMs: limit, idleAfterMs: idle },
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
  const free = (await engine.context.store.now()) + limit;
  await time.advance(5_000);
  await expect(ask(other())).rejects.toMatchObject({
    code: "STRAND_HELD",
    message: `This part of run \`${run}\` is held by agent \`tester\`. It was given \`a\` 5 s ago. ${freeIn("~10 minutes", free)}`,
    details: { run_id: run, holder: "tester", lease_ends_in_ms: ttl - 5_000, free_at: new Date(free).toISOString(), stale: false },
  });
  expect(await holder()).toBe("tester");
  expect(await released()).toEqual([]);
});

/** As it is said of a holder that does not call any more. */
const freeIn = (rough: string, at: number): string =>
  `If nothing is heard of it, this part is free in ${rough}, at ${new Date(at).toISOString().slice(11, 16)} UTC at the latest.`;

test("the time when it is free is that of the kind of holder and of its lease", async () => {
  const now = await engine.context.store.now();
  const held = async (kind: Caller["holder"]["kind"], more: Partial<Caller> = {}): Promise<unknown> => {
    const caller = other({ holder: { kind, name: "far", session: "far" }, leaseOwner: `far-${kind}`, ...more });
    await ask(caller, true);
    const refused: { message: string } = await ask(other()).then(
      () => expect.unreachable(),
      (error: unknown) => error as { message: string },
    );
    return refused.message;
  };
  expect(await held("person")).toContain(freeIn("~30 minutes", now + idle));
  expect(await held("agent")).toContain(freeIn("~10 minutes", now + limit));
  expect(await held("person", { leaseTtlMs: 2 * ttl })).toContain(freeIn("~1 minute", now + 2 * ttl));
  expect(await held("worker", { stays: true })).toContain("It drives this part, which is free when it ends.");
});

test("a holder looks stale when it has not reported for longer than it may be idle", async () => {
  for (let at = 0; at < idle; at += limit / 2) {
    await ask(engine.caller);
    await time.advance(limit / 2);
  }
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

/** Whether the part is free, without taking it. */
async function look(): Promise<void> {
  const handle = await engine.context.runs.open(run);
  await engine.context.holding.refuseHeld(handle, handle.state.strands["main"]!, other());
}

test("an agent that does not call keeps its part for ten minutes to the millisecond, though its process lives", async () => {
  await time.advance(limit - 1);
  await expect(look()).rejects.toMatchObject({ code: "STRAND_HELD", details: { lease_ends_in_ms: 1 } });
  await time.advance(1);
  await look();
  await ask(other());
  expect([await holder(), await released()]).toEqual(["second", ["lost"]]);
});

test("every call of an agent counts as a sign of life, also one that takes nothing", async () => {
  for (const call of [() => ask(engine.caller), () => engine.context.holding.called(engine.caller)]) {
    await time.advance(limit - 1);
    await call();
  }
  await time.advance(limit - 1);
  await expect(look()).rejects.toMatchObject({ code: "STRAND_HELD" });
});

test("a person may be silent for longer, and a caller that stays for as long as it likes", async () => {
  const { holder: own } = engine.caller;
  const person = other({ holder: { ...own, kind: "person", session: "p" }, leaseOwner: "p" });
  await ask(person, true);
  await time.advance(idle - 1);
  await expect(ask(other())).rejects.toMatchObject({ code: "STRAND_HELD" });
  await time.advance(1);
  const driven = other({ stays: true });
  await ask(driven);
  await time.advance(24 * 60 * 60_000);
  await expect(ask(engine.caller)).rejects.toMatchObject({ code: "STRAND_HELD" });
});

test("a report by its id makes the reporter the holder when nobody alive is in the way, and not before", async () => {
  const { standing } = await ask(engine.caller);
  const action = standing.kind === "action" ? standing.action.id : "";
  const late = (): Promise<unknown> => report(engine.context, other(), { run, action });
  await expect(late()).rejects.toMatchObject({ code: "HOLDER_LOST" });
  await time.advance(limit);
  expect(await late()).toMatchObject({ recorded: "now", action, step: "a" });
  expect([await holder(), await released()]).toEqual(["second", ["lost"]]);
});

test("a step that was handed out again has another id, so a report by the old one does not count", async () => {
  const { standing } = await ask(engine.caller);
  const action = standing.kind === "action" ? standing.action.id : "";
  await time.advance(limit);
  await ask(other());
  await expect(report(engine.context, engine.caller, { run, action })).rejects.toMatchObject({ code: "HOLDER_LOST" });
});

test("a run that nobody holds is reported by the id of its step, and is not called interrupted when it is asked for", async () => {
  const begun = await start(engine.context, engine.caller, { workflow: "one", waitMs: 0, held: false });
  const { strands } = begun.state;
  expect(strands["main"]).not.toHaveProperty("holder");
  const action = begun.standing.kind === "action" ? begun.standing.action : undefined;
  const shown = await next(engine.context, other(), { run: begun.run, waitMs: 0 });
  expect(shown.standing).toMatchObject({ kind: "action", action: { id: action?.id, taken: 0 } });
  const second = await start(engine.context, engine.caller, { workflow: "one", waitMs: 0, held: false });
  const id = second.standing.kind === "action" ? second.standing.action.id : "";
  expect(await report(engine.context, other(), { run: second.run, action: id })).toMatchObject({ recorded: "now", step: "a" });
});

test.each<[string, Partial<Caller>]>([
  ["an agent", {}],
  ["a person without a terminal", { holder: { kind: "person", name: "ada", session: "cli" }, surface: "cli" }],
  ["an agent on a terminal's surface", { surface: "cli-terminal" }],
])("resuming and retrying by %s takes what is free, and changes nothing of a holder that is alive", async (_who, more) => {
  const { head } = await engine.context.runs.open(run);
  await expect(resume(engine.context, other(more), { run, waitMs: 0 })).rejects.toMatchObject({ code: "STRAND_HELD" });
  await expect(retry(engine.context, other(more), { run, waitMs: 0 })).rejects.toMatchObject({ code: "STRAND_HELD" });
  expect([await holder(), (await engine.context.runs.open(run)).head]).toEqual(["tester", head]);
  await engine.context.holding.release(engine.caller.leaseOwner);
  expect((await resume(engine.context, other(more), { run, waitMs: 0 })).standing.kind).toBe("action");
});

test("a late report of what another one reported says by whom, and that it was not stored", async () => {
  const { standing } = await ask(engine.caller);
  const action = standing.kind === "action" ? standing.action.id : "";
  await engine.context.holding.release(engine.caller.leaseOwner);
  const second = (more: object) => progress(engine.context, other(), { run, action, waitMs: 0, ...more });
  expect((await second({ result: "by the second" })).reported).toEqual({ recorded: "now", action, step: "a" });
  expect((await second({ result: "by the second" })).reported).toEqual({ recorded: "before", action, step: action });
  await expect(progress(engine.context, engine.caller, { run, action, result: "by the first", waitMs: 0 })).rejects.toMatchObject({
    code: "STRAND_HELD",
    message: expect.stringMatching(
      /^`a\d+` was reported before by agent `second`; this report was not stored\. What follows was refused: This part of run/,
    ) as string,
    details: { reported: { recorded: "before", action, by: "agent `second`" } },
  });
});

test("retrying a run that was cancelled says that it was, with any holder", async () => {
  await ask(engine.caller);
  await end(engine.context, engine.caller, { run, status: "cancelled" });
  await expect(retry(engine.context, other(), { run, waitMs: 0 })).rejects.toMatchObject({
    code: "NOTHING_TO_RETRY",
    message: expect.stringContaining("was cancelled") as string,
  });
});

test("resuming by a person at a terminal takes a part from a holder that is alive", async () => {
  const person = other({ holder: { kind: "person", name: "ada", session: "cli" }, surface: "cli-terminal" });
  expect((await resume(engine.context, person, { run, waitMs: 0 })).standing.kind).toBe("action");
  expect([await holder(), await released()]).toEqual(["ada", ["taken_over"]]);
});
