import { afterEach, expect, test } from "vitest";
import { begin, driveToEnd, inHand, review, withWorkflow } from "../../../../test/support/checklist-sample.ts";
import type { TestEngine } from "../../../../test/support/test-engine.ts";
import { next, progress, report } from "../../../engine/index.ts";

let engine: TestEngine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

/** A run of which everything is reviewed, so that only its end is to be reported. */
async function reviewed() {
  engine = await withWorkflow(review, { "a.js": "1" });
  const { context, caller } = engine;
  const { run } = await begin(engine, "review");
  await driveToEnd(engine, run, () => ({ status: "completed" }));
  const position = await next(context, caller, { run });
  const { standing } = position;
  expect(inHand(position)).toMatchObject({ what: "complete_workflow" });
  const action = standing.kind === "action" ? standing.action.id : "";
  return { context, caller, run, action };
}

test("a run whose end is reported is completed, whatever the report's result is", async () => {
  const { context, caller, run, action } = await reviewed();
  await report(context, caller, { run, action, status: "success", result: { again: true } });
  const { standing } = await next(context, caller, { run });
  expect(standing).toMatchObject({ kind: "ended" });
  expect((await context.runs.open(run)).state.status).toBe("completed");
});

test("a run whose end is reported as failed is not completed", async () => {
  const { context, caller, run, action } = await reviewed();
  await report(context, caller, { run, action, status: "failed", error: "The report could not be written." });
  expect((await context.runs.open(run)).state.status).toBe("failed");
});

test("a repeated report that names its file, which is done, is answered with what is open now", async () => {
  engine = await withWorkflow(review, { "a.js": "1", "b.js": "2" });
  const { context, caller } = engine;
  const { run } = await begin(engine, "review");
  const said = { run, task: "a.js", status: "success" as const, result: "fine" };
  const reports: string[] = [];
  for (let position = await next(context, caller, { run }); inHand(position).file === "a.js";) {
    const { standing } = position;
    reports.push(standing.kind === "action" ? standing.action.id : "");
    ({ position } = await progress(context, caller, { ...said, action: reports.at(-1)! }));
  }
  const { reported, position } = await progress(context, caller, { ...said, action: reports.at(-1)! });
  expect([reports.length, reported.recorded, inHand(position).file]).toEqual([2, "before", "b.js"]);
});
