/** Limits of accounts: who waits for them, for how long, and what they cost the run. Time is driven. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { next, readTotals, retry, start, sumOf } from "../../src/engine/index.ts";
import type { DriveEnd, DriveRequest } from "../../src/runner/index.ts";
import { openDriven, type Behaviour, type DrivenRun } from "../support/driven-run.ts";
import { DrivenTime } from "../support/driven-time.ts";
import { chainFiles } from "../support/prompt-files.ts";
import { openTestEngine, type TestEngine } from "../support/test-engine.ts";

let engine: TestEngine;
let driven: DrivenRun;
let time: DrivenTime;
beforeEach(() => void (time = new DrivenTime()));
afterEach(async () => {
  await driven.close();
  await engine.close();
});

const minute = 60_000;

async function open(steps: string, behave: Behaviour, accounts: Readonly<Record<string, string>> = {}): Promise<void> {
  engine = await openTestEngine(chainFiles(steps, { one: "Do one.", two: "Do two." }), {}, time);
  driven = await openDriven(engine, behave, ["scripted", "other", "third"], accounts);
  await engine.allow("chain");
}

async function begin(): Promise<string> {
  return (await start(engine.context, engine.caller, { workflow: "chain", held: false })).run;
}

/** Drives while time passes. */
async function driveToEnd(request: Partial<DriveRequest> & { readonly run: string }): Promise<DriveEnd> {
  let isOver = false;
  const ended = driven.drive(request).finally(() => (isOver = true));
  while (!isOver) await time.advance(1_000);
  return ended;
}

async function strandOf(run: string) {
  const handle = await engine.context.runs.open(run);
  await engine.context.runs.refresh(handle);
  return handle.state;
}

/** For how many minutes the run was to wait, each time. */
async function pausesOf(run: string): Promise<readonly number[]> {
  const records = await engine.context.store.readRecords(run, 0, 1_000);
  return records.flatMap(({ at, events }) =>
    (JSON.parse(events) as readonly { readonly type: string; readonly until?: number }[]).flatMap(({ type, until }) =>
      type === "blocked" && until !== undefined ? Math.round((until - at) / minute) : [],
    ),
  );
}

const limited = (resetAt?: number): Awaited<ReturnType<Behaviour>> => ({
  stop: "error",
  errorKind: "limit",
  error: "The limit is reached.",
  text: "",
  ...(resetAt === undefined ? {} : { resetAt }),
});
const waitings = (): string[] =>
  driven.events.flatMap((event) => (event.type === "notice" && event.text.includes("Waiting until") ? event.text : []));

test("a driver waits for the time that the limit names, says so once, and continues within 2 seconds of it, with nothing counted against the step", async () => {
  const reset = time.now() + 5 * 3600_000;
  let failed = false;
  // It succeeds only if the one retry that it has is left after the limit.
  await open("  - { step: one, retry: { max_attempts: 1, delay_ms: 1000, on_error: all } }", async () => {
    if (time.now() < reset) return limited(reset);
    if (failed) return {};
    failed = true;
    return { stop: "error", error: "No.", text: "" };
  });
  const run = await begin();
  const driving = driven.drive({ run });
  while (waitings().length === 0) await time.advance(0);
  await time.advance(reset - time.now() - 1);
  expect(driven.turns).toHaveLength(1);
  await time.advance(1_999);
  while (driven.turns.length < 2) await time.advance(0);
  expect(time.now()).toBeLessThan(reset + 2_000);
  let isOver = false;
  void driving.finally(() => (isOver = true));
  while (!isOver) await time.advance(100);
  expect(await driving).toEqual({ run, kind: "completed" });
  expect(driven.turns).toHaveLength(3);
  expect(waitings()).toEqual([`The limit is reached. Waiting until ${new Date(reset).toISOString()}. Ctrl-C leaves the run parked.`]);
  const { budget } = await strandOf(run);
  // The folder for what it leaves, the step, and its retry.
  expect(budget.used.steps).toBe(3);
  expect(await engine.context.store.readPools()).toEqual([]);
});

test("a strand whose account another run found at its limit waits without a turn; one of another account works", async () => {
  const reset = time.now() + 60 * minute;
  await open("  - { step: one }", async () => (time.now() < reset ? limited(reset) : {}), { other: "scripted" });
  const [first, second, third] = [await begin(), await begin(), await begin()];
  expect(await driven.drive({ run: first, waits: false })).toMatchObject({ kind: "parked", until: reset });
  expect(await driven.drive({ run: second, agent: "other", waits: false })).toEqual({
    run: second,
    kind: "parked",
    why: "The limit is reached.",
    until: reset,
  });
  expect(driven.turns).toHaveLength(1);
  expect(await engine.context.store.readPools()).toMatchObject([{ name: "scripted", blockedUntil: reset, seenBy: first }]);
  expect(await driven.drive({ run: third, agent: "third", waits: false })).toMatchObject({ kind: "parked" });
  expect(driven.turns).toHaveLength(2);
});

test("interrupted while it waits, the run stays parked, and whoever asks for it after the time gets its step", async () => {
  const reset = time.now() + 10 * minute;
  await open("  - { step: one }", async () => limited(reset));
  const run = await begin();
  const stop = new AbortController();
  const driving = driven.drive({ run, finish: stop.signal });
  while (waitings().length === 0) await time.advance(0);
  await time.advance(5 * minute);
  stop.abort();
  await time.advance(500);
  expect(await driving).toEqual({ run, kind: "parked", why: "The limit is reached.", until: reset });
  expect((await strandOf(run)).strands["main"]?.blocked).toMatchObject({ until: reset, pool: "scripted" });
  await time.advance(6 * minute);
  const { standing } = await next(engine.context, engine.caller, { run });
  expect(standing).toMatchObject({ kind: "action" });
});

test("a limit that does not say when it ends is waited for 1, 5, 15 and then 60 minutes, and stops after two more hours", async () => {
  await open("  - { step: one }", async () => limited());
  const run = await begin();
  expect(await driveToEnd({ run })).toMatchObject({
    kind: "parked",
    stuck: true,
    why: expect.stringContaining("nothing could be done") as string,
  });
  expect(await pausesOf(run)).toEqual([1, 5, 15, 60, 60]);
  expect(driven.turns).toHaveLength(6);
  expect((await strandOf(run)).strands["main"]?.blocked).toMatchObject({ code: "NO_PROGRESS" });
});

test("a step that comes back twice after the time with nothing done stops, and a retry lets it try as often again", async () => {
  let turns = 0;
  await open("  - { step: one }", async () => ((turns += 1), limited(time.now() + minute)));
  const run = await begin();
  expect(await driveToEnd({ run })).toMatchObject({ kind: "parked", stuck: true });
  expect(turns).toBe(3);
  await retry(engine.context, engine.caller, { run, looks: true });
  expect(await engine.context.store.readPools()).toEqual([]);
  expect(await driveToEnd({ run })).toMatchObject({ kind: "parked", stuck: true });
  expect(turns).toBe(6);
});

test("a step that works between two limits is not stopped", async () => {
  let turns = 0;
  const tool = { type: "tool" as const, id: "t", name: "edit", status: "done" as const };
  await open("  - { step: one }", async () => ((turns += 1) < 8 ? { ...limited(time.now() + minute), events: [tool] } : {}));
  const run = await begin();
  expect(await driveToEnd({ run })).toEqual({ run, kind: "completed" });
  expect(turns).toBe(8);
});

test("an overloaded provider is tried three times, waited for 1 and 5 minutes, and then the strand stops", async () => {
  await open("  - { step: one }", async () => ({ stop: "error", errorKind: "overloaded", error: "529", text: "" }));
  const run = await begin();
  expect(await driveToEnd({ run })).toMatchObject({ kind: "parked", stuck: true, why: expect.stringContaining("529") as string });
  expect(waitings()[0]).toMatch(/^529\. Waiting until /);
  expect(await pausesOf(run)).toEqual([1, 5]);
  expect(driven.turns).toHaveLength(9);
  expect(await engine.context.store.readPools()).toEqual([]);
});

test.each(["one, retry: { max_attempts: 3, on_error: all }", "one"])("bad credentials are not tried again (%s)", async (step) => {
  await open(`  - { step: ${step} }`, async () => ({ stop: "error", errorKind: "auth", error: "Please sign in.", text: "" }));
  const run = await begin();
  expect(await driveToEnd({ run })).toMatchObject({ kind: "failed", why: "Please sign in." });
  expect(driven.turns).toHaveLength(1);
});

const beside = `
name: both:tasks
description: Three tasks, one with an agent of its own
steps:
  - { id: all, type: parallel_foreach, items: [{ id: A }, { id: B }, { id: C }], sub_agent_task: each }
sub_agent_tasks:
  each:
    steps:
      - id: which
        type: conditional
        condition: "{{ item.id === 'B' }}"
        then:
          - { id: own, type: agent_task, prompt: "Make {{ item.id }}.", agent: other }
        else:
          - { id: work, type: agent_task, prompt: "Make {{ item.id }}." }
`;

test("a task that waits for its account holds up no task of another account, and one turn is enough to know of the limit", async () => {
  const reset = time.now() + 30 * minute;
  const asked: string[] = [];
  engine = await openTestEngine({ ".waymark/workflows/both__tasks.yaml": beside }, {}, time);
  await engine.allow("both:tasks");
  driven = await openDriven(
    engine,
    async ({ prompt }) => {
      asked.push(`${prompt} ${time.now() < reset ? "before" : "after"}`);
      return prompt.includes("B") || time.now() >= reset ? {} : limited(reset);
    },
    ["scripted", "other"],
  );
  const { run } = await start(engine.context, engine.caller, { workflow: "both:tasks", held: false });
  const driving = driven.drive({ run });
  while (waitings().length === 0) await time.advance(0);
  expect(asked).toEqual(["Make A. before", "Make B. before"]);
  await time.advance(30 * minute);
  let isOver = false;
  void driving.finally(() => (isOver = true));
  while (!isOver) await time.advance(100);
  expect(await driving).toEqual({ run, kind: "completed" });
  expect(asked.slice(2).toSorted()).toEqual(["Make A. after", "Make C. after"]);
});

test("a limit that lasts longer than the run may take is not waited for", async () => {
  const reset = time.now() + 120 * minute;
  await open("  - { step: one }", async () => limited(reset));
  const { run } = await start(engine.context, engine.caller, { workflow: "chain", held: false, budget: { minutes: 60 } });
  expect(await driven.drive({ run })).toEqual({ run, kind: "parked", why: "The limit is reached.", until: reset });
});

test("the minutes of a drive end this drive alone: the open turn comes to its end, nothing begins after it, and the next drive has its own", async () => {
  const ends: (() => void)[] = [];
  await open("  - { step: one }\n  - { step: two }", () => new Promise((done) => ends.push(() => done({}))));
  const run = await begin();
  const driving = driven.drive({ run, minutes: 0.5 });
  while (ends.length === 0) await time.advance(0);
  await time.advance(minute);
  expect((await strandOf(run)).status).toBe("running");
  ends[0]?.();
  expect(await driving).toEqual({ run, kind: "parked", why: "The 0.5 minutes of this drive are over." });
  expect([driven.turns.length, (await strandOf(run)).budget.limits]).toEqual([1, {}]);
  const again = driven.drive({ run, minutes: 0.5 });
  while (ends.length < 2) await time.advance(0);
  ends[1]?.();
  expect(await again).toEqual({ run, kind: "completed" });
});

test("a person who is asked when the minutes of a drive are over need not answer any more", async () => {
  await open("  - { step: one }", async () => ({}));
  const { run } = await start(engine.context, engine.caller, { workflow: "chain", held: false, budget: { minutes: 1 } });
  await time.advance(2 * minute);
  let asked = 0;
  const end = driven.drive({
    run,
    minutes: 0.5,
    ask: (_run, _question, finish) => {
      asked += 1;
      return new Promise((done) => finish.addEventListener("abort", () => done(false)));
    },
  });
  while (asked === 0) await time.advance(0);
  await time.advance(minute);
  expect(await end).toMatchObject({ kind: "waits", questions: [{ kind: "budget" }] });
  expect(asked).toBe(1);
});

test("a limit that ends after the minutes of the drive is not waited for, and the driver says why", async () => {
  await open("  - { step: one }", async () => limited(time.now() + 60 * minute));
  const run = await begin();
  expect(await driven.drive({ run, minutes: 1 })).toMatchObject({ kind: "parked", until: time.now() + 60 * minute });
  expect(driven.events).toContainEqual({
    type: "notice",
    text: "It is not waited for: the time that is left ends before, at 2026-01-01T00:01:00.000Z.",
  });
});

test("a limit that ends after the minutes of the run: the driver says that the next drive asks for more", async () => {
  await open("  - { step: one }", async () => limited(time.now() + 60 * minute));
  const { run } = await start(engine.context, engine.caller, { workflow: "chain", held: false, budget: { minutes: 1 } });
  expect(await driven.drive({ run })).toMatchObject({ kind: "parked" });
  expect(driven.events).toContainEqual({
    type: "notice",
    text: "It is not waited for: the minutes of the run are over before, at 2026-01-01T00:01:00.000Z. The next drive after that asks a person for more.",
  });
});

test("minutes that are over before a turn begins are asked about, and the turn does not begin", async () => {
  await open("  - { step: one }\n  - { step: two }", async () => ({}));
  const { run } = await start(engine.context, engine.caller, { workflow: "chain", held: false, budget: { minutes: 60 } });
  await time.advance(61 * minute);
  expect(await driven.drive({ run })).toMatchObject({ kind: "waits", questions: [{ kind: "budget", binds: { what: "minutes" } }] });
  expect(driven.turns).toEqual([]);
});

test("a turn that the provider refuses at once costs nothing, so a budget does not ask about it", async () => {
  await open("  - { step: one }", async () =>
    driven.turns.length === 1 ? limited(time.now() + minute) : { usage: { inputTokens: 5, outputTokens: 5 } },
  );
  const { run } = await start(engine.context, engine.caller, { workflow: "chain", held: false, budget: { tokens: 1_000 } });
  expect(await driveToEnd({ run })).toEqual({ run, kind: "completed" });
  expect((await strandOf(run)).budget).toMatchObject({ used: { tokens: 10 } });
  expect((await strandOf(run)).budget).not.toHaveProperty("unknown");
});

test("turns that a step takes again count one by one", async () => {
  let turns = 0;
  await open(
    "  - { step: one }\n  - { step: two }",
    async () => ((turns += 1), { usage: { inputTokens: 60 }, text: turns === 1 ? "" : "done" }),
  );
  const { run } = await start(engine.context, engine.caller, { workflow: "chain", held: false, budget: { tokens: 100 } });
  expect(await driveToEnd({ run })).toMatchObject({ kind: "waits" });
  expect(turns).toBe(2);
  expect((await strandOf(run)).budget).toMatchObject({ used: { tokens: 120 } });
});

test("what a turn used that was refused is unknown in the totals, and a turn that never reached the agent is none", async () => {
  await open("  - { step: one }\n  - { step: two }", async ({ prompt }) => {
    if (prompt.includes("two")) return { stop: "error", errorKind: "setup", error: "No such model.", text: "" };
    return driven.turns.length === 1 ? limited(time.now() + minute) : { usage: { inputTokens: 5, costUsd: 1 } };
  });
  const run = await begin();
  expect(await driveToEnd({ run })).toMatchObject({ kind: "failed" });
  const totals = await readTotals(engine.context, run);
  expect(totals.map(({ turns }) => turns)).toEqual([2]);
  expect([sumOf(totals, "tokens"), sumOf(totals, "cost")]).toEqual([
    { known: 5, unknown: 1 },
    { known: 1, unknown: 1 },
  ]);
});
