/** Several drivers on one run: what one of them does, loses or begins while the other looks away. Time is driven. */
import { afterEach, expect, test } from "vitest";
import { answer, end, next, report, start, type Caller } from "../../src/engine/index.ts";
import type { DriveEnd, DriveEvent } from "../../src/runner/index.ts";
import { openDriven, type Behaviour, type DrivenRun } from "../support/driven-run.ts";
import { DrivenTime } from "../support/driven-time.ts";
import { openTestEngine, type TestEngine } from "../support/test-engine.ts";

const opened: { readonly engine: TestEngine; readonly driven: DrivenRun }[] = [];
afterEach(async () => {
  for (const { driven } of opened) await driven.close();
  for (const { engine } of opened.splice(0).toReversed()) await engine.close();
});

async function drivenBy(engine: TestEngine, behave: Behaviour): Promise<DrivenRun> {
  const driven = await openDriven(engine, behave, ["scripted", "other"]);
  opened.push({ engine, driven });
  return driven;
}

const minute = 60_000;

const failing = `
name: tries:twice
description: Fails once, and is begun again.
error_handling: { on_error: retry_workflow }
steps:
  - { id: work, type: agent_task, prompt: Do it. }
`;

test("two drivers of a run that its workflow begins again: one of them drives the new attempt, the other one says who does", async () => {
  const engine = await openTestEngine({ ".waymark/workflows/tries__twice.yaml": failing });
  await engine.allow("tries:twice");
  const other = await engine.again();
  let over = (): void => undefined;
  const isOver = new Promise<void>((done) => (over = done));
  const first = await drivenBy(engine, async () => {
    if (first.turns.length > 1) await isOver;
    return first.turns.length === 1 ? { stop: "error", error: "No.", text: "" } : {};
  });
  const second = await drivenBy(other, async () => ({}));
  const { run } = await start(engine.context, engine.caller, { workflow: "tries:twice", held: false });
  const ends = [first.drive({ run })];
  while (first.turns.length < 2) await new Promise((next) => void setImmediate(next));
  const end = await second.drive({ run });
  over();
  expect(end).toMatchObject({ kind: "parked", why: expect.stringContaining("is held by") as string });
  expect(end.run).not.toBe(run);
  expect(await ends[0]).toEqual({ run: end.run, kind: "completed" });
});

const plain = `
name: one:part
description: One step for an agent.
steps:
  - { id: work, type: agent_task, prompt: Do it. }
`;

/** Drives a run whose agent waits in its turn while something is done to the run. */
async function overtaken(
  what: (engine: TestEngine, run: string, other: Caller) => Promise<unknown>,
): Promise<{ readonly run: string; readonly lost: readonly DriveEvent[] }> {
  const engine = await openTestEngine({ ".waymark/workflows/one__part.yaml": plain });
  await engine.allow("one:part");
  const other = await engine.again();
  const { run } = await start(engine.context, engine.caller, { workflow: "one:part", held: false });
  const session = `${other.host.processId}-d0`;
  const caller: Caller = { holder: { kind: "worker", name: "other", session }, surface: "runner", leaseOwner: session, stays: true };
  const driven = await drivenBy(engine, async () => {
    await what(other, run, caller);
    return {};
  });
  await driven.drive({ run, leaves: true });
  return { run, lost: driven.events.filter((event) => event.type === "reported" && event.how !== "done") };
}

test("a driver whose part was taken over while its agent worked says that its turn changes nothing", async () => {
  const { lost } = await overtaken((engine, run, caller) => next(engine.context, caller, { run, takeOver: true }));
  expect(lost).toEqual([
    { type: "reported", step: "work", how: "lost", why: "Another driver took it over; what came of this turn changes nothing." },
  ]);
});

test("a driver whose part was taken over and done while its agent worked says so too", async () => {
  const { lost } = await overtaken(async (engine, run, caller) => {
    const { standing } = await next(engine.context, caller, { run, takeOver: true });
    if (standing.kind === "action") await report(engine.context, caller, { run, action: standing.action.id, status: "success" });
  });
  expect(lost).toMatchObject([{ step: "work", how: "lost" }]);
});

test("a driver whose run was cancelled in a turn lost nothing to another one", async () => {
  const { lost } = await overtaken((engine, run, caller) =>
    end(engine.context, { ...caller, holder: { ...caller.holder, kind: "person" } }, { run, status: "cancelled", reason: "enough" }),
  );
  expect(lost).toEqual([]);
});

test("how long the end of a run by another process goes unnoticed in a turn is a setting", async () => {
  const time = new DrivenTime();
  const engine = await openTestEngine({ ".waymark/workflows/one__part.yaml": plain }, { turnLookMs: 5_000 }, time);
  await engine.allow("one:part");
  const other = await engine.again();
  const { run } = await start(engine.context, engine.caller, { workflow: "one:part", held: false });
  let isCancelled = false;
  const driven = await drivenBy(
    engine,
    ({ signal }) => new Promise((done) => signal?.addEventListener("abort", () => ((isCancelled = true), done({ stop: "cancelled" })))),
  );
  const driving = driven.drive({ run });
  while (driven.turns.length === 0) await time.advance(0);
  const person = { ...other.caller, holder: { ...other.caller.holder, kind: "person" as const } };
  await end(other.context, person, { run, status: "cancelled", reason: "enough" });
  await time.advance(4_900);
  expect(isCancelled).toBe(false);
  while (!isCancelled) await time.advance(100);
  expect(await driving).toMatchObject({ kind: "cancelled" });
});

const beside = `
name: both:tasks
description: Two tasks, one with an agent of its own
steps:
  - { id: all, type: parallel_foreach, items: [{ id: A }, { id: B }], sub_agent_task: each }
sub_agent_tasks:
  each:
    steps:
      - id: which
        type: conditional
        condition: "{{ item.id === 'A' }}"
        then:
          - { id: own, type: agent_task, prompt: "Make {{ item.id }}.", agent: other }
        else:
          - { id: work, type: agent_task, prompt: "Make {{ item.id }}." }
`;

test("a driver that waits for a time takes what another one loses meanwhile", async () => {
  const [before, after] = [new DrivenTime(), new DrivenTime()];
  const reset = after.now() + 60 * minute;
  const engine = await openTestEngine({ ".waymark/workflows/both__tasks.yaml": beside }, {}, before);
  await engine.allow("both:tasks");
  const stands = await drivenBy(
    engine,
    ({ signal }) => new Promise((done) => signal?.addEventListener("abort", () => done({ stop: "cancelled" }))),
  );
  const asked: string[] = [];
  const waits = await drivenBy(await engine.again({}, after), async ({ prompt }) => {
    asked.push(`${prompt} ${after.now() < reset ? "before" : "after"}`);
    return prompt.includes("A") || after.now() >= reset
      ? {}
      : { stop: "error", errorKind: "limit", error: "Full.", text: "", resetAt: reset };
  });
  const { run } = await start(engine.context, engine.caller, { workflow: "both:tasks", held: false });
  const cancel = new AbortController();
  const standing = stands.drive({ run, cancel: cancel.signal, finish: cancel.signal });
  while (stands.turns.length === 0) await before.advance(0);
  let over: DriveEnd | undefined;
  const driving = waits.drive({ run }).then((each) => (over = each));
  while (!waits.events.some((event) => event.type === "notice" && event.text.includes("Waiting until"))) await after.advance(10);
  while (over === undefined) await after.advance(1_000);
  expect(asked).toEqual(["Make B. before", "Make A. before", "Make B. after"]);
  expect(await driving).toEqual({ run, kind: "completed" });
  cancel.abort();
  await before.advance(1_000);
  await standing;
});

const asking = `
name: asks:one
description: A question in one task, a limit in the other
steps:
  - { id: all, type: parallel_foreach, items: [{ id: A }, { id: B }], sub_agent_task: each }
sub_agent_tasks:
  each:
    steps:
      - id: which
        type: conditional
        condition: "{{ item.id === 'A' }}"
        then:
          - { id: may, type: user_input, prompt: "May I?", answer_by: person, state_update: { path: raw.may } }
      - { id: work, type: agent_task, prompt: "Make {{ item.id }}." }
`;

test("while the person in front thinks about a question, what becomes due meanwhile is done", async () => {
  const time = new DrivenTime();
  const reset = time.now() + 10 * minute;
  const engine = await openTestEngine({ ".waymark/workflows/asks__one.yaml": asking }, {}, time);
  await engine.allow("asks:one");
  const person: Caller = { holder: { kind: "person", name: "ada", session: "p" }, surface: "cli-terminal", leaseOwner: "p" };
  const asked: string[] = [];
  const driven = await drivenBy(engine, async ({ prompt }) => {
    asked.push(prompt);
    return time.now() >= reset ? {} : { stop: "error", errorKind: "limit", error: "Full.", text: "", resetAt: reset };
  });
  const { run } = await start(engine.context, engine.caller, { workflow: "asks:one", held: false });
  let answers = (): void => undefined;
  let questions = 0;
  const driving = driven.drive({
    run,
    workers: 2,
    ask: async (_position, { id }) => {
      questions += 1;
      await new Promise<void>((done) => (answers = done));
      await answer(engine.context, person, { run, decision: id, answer: "yes", relayed: false });
      return true;
    },
  });
  while (questions === 0) await time.advance(10);
  await time.advance(10 * minute);
  while (asked.length < 2) await time.advance(1_000);
  expect(asked).toEqual(["Make B.", "Make B."]);
  answers();
  let isOver = false;
  void driving.finally(() => (isOver = true));
  while (!isOver) await time.advance(1_000);
  expect(await driving).toEqual({ run, kind: "completed" });
  expect([questions, asked]).toEqual([1, ["Make B.", "Make B.", "Make A."]]);
});
