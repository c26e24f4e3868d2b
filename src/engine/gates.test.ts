import { afterAll, beforeAll, expect, test } from "vitest";
import { review } from "../../test/support/checklist-sample.ts";
import { SeedBench, SeedRun } from "../../test/support/seed-bench.ts";
import { createRun, pinWorkflow } from "./create-run.ts";
import { answer } from "./commands/answer.ts";
import { next } from "./commands/next.ts";
import type { Caller } from "./caller.ts";

let bench: SeedBench;
beforeAll(async () => {
  const phase = "id: analysis, name: Analysis, description: d, required: true";
  const gated = review.replace("type: review", "type: gated").replace(phase, `${phase}, hard_stop: true`);
  bench = await SeedBench.open({ ".waymark/workflows/gated.workflow.yaml": gated, "a.js": "x", "b.js": "y" });
});
afterAll(() => bench.close());

function personOf({ caller }: SeedRun): Caller {
  return { ...caller, surface: "cli-terminal", holder: { kind: "person", name: "ada", session: "p" } };
}

function pendingOf({ position }: SeedRun): readonly { readonly id: string; readonly revision: number; readonly strand: string }[] {
  return Object.values(position.state.decisions).filter(({ status }) => status === "pending");
}

/** `start` refuses to call a checklist in parallel tasks; runs that earlier versions began do it. */
async function begunEarlier(body: string): Promise<SeedRun> {
  const { context, caller } = bench.engine;
  const workflow = await context.catalog.loadValid(await bench.define(body));
  const { program } = workflow;
  const run = "wf-begun-earlier-2026-01-31-a1b2c3";
  const options = { serial: false, unable: [] };
  await createRun(context, caller, { run, program, pin: await pinWorkflow(context, workflow), inputs: {}, options, budget: {} });
  return new SeedRun(bench.engine, caller, await next(context, caller, { run }));
}

test("two tasks that come to the same gate have a question each, and both can pass", async () => {
  const run = await begunEarlier(`
steps:
  - { id: all, type: parallel_foreach, items: [{ id: A }, { id: B }], sub_agent_task: each }
sub_agent_tasks: { each: { steps: [{ id: sub, type: include_workflow, workflow: gated }] } }
`);
  const open = async (task: string, waitMs: number): Promise<SeedRun> =>
    new SeedRun(run.engine, run.caller, await next(run.engine.context, run.caller, { run: run.id, task, waitMs }), task);
  await open("A", 3000);
  const asked = pendingOf(await open("B", 3000));
  expect(asked.map(({ id, strand }, index) => (index === 0 ? id : id.replace(strand, "<task>")))).toEqual([
    "enter:analysis",
    "enter:analysis:<task>",
  ]);
  for (const { id } of asked)
    await answer(run.engine.context, personOf(run), { run: run.id, decision: id, answer: "go_on", relayed: false });
  const [a, b] = [await open("A", 0), await open("B", 0)];
  expect(pendingOf(b)).toEqual([]);
  expect([a.position.standing.kind, b.position.standing.kind]).not.toContain("question");
});

test("an answer that is sent again does not answer the question of the next round", async () => {
  const run = await bench.run(`
steps:
  - id: rounds
    type: foreach
    items: [1, 2]
    steps:
      - { id: sub, type: include_workflow, workflow: gated, on_error: continue }
`);
  await run.next({ waitMs: 3000 });
  const { context } = run.engine;
  const stop = { run: run.id, decision: "enter:analysis", answer: "stop", relayed: false, revision: 1 };
  expect((await answer(context, personOf(run), stop)).recorded).toBe("now");
  await run.next({ waitMs: 3000 });
  const asked = { id: "enter:analysis", revision: 2 };
  expect(pendingOf(run)).toMatchObject([asked]);
  expect(await answer(context, personOf(run), stop)).toEqual({ recorded: "before", decision: "enter:analysis", answer: "stop" });
  await expect(answer(context, personOf(run), { ...stop, answer: "go_on" })).rejects.toMatchObject({ code: "DECISION_REVISED" });
  await run.next();
  expect(pendingOf(run)).toMatchObject([asked]);
  expect((await answer(context, personOf(run), { ...stop, revision: 2 })).recorded).toBe("now");
});
