import { afterAll, beforeAll, expect, test } from "vitest";
import { handOutId } from "../../kernel/index.ts";
import { next } from "./next.ts";
import { progress } from "./progress.ts";
import { SeedBench } from "../../../test/support/seed-bench.ts";

let bench: SeedBench;
beforeAll(async () => {
  bench = await SeedBench.open();
});
afterAll(() => bench.close());

test.each(["step", "action", "author", "id"] as const)("a report by %s leads on in the task that it was about", async (how) => {
  const run = await bench.run(`
steps: [{ id: all, type: parallel_foreach, items: [{ id: A }, { id: B }], sub_agent_task: each }]
sub_agent_tasks: { each: { steps: [{ id: one, type: mcp_call, mcp: { method: m } }, { id: two, type: mcp_call, mcp: { method: m } }] } }
`);
  const { context } = run.engine;
  const asked = await next(context, run.caller, { run: run.id, task: "B" });
  if (asked.standing.kind !== "action") throw new Error(asked.standing.kind);
  const { id, step } = asked.standing.action;
  const named = {
    step: { step: handOutId(step, id) },
    action: { action: handOutId(step, id) },
    author: { step: "one" },
    id: { action: id },
  }[how];
  const done = await progress(context, run.caller, { run: run.id, ...named, shownOnly: true, result: "r" });
  expect(done.reported).toMatchObject({ recorded: "now", action: id });
  expect(done.position.standing).toMatchObject({ kind: "action", action: { step: expect.stringMatching(/two$/) } });
});
