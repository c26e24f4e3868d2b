import { afterAll, beforeAll, expect, test } from "vitest";
import { next } from "./commands/next.ts";
import { resume, retry } from "./commands/resume.ts";
import { retryRun } from "./commands/attempts.ts";
import { SeedBench, SeedRun } from "../../test/support/seed-bench.ts";

let bench: SeedBench;
beforeAll(async () => {
  bench = await SeedBench.open();
});
afterAll(() => bench.close());

/** The holder of a step that must not be repeated is gone, and somebody else takes the run over. */
async function lost(more: string): Promise<SeedRun> {
  const run = await bench.run(`steps: [{ id: s, type: agent_shell_command, command: make, on_lost: fail }]\n${more}`);
  const other = { ...run.caller, holder: { kind: "agent" as const, name: "second", session: `second-${run.id}` } };
  return new SeedRun(run.engine, other, await next(run.engine.context, other, { run: run.id, takeOver: true }));
}

test("a run that failed because a step was lost is not begun once more by itself", async () => {
  const run = await lost("error_handling: { on_error: retry_workflow, max_retries: 3 }");
  expect(run.error).toMatchObject({ code: "HOLDER_LOST" });
  expect(await retryRun(run.engine.context, run.caller, run.id)).toBeUndefined();
});

test("a run that failed because a step was lost is looked at by resume, and goes on by retry alone", async () => {
  const run = await lost("");
  const resumed = await resume(run.engine.context, run.caller, { run: run.id });
  expect(resumed.state.status).toBe("failed");
  const retried = await retry(run.engine.context, run.caller, { run: run.id });
  expect(retried.standing).toMatchObject({ kind: "action", action: { step: "s", taken: 0 } });
});

const takeOver = async (run: SeedRun, task?: string): Promise<void> => {
  const other = { ...run.caller, holder: { kind: "agent" as const, name: "second", session: `second-${run.id}` } };
  const asked = next(run.engine.context, other, { run: run.id, takeOver: true, ...(task === undefined ? {} : { task }) });
  await asked.catch((error: { readonly code?: string }) => expect(error.code).toBe("ENGINE_TASK_UNKNOWN"));
};

test("a cleanup step that was lost fails the run, whatever its task and its workflow say about retries", async () => {
  const run = await bench.run(`
steps:
  - { id: all, type: parallel_foreach, items: [{ id: A }], sub_agent_task: each, on_sub_agent_error: { strategy: retry_failed, max_retries: 2 } }
sub_agent_tasks:
  each:
    steps: [{ id: one, type: mcp_call, mcp: { method: m } }]
    error_handling: { cleanup_on_error: [{ id: clean, type: agent_shell_command, command: make, on_lost: fail }] }
error_handling: { on_error: retry_workflow, max_retries: 3 }
`);
  const task = await run.open("A");
  await task.fail("no");
  expect(task.step?.id).toContain("clean");
  await takeOver(run, "A");
  const { state } = await run.engine.context.runs.open(run.id);
  expect(state).toMatchObject({ status: "failed", error: { lost: true }, actions: {} });
  expect(await retryRun(run.engine.context, run.caller, run.id)).toBeUndefined();
});

test("a step in hand that a sibling's failure breaks off is not handed out again by any policy, only by a retry", async () => {
  const run = await bench.run(`
steps:
  - { id: all, type: parallel_foreach, items: [{ id: A }, { id: B }], sub_agent_task: each, on_error: retry, retry_count: 2, retry_delay: 0 }
sub_agent_tasks:
  each:
    steps:
      - { id: pick, type: mcp_call, mcp: { method: m } }
      - { id: make, type: agent_shell_command, command: make, on_lost: fail }
error_handling: { on_error: retry_workflow, max_retries: 3 }
`);
  const { context } = run.engine;
  const task = await (await run.open("A")).done("x");
  expect(task.step?.id).toContain("make");
  await (await run.open("B")).fail("no");
  const { state } = await context.runs.open(run.id);
  expect(state).toMatchObject({ status: "failed", error: { code: "HOLDER_LOST", lost: true }, actions: {} });
  expect(await retryRun(context, run.caller, run.id)).toBeUndefined();
  expect((await resume(context, run.caller, { run: run.id })).state.status).toBe("failed");
  expect((await retry(context, run.caller, { run: run.id })).state.status).toBe("running");
});
