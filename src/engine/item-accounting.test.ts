import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { end } from "./commands/end.ts";
import { retry } from "./commands/resume.ts";
import { next } from "./commands/next.ts";
import { progress } from "./commands/progress.ts";
import { start } from "./commands/start.ts";
import { apply, emptyState, type Event, type RunState } from "../kernel/index.ts";
import { itemStatuses } from "../program/index.ts";
import { AlwaysBench, codeOf } from "../../test/crash/engine-bench.ts";
import type { ComposedEngine } from "../../test/crash/compose-engine.ts";
import { agentStep, condition, program } from "../../test/support/make-program.ts";
import { MemoryRun } from "../../test/support/memory-run.ts";

const bench = new AlwaysBench();
let engine: ComposedEngine;
let commits = 0;
/** How far the journal of each run was replayed. */
const replayed = new Map<string, { readonly state: RunState; readonly position: number }>();
beforeAll(async () => {
  engine = await bench.open({
    store: async (name, args, call) => {
      const done = await call();
      commits += 1;
      await checkSums(name === "createRun" ? (args[0] as { id: string }).id : String(args[0]));
      return done;
    },
  });
  await engine.define("items:all", workflow);
});
afterAll(() => bench.close());

const workflow = `
name: items:all
default_state: { raw: { errors: [] } }
steps:
  - id: loop
    type: foreach
    items: [1, 2, 3, 4, 5]
    steps:
      - id: over
        type: conditional
        condition: "{{ item === 2 }}"
        then: [{ id: skip, type: continue }]
      - { id: act, type: mcp_call, mcp: { method: act, params: {} } }
      - id: enough
        type: conditional
        condition: "{{ item === 4 }}"
        then: [{ id: stop, type: break }]
  - id: all
    type: parallel_foreach
    items: [{ id: a }, { id: b }, { id: c }, { id: d }, { id: e }]
    sub_agent_task: work
    max_parallel: 2
    on_sub_agent_error: { strategy: STRATEGY, max_retries: 1, collect_errors: true, error_state_path: raw.errors }
    on_error: continue
  - { id: last, type: user_message, message: done }
sub_agent_tasks:
  work:
    steps:
      - id: rounds
        type: foreach
        items: [1, 2]
        steps: [{ id: try, type: mcp_call, mcp: { method: try, params: {} } }]
`.replace("STRATEGY", "retry_failed");

/** Pending + in progress + completed + skipped + failed = total, in the counts and in the rows, and what is skipped says why. */
async function checkSums(run: string): Promise<RunState> {
  const { store } = engine.context;
  let { state, position } = replayed.get(run) ?? { state: emptyState, position: 0 };
  for (const record of await store.readRecords(run, position, 10_000)) {
    for (const event of JSON.parse(record.events) as Event[]) state = apply(state, event);
    ({ position } = record);
  }
  replayed.set(run, { state, position });
  for (const [list, counts] of Object.entries(state.lists)) {
    expect(
      itemStatuses.reduce((sum, status) => sum + counts.by[status], 0),
      `${list} sums up`,
    ).toBe(counts.total);
    expect(Math.min(...itemStatuses.map((status) => counts.by[status])), `${list} has no negative count`).toBeGreaterThanOrEqual(0);
    const kept = (await store.itemLists(run)).includes(list);
    expect(kept ? (await store.countItems(run, list, {})).byStatus : counts.by, `${list} has the rows that were counted`).toEqual(
      counts.by,
    );
  }
  for (const list of await store.itemLists(run)) {
    for (const status of ["skipped", "failed"] as const) {
      for (const item of await store.selectItems(run, { list, query: { status }, limit: 100 }))
        expect(item.reason, `${list} ${item.id} is ${status} for a reason`).toBeTruthy();
    }
  }
  return state;
}

test("rule 4: no item is ever lost: after every commit the statuses add up to the total", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 99 }), { minLength: 10, maxLength: 30 }), async (throws) => {
      const caller = engine.caller();
      const { run } = await start(engine.context, caller, { workflow: "items:all" });
      for (const thrown of throws) {
        const { state } = await engine.context.runs.open(run);
        const tasks = [undefined, ...Object.values(state.strands).flatMap((strand) => strand.task ?? [])];
        const task = tasks[thrown % tasks.length];
        const named = task === undefined ? {} : { task };
        if (state.status === "failed") await codeOf(retry(engine.context, caller, { run, waitMs: 0 }));
        await codeOf(next(engine.context, caller, { run, ...named, waitMs: 0 }));
        await codeOf(
          progress(engine.context, caller, { run, ...named, status: thrown % 3 === 0 ? "failed" : "success", result: thrown, waitMs: 0 }),
        );
      }
      if (throws.length % 3 === 0) await codeOf(end(engine.context, caller, { run, status: "cancelled", reason: "enough" }));
      const state = await checkSums(run);
      const ids = Object.keys(state.lists);
      expect(ids.length).toBeGreaterThan(0);
    }),
    { numRuns: Number(process.env["WAYMARK_PROPERTY_RUNS"] ?? 6), endOnFailure: true },
  );
  expect(commits).toBeGreaterThan(50);
}, 60_000);

test("rule 4: what a break leaves over is skipped with the reason, and a cancelled run skips what was in hand", async () => {
  const caller = engine.caller();
  const { run } = await start(engine.context, caller, { workflow: "items:all" });
  for (let turn = 0; turn < 3; turn += 1) await progress(engine.context, caller, { run, result: 1 });
  const { state } = await bench.stored(run);
  expect(state.lists["loop"]).toMatchObject({ total: 5, by: { completed: 4, skipped: 1, pending: 0, in_progress: 0 } });
  await end(engine.context, caller, { run, status: "cancelled", reason: "no more" });
  const ended = await checkSums(run);
  expect(ended.lists["all"]).toMatchObject({ total: 5, by: { skipped: 5 } });
});

test("rule 4: a run cannot be completed while something is open, and says what", async () => {
  const caller = engine.caller();
  const { run } = await start(engine.context, caller, { workflow: "items:all" });
  const refused = await end(engine.context, caller, { run, status: "completed" }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "RUN_NOT_DONE", details: { open_steps: ["loop.act"] } });
  expect((await bench.stored(run)).state.status).toBe("running");
});

test("rule 4: a run whose completion rules are unmet stays open and says what is missing", () => {
  let met = false;
  const rules = [{ id: "tested", when: condition("tested"), message: "The tests have not run." }];
  const run = new MemoryRun(program([agentStep("a")], "a", { rules }), () => ({ tested: met }));
  run.start();
  run.report(Object.keys(run.state.actions)[0] ?? "");
  expect(run.state).toMatchObject({
    status: "running",
    strands: { main: { status: "blocked", blocked: { code: "RULES_UNMET", reason: "The tests have not run." } } },
  });
  expect(run.input({ type: "end", status: "completed" })).toMatchObject({ code: "RUN_NOT_DONE" });
  met = true;
  run.input({ type: "retry", resetCounts: false });
  expect(run.state.status).toBe("completed");
});

test("rule 4: finishing early obeys the completion rules too", () => {
  let met = false;
  const rules = [{ id: "tested", when: condition("tested"), message: "The tests have not run." }];
  const run = new MemoryRun(
    program([{ kind: "seq", id: "s", blocks: ["a", "out"] }, agentStep("a"), { kind: "leave", id: "out", how: "finish" }], "s", { rules }),
    () => ({ tested: met }),
  );
  run.start();
  run.report(Object.keys(run.state.actions)[0] ?? "");
  expect(run.state).toMatchObject({ status: "running", strands: { main: { status: "blocked", blocked: { code: "RULES_UNMET" } } } });
  met = true;
  run.input({ type: "retry", resetCounts: false });
  expect(run.state.status).toBe("completed");
});
