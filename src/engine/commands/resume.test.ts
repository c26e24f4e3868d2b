import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SeedBench } from "../../../test/support/seed-bench.ts";
import { checkpoint } from "./checkpoint.ts";
import { end } from "./end.ts";
import { resume, retry } from "./resume.ts";
import { retryRun } from "./attempts.ts";
import { next } from "./next.ts";
import { progress } from "./progress.ts";
import { readState } from "./state.ts";
import type { Position } from "./next.ts";

let bench: SeedBench;
beforeAll(async () => {
  bench = await SeedBench.open();
});
afterAll(() => bench.close());

const stepOf = ({ standing }: Position): string => (standing.kind === "action" ? standing.action.step : standing.kind);

/** A run of two steps whose second one failed. */
async function failed(more = "") {
  const run = await bench.run(
    `default_state: { raw: {} }\nsteps: [{ id: one, type: user_message, message: x }, { id: two, type: user_message, message: y }]\n${more}`,
  );
  const { context } = run.engine;
  const { caller, id } = run;
  await progress(context, caller, { run: id });
  const { position } = await progress(context, caller, { run: id, status: "failed", error: "no" });
  expect(position.state.status).toBe("failed");
  return { context, caller, id };
}

test("resuming a run that failed opens its failed step again", async () => {
  const { context, caller, id } = await failed();
  const resumed = await resume(context, caller, { run: id });
  expect([resumed.state.status, stepOf(resumed)]).toEqual(["running", "two"]);
});

test("a workflow can ask that resuming leaves failed steps alone, or begins from the first one", async () => {
  const alone = await failed("on_resume: { retry_failed_steps: false }");
  expect((await resume(alone.context, alone.caller, { run: alone.id })).state.status).toBe("failed");
  expect(stepOf(await retry(alone.context, alone.caller, { run: alone.id }))).toBe("two");
  const again = await failed("on_resume: { skip_completed_steps: false }");
  expect(stepOf(await resume(again.context, again.caller, { run: again.id }))).toBe("one");
});

test("a run that has not ended continues where it is when it is resumed", async () => {
  const run = await bench.run("steps: [{ id: one, type: user_message, message: x }]");
  expect(stepOf(await resume(run.engine.context, run.caller, { run: run.id }))).toBe("one");
});

test("a failed run is begun once more only if its workflow asks for it, once for each time it may", async () => {
  const plain = await failed();
  expect(await retryRun(plain.context, plain.caller, plain.id)).toBeUndefined();
  const { context, caller, id } = await failed("error_handling: { on_error: retry_workflow, max_retries: 1 }");
  const second = await retryRun(context, caller, id);
  expect(second?.run).not.toBe(id);
  expect(second?.state).toMatchObject({ retryOf: id, status: "running" });
  expect(stepOf(second!)).toBe("one");
  expect((await retryRun(context, caller, id))?.run).toBe(second?.run);
  expect(await retryRun(context, caller, second!.run)).toBeUndefined();
  await progress(context, caller, { run: second!.run, status: "failed", error: "again" });
  expect(await retryRun(context, caller, second!.run)).toBeUndefined();
});

test("a run that is open or completed is not started again", async () => {
  const run = await bench.run("steps: [{ id: one, type: user_message, message: x }]\nerror_handling: { on_error: retry_workflow }");
  expect(await retryRun(run.engine.context, run.caller, run.id)).toBeUndefined();
  await progress(run.engine.context, run.caller, { run: run.id });
  expect(await retryRun(run.engine.context, run.caller, run.id)).toBeUndefined();
});

test("a run that was ended as failed on request is not started again, neither by itself nor from the run before it", async () => {
  const asks = "error_handling: { on_error: retry_workflow }";
  const run = await bench.run(`steps: [{ id: one, type: user_message, message: x }]\n${asks}`);
  const { context } = run.engine;
  await end(context, run.caller, { run: run.id, status: "failed" });
  expect(await retryRun(context, run.caller, run.id)).toBeUndefined();
  const { caller, id } = await failed(asks);
  const second = await retryRun(context, caller, id);
  await end(context, caller, { run: second!.run, status: "failed", reason: "enough" });
  expect((await retryRun(context, caller, id))?.state).toMatchObject({ id: second!.run, status: "failed" });
  expect(await retryRun(context, caller, second!.run)).toBeUndefined();
});

test("ending a run answers its state, and a run has one end", async () => {
  const run = await bench.run("default_state: { raw: { count: 2 } }\nsteps: [{ id: one, type: user_message, message: x }]");
  const { context } = run.engine;
  expect(await end(context, run.caller, { run: run.id, status: "cancelled", reason: "enough" })).toEqual({
    status: "cancelled",
    final: expect.objectContaining({ count: 2 }) as unknown,
  });
  expect((await next(context, run.caller, { run: run.id })).standing.kind).toBe("ended");
});

test("a checkpoint names the step and keeps the state in a file for people", async () => {
  const run = await bench.run("default_state: { raw: { count: 2 } }\nsteps: [{ id: one, type: user_message, message: x }]");
  const { context } = run.engine;
  const { mark, statePath } = await checkpoint(context, run.caller, { run: run.id, reason: "lunch" });
  expect(mark).toMatchObject({ step: "one", reason: "lunch", statePath });
  expect(JSON.parse(await readFile(statePath, "utf8"))).toMatchObject({
    run_id: run.id,
    status: "running",
    step: "one",
    state: { count: 2 },
  });
  const named = await checkpoint(context, run.caller, { run: run.id, step: "two", reason: "later" });
  expect(named.mark.step).toBe("two");
  expect((await readState(context, run.id)).state["count"]).toBe(2);
});
