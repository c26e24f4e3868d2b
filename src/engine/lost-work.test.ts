import { afterAll, beforeAll, expect, test } from "vitest";
import { next, resume, retry, retryRun } from "./index.ts";
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
