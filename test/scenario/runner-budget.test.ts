/** Budgets of runs whose drivers stand still, fail or lose what they hold: every turn counts once. Time is driven. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { start } from "../../src/engine/index.ts";
import { openDriven, type Behaviour, type DrivenRun } from "../support/driven-run.ts";
import { DrivenTime } from "../support/driven-time.ts";
import { chainFiles } from "../support/prompt-files.ts";
import { openTestEngine, type TestEngine } from "../support/test-engine.ts";

/** A driver in a process of its own, whose clock can stand still. */
interface Driver {
  readonly engine: TestEngine;
  readonly time: DrivenTime;
  readonly driven: DrivenRun;
  /** Turns that have begun, and what lets each one end. */
  readonly turns: (() => void)[];
}

const drivers: Driver[] = [];
beforeEach(() => void drivers.splice(0));
afterEach(async () => {
  for (const { driven } of drivers) await driven.close();
  for (const { engine } of drivers.toReversed()) await engine.close();
});

async function openDriver(engine: TestEngine, time: DrivenTime, ends: Awaited<ReturnType<Behaviour>>): Promise<Driver> {
  const turns: (() => void)[] = [];
  const driven = await openDriven(engine, async ({ signal }) => {
    const over = await new Promise<boolean>((done) => {
      turns.push(() => done(false));
      signal?.addEventListener("abort", () => done(true), { once: true });
    });
    return over ? { ...ends, stop: "cancelled" } : ends;
  });
  const driver = { engine, time, driven, turns };
  drivers.push(driver);
  return driver;
}

/** Two drivers on one store: the first stands still in its turn until it has lost its step to the second. */
async function takenOver(tokens: number) {
  const [before, after] = [new DrivenTime(), new DrivenTime()];
  const engine = await openTestEngine(chainFiles("  - step: one\n  - step: two", { one: "Do one.", two: "Do two." }), {}, before);
  await engine.allow("chain");
  const first = await openDriver(engine, before, { usage: { inputTokens: 60 } });
  const second = await openDriver(await engine.again({}, after), after, { usage: { inputTokens: 50 } });
  const { run } = await start(engine.context, engine.caller, { workflow: "chain", held: false, budget: { tokens } });
  const one = first.driven.drive({ run });
  while (first.turns.length === 0) await before.advance(0);
  await after.advance(10 * 60_000);
  const two = second.driven.drive({ run });
  while (second.turns.length === 0) await after.advance(200);
  return { run, first, second, ends: [one, two] as const };
}

/** Lets time pass for both until driving has ended. */
async function until<T>(ended: Promise<T>): Promise<T> {
  let isOver = false;
  void ended.finally(() => (isOver = true));
  while (!isOver) for (const { time } of drivers) await time.advance(1_000);
  return ended;
}

async function budgetOf({ engine }: Driver, run: string) {
  const handle = await engine.context.runs.open(run);
  await engine.context.runs.refresh(handle);
  return handle.state.budget;
}

test("a driver that loses its step while its agent works: both turns are reserved, and each counts once, whichever ends first", async () => {
  for (const order of ["first", "second"] as const) {
    const { run, first, second, ends } = await takenOver(1_000);
    expect(Object.keys((await budgetOf(second, run)).reserved ?? {})).toHaveLength(2);
    if (order === "second") second.turns[0]?.();
    if (order === "second") while (second.turns.length < 2) await second.time.advance(200);
    await first.time.advance(20 * 60_000);
    await until(ends[0]);
    expect((await budgetOf(second, run)).used.tokens).toBe(order === "first" ? 60 : 110);
    for (let turn = order === "first" ? 0 : 1; turn < 2; turn += 1) {
      while (second.turns.length <= turn) await second.time.advance(200);
      second.turns[turn]?.();
    }
    expect(await until(ends[1])).toEqual({ run, kind: "completed" });
    const { used, reserved } = await budgetOf(second, run);
    expect([used.tokens, reserved]).toEqual([160, undefined]);
    for (const { driven } of drivers) await driven.close();
    for (const { engine } of drivers.splice(0).toReversed()) await engine.close();
  }
});

test("a budget that the turns of two drivers use up is exceeded by one turn of each at most", async () => {
  const { run, first, second, ends } = await takenOver(100);
  await first.time.advance(20 * 60_000);
  await until(ends[0]);
  second.turns[0]?.();
  expect(await until(ends[1])).toMatchObject({ kind: "waits", questions: [{ kind: "budget" }] });
  expect([first.turns.length, second.turns.length]).toEqual([1, 1]);
  expect((await budgetOf(second, run)).used.tokens).toBe(110);
});

test("what a turn used that broke off is not taken for nothing: a person is asked", async () => {
  const time = new DrivenTime();
  const engine = await openTestEngine(chainFiles("  - step: one", { one: "Do one." }), {}, time);
  await engine.allow("chain");
  const driven = await openDriven(engine, async ({ session }) => {
    if (session !== undefined) return { usage: { inputTokens: 5 } };
    throw new Error("The agent's pipe broke.");
  });
  drivers.push({ engine, time, driven, turns: [] });
  const { run } = await start(engine.context, engine.caller, { workflow: "chain", held: false, budget: { tokens: 100 } });
  await expect(driven.drive({ run })).rejects.toThrow("pipe broke");
  expect(await driven.drive({ run })).toMatchObject({ kind: "waits", questions: [{ binds: { unknown: "yes" } }] });
  expect(driven.turns).toHaveLength(1);
});
