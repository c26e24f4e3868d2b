import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Json } from "../base/index.ts";
import { answer } from "./commands/answer.ts";
import { checkpoint } from "./commands/checkpoint.ts";
import { end } from "./commands/end.ts";
import { note } from "./commands/note.ts";
import { retry } from "./commands/resume.ts";
import { doctor, rebuildRun } from "./commands/doctor.ts";
import { next } from "./commands/next.ts";
import { progress } from "./commands/progress.ts";
import { readState, updateState } from "./commands/state.ts";
import { report } from "./commands/report.ts";
import { start } from "./commands/start.ts";
import type { Caller } from "./caller.ts";
import type { Position } from "./commands/next.ts";
import { AlwaysBench, codeOf, same } from "../../test/crash/engine-bench.ts";
import type { ComposedEngine } from "../../test/crash/compose-engine.ts";

const bench = new AlwaysBench();
let engine: ComposedEngine;
let other: ComposedEngine;
beforeAll(async () => {
  engine = await bench.open();
  other = await bench.open();
  await engine.define("always:mixed", mixed);
});
afterAll(() => bench.close());

const mixed = `
name: always:mixed
default_state: { raw: { seen: [], total: 0 } }
state_schema:
  computed: { count: { from: raw.seen, transform: "input.length" } }
steps:
  - { id: first, type: mcp_call, mcp: { method: one, params: {} }, state_update: { path: raw.first } }
  - { id: sum, type: state_update, path: raw.total, operation: increment, value: 2 }
  - id: loop
    type: foreach
    items: [a, b, c]
    steps:
      - { id: act, type: mcp_call, mcp: { method: two, params: { item: "{{ item }}", count: "{{ count }}" } }, state_update: { path: raw.seen, operation: append }, on_error: continue }
  - { id: ask, type: user_input, prompt: "{{ total }}?", state_update: { path: raw.answer } }
  - id: all
    type: parallel_foreach
    items: [{ id: x }, { id: y }, { id: z }]
    sub_agent_task: work
    max_parallel: 2
    on_sub_agent_error: { strategy: continue, max_retries: 1 }
  - { id: last, type: user_message, message: "{{ count }}" }
sub_agent_tasks:
  work:
    steps:
      - { id: try, type: mcp_call, mcp: { method: three, params: { task: "{{ task_id }}" } }, state_update: { path: raw.total, operation: increment, value: 1 } }
`;

/** One thing somebody does, and what it was told; `key` names the record that must then be there. */
interface Told {
  readonly key?: string;
  readonly cause?: string;
}

interface Play {
  readonly run: string;
  readonly caller: Caller;
  readonly engine: ComposedEngine;
}

async function strands({ engine: { context }, run }: Play): Promise<(string | undefined)[]> {
  const { state } = await context.runs.open(run);
  return [undefined, ...Object.values(state.strands).flatMap((strand) => strand.task ?? [])];
}

/** Does one thing that the dice choose; undefined when it was refused. */
async function move(play: Play, dice: () => number): Promise<Told | undefined> {
  const {
    run,
    caller,
    engine: { context },
  } = play;
  const tasks = await strands(play);
  const task = tasks[dice() % tasks.length];
  const named = task === undefined ? {} : { task };
  const kind = dice() % 10;
  if (kind <= 5) {
    const { standing } = await next(context, caller, { run, ...named, waitMs: 0 });
    if (standing.kind === "question") {
      const done = await answer(context, caller, { run, decision: standing.decision.id, answer: `a${dice()}`, relayed: true });
      return { key: `answer:${done.decision}:1` };
    }
    if (standing.kind !== "action" || standing.action.what === "parallel_tasks") return undefined;
    const failed = dice() % 4 === 0;
    const { reported } = await progress(context, caller, {
      run,
      ...named,
      action: standing.action.id,
      status: failed ? "failed" : "success",
      result: dice(),
    });
    expect(reported).toEqual({ recorded: "now", action: standing.action.id, step: standing.action.step });
    return { key: `report:${standing.action.id}` };
  }
  if (kind === 6) {
    const key = `k${dice()}`;
    await updateState(context, caller, { run, updates: [{ path: "raw.total", operation: "increment", value: dice() }], key });
    return { key: `set:${key}` };
  }
  if (kind === 7) {
    await note(context, caller, { run, text: `note ${dice()}` });
    return { cause: "note" };
  }
  if (kind === 8) {
    await checkpoint(context, caller, { run, reason: "test" });
    return { cause: "mark" };
  }
  await end(context, caller, { run, status: "completed" });
  return undefined;
}

/** Plays a run by dice; `after` sees it after every reply that said something was recorded. */
async function playing(throws: readonly number[], after: (play: Play, told: Told) => Promise<void>): Promise<Play> {
  let at = 0;
  const dice = (): number => (throws[at++ % throws.length] ?? 0) + at;
  const caller = engine.caller();
  const { run } = await start(engine.context, caller, { workflow: "always:mixed" });
  const play = { run, caller, engine };
  for (let turn = 0; turn < throws.length; turn += 1) {
    const told = await move(play, dice).catch((error: { code?: string }) => {
      if (error.code === undefined) throw error;
      return undefined;
    });
    if (told !== undefined) await after(play, told);
  }
  return play;
}

const dice = fc.array(fc.nat({ max: 10_000 }), { minLength: 5, maxLength: 30 });
const options = { numRuns: Number(process.env["WAYMARK_PROPERTY_RUNS"] ?? 8), endOnFailure: true };

test("rule 1: whoever opens the store after a reply finds in it what the reply said was recorded", async () => {
  await fc.assert(
    fc.asyncProperty(dice, async (throws) => {
      await playing(throws, async ({ run, engine: { context } }, { key, cause }) => {
        const records = await bench.records(run);
        // The client's own key of a write is followed by what was written with it.
        const isThere = records.some((record) => record.key === key || record.key?.startsWith(`${key}:`) === true);
        expect(key === undefined || isThere, `${key} is there`).toBe(true);
        expect(cause ?? records.at(-1)?.cause).toBe(records.at(-1)?.cause);
        const { state, head } = await bench.stored(run);
        const handle = await context.runs.open(run);
        expect(handle.head).toBe(head);
        expect(same(handle.state, state)).toBe(true);
      });
    }),
    options,
  );
});

test("rule 2: asked twice, the same holder gets the same open action", async () => {
  let actions = 0;
  await fc.assert(
    fc.asyncProperty(dice, async (throws) => {
      await playing(throws, async (play) => {
        const {
          run,
          caller,
          engine: { context },
        } = play;
        for (const task of await strands(play)) {
          const ask = (): Promise<Position | string> =>
            next(context, caller, { run, ...(task === undefined ? {} : { task }), waitMs: 0 }).catch(
              (error: { code: string }) => error.code,
            );
          const [once, head] = [await ask(), (await context.runs.open(run)).head];
          if (typeof once !== "string" && once.standing.kind === "action") actions += 1;
          const twice = await ask();
          expect(typeof twice === "string" ? twice : twice.standing).toEqual(typeof once === "string" ? once : once.standing);
          expect((await context.runs.open(run)).head).toBe(head);
        }
      });
    }),
    options,
  );
  expect(actions).toBeGreaterThan(0);
});

test("rule 2: a report already made returns the recorded answer and changes nothing, by action and by step", async () => {
  const caller = engine.caller();
  const { run, standing } = await start(engine.context, caller, { workflow: "always:mixed" });
  const action = standing.kind === "action" ? standing.action.id : "";
  const made = await report(engine.context, caller, { run, action, result: 1 });
  const { head } = await engine.context.runs.open(run);
  expect(made).toEqual({ recorded: "now", action, step: "first" });
  for (const request of [{ action }, { action, result: 2 }, { step: "first", result: 3 }, { action, status: "failed" as const }]) {
    expect(await report(engine.context, caller, { run, ...request })).toEqual({ recorded: "before", action, step: expect.any(String) });
  }
  const again = await other.context.runs.open(run);
  expect([again.head, (await readState(other.context, run)).state["first"]]).toEqual([head, 1]);
});

test("rule 2: the repeat of a report is recognised by its own strand, not by a step id that another strand reported", async () => {
  const caller = engine.caller();
  const { run } = await start(engine.context, caller, { workflow: "always:mixed" });
  for (const result of [1, 2, 3, 4, "yes"]) await progress(engine.context, caller, { run, result });
  const { standing } = await next(engine.context, caller, { run, task: "x" });
  expect(standing).toMatchObject({ kind: "action", action: { step: "all.try" } });
  expect((await engine.context.runs.open(run)).state.strands["main"]?.last?.step).toBe("loop.act");
  expect(await codeOf(report(engine.context, caller, { run, task: "x", step: "loop.act", result: 1 }))).toBe("ENGINE_WRONG_STEP");
});

test("rule 2: a holder that lost its action is told so, and not to do it again", async () => {
  const caller = engine.caller();
  const { run, standing } = await start(engine.context, caller, { workflow: "always:mixed" });
  const action = standing.kind === "action" ? standing.action.id : "";
  await next(other.context, other.caller(), { run, takeOver: true });
  expect(await codeOf(report(engine.context, caller, { run, action, result: 1 }))).toBe("HOLDER_LOST");
  expect(await codeOf(report(engine.context, caller, { run, step: "first", result: 1 }))).toBe("HOLDER_LOST");
});

test("rule 2: a report for the wrong action, or from a lost holder, changes nothing and says what is open", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 60 }), fc.boolean(), async (number, byStep) => {
      const caller = engine.caller();
      const { run } = await start(engine.context, caller, { workflow: "always:mixed" });
      const { head } = await engine.context.runs.open(run);
      const wrong = byStep ? { step: `s${number}` } : { action: `z${number}` };
      const error = await report(engine.context, caller, { run, ...wrong, result: 1 }).catch(
        (thrown: { code: string; details: unknown; message: string }) => thrown,
      );
      expect(error).toMatchObject({ code: "ENGINE_WRONG_STEP", details: { open_steps: ["first"] } });
      await next(other.context, other.caller(), { run, takeOver: true });
      expect(await codeOf(report(engine.context, caller, { run, result: 1 }))).toBe("HOLDER_LOST");
      expect(await codeOf(updateState(engine.context, caller, { run, updates: [{ path: "raw.x", value: 1 }] }))).toBe("HOLDER_LOST");
      expect((await bench.records(run)).length).toBe(head + 2);
      expect((await readState(engine.context, run)).state["first"]).toBeUndefined();
    }),
    { numRuns: 6 },
  );
});

test("rule 3: apply over the journal gives exactly the stored state, whatever was done, and doctor says so", async () => {
  await fc.assert(
    fc.asyncProperty(dice, async (throws) => {
      const { run } = await playing(throws, async () => undefined);
      expect((await doctor(engine.context, run)).problems).toEqual([]);
      expect((await doctor(other.context, run)).problems).toEqual([]);
      const before = await readState(engine.context, run);
      await rebuildRun(other.context, run);
      expect((await doctor(other.context, run)).problems).toEqual([]);
      expect(await readState(other.context, run)).toEqual(before);
    }),
    options,
  );
});

test("rule 3: a state loaded from a snapshot equals the one replayed from the first record", async () => {
  const caller = engine.caller();
  const { run } = await start(engine.context, caller, { workflow: "always:mixed" });
  const values: Json[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    values.push("x".repeat(60_000 + turn));
    await updateState(engine.context, caller, {
      run,
      updates: [{ path: "raw.big", operation: "append", value: { of: turn, text: "y".repeat(14_000), more: values[turn] ?? null } }],
    });
    for (let small = 0; small < 5; small += 1)
      await updateState(engine.context, caller, { run, updates: [{ path: `raw.s${small}`, value: "z".repeat(15_000) }] });
  }
  await engine.context.runs.settle();
  expect(await engine.context.store.readSnapshot(run)).toBeDefined();
  const fresh = await bench.open();
  expect((await doctor(fresh.context, run)).problems).toEqual([]);
  expect(await readState(fresh.context, run)).toEqual(await readState(engine.context, run));
});

test("rule 3: doctor notices a journal that does not fit the rows", async () => {
  const caller = engine.caller();
  const { run } = await start(engine.context, caller, { workflow: "always:mixed" });
  await progress(engine.context, caller, { run, result: 1 });
  const [list = ""] = await engine.context.store.itemLists(run);
  await engine.context.store.applyItems(run, [
    { type: "item_moved", move: { list, id: "loop.1", from: "pending", to: "skipped", facets: {}, root: "loop.1" } },
  ]);
  expect((await doctor(engine.context, run)).problems.length).toBeGreaterThan(0);
  await rebuildRun(engine.context, run);
  expect((await doctor(engine.context, run)).problems).toEqual([]);
});

test("rule 2: a report without a name is for the step that is open, not for a hand-out that is over", async () => {
  await engine.define(
    "always:sorry",
    `
name: always:sorry
error_handling: { on_failure: [{ id: sorry, type: user_message, message: "{{ error.message }}" }] }
steps:
  - { id: all, type: parallel_foreach, items: [1, 2], sub_agent_task: work, on_sub_agent_error: { strategy: retry_failed, max_retries: 0 } }
sub_agent_tasks:
  work: { steps: [{ id: act, type: user_message, message: "{{ item }}" }] }
`,
  );
  const caller = engine.caller();
  const { run } = await start(engine.context, caller, { workflow: "always:sorry" });
  for (const task of ["all.0", "all.1"]) {
    await next(engine.context, caller, { run, task });
    await progress(engine.context, caller, { run, task, status: "failed", error: "no" });
  }
  const { standing, state } = await next(engine.context, caller, { run });
  expect(standing).toMatchObject({ kind: "action", action: { step: "on_failure.sorry" } });
  expect(Object.values(state.actions).map((action) => action.step)).toEqual(["on_failure.sorry"]);
  const { position } = await progress(engine.context, caller, { run });
  expect(position.state).toMatchObject({ status: "failed", error: { code: "TASKS_FAILED" } });
  const again = await retry(engine.context, caller, { run });
  expect(again.standing).toMatchObject({
    kind: "action",
    action: { what: "parallel_tasks" },
    tasks: [{ task: "all.0" }, { task: "all.1" }],
  });
});

test("rule 1: a report is recorded even when what comes after it cannot be worked out; that fails by its own policy", async () => {
  await engine.define(
    "always:inner",
    `
name: always:inner
inputs: { a: any }
default_state: { raw: { x: "{{ inputs.a.b.c.toUpperCase() }}" } }
steps: [{ id: never, type: user_message, message: "{{ x }}" }]
`,
  );
  await engine.define(
    "always:outer",
    `
name: always:outer
steps:
  - { id: one, type: user_message, message: one }
  - { id: call, type: include_workflow, workflow: "always:inner", inputs: { a: 1 }, on_error: continue }
  - { id: two, type: user_message, message: two }
`,
  );
  const caller = engine.caller();
  const { run } = await start(engine.context, caller, { workflow: "always:outer" });
  const { reported, position } = await progress(engine.context, caller, { run });
  expect([reported.recorded, position.standing]).toMatchObject(["now", { kind: "action", action: { step: "two" } }]);
  const refused = await start(engine.context, caller, { workflow: "always:inner", inputs: { a: 1 } }).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    brand: "waymark.error",
    code: "EXPRESSION_FAILED",
    message: expect.stringContaining("Nothing was started."),
  });
});

test("rule 2: a task id that comes again in a later round means the newest task of that name", async () => {
  await engine.define(
    "always:rounds",
    `
name: always:rounds
default_state: { raw: { round: 0 } }
steps:
  - id: rounds
    type: while
    condition: "{{ round < 2 }}"
    body:
      - { id: count, type: state_update, path: raw.round, operation: increment }
      - { id: all, type: parallel_foreach, items: [{ id: a }, { id: b }], sub_agent_task: work, max_parallel: 1 }
sub_agent_tasks:
  work: { steps: [{ id: act, type: user_message, message: "{{ round }}" }] }
`,
  );
  const caller = engine.caller();
  const { run } = await start(engine.context, caller, { workflow: "always:rounds" });
  for (const task of ["a", "b"]) {
    await next(engine.context, caller, { run, task });
    await progress(engine.context, caller, { run, task });
  }
  expect((await next(engine.context, caller, { run, task: "a" })).standing).toMatchObject({
    kind: "action",
    action: { args: { message: "2" } },
  });
  expect(await codeOf(next(engine.context, caller, { run, task: "b" }))).toBe("ENGINE_NO_TASK");
});
