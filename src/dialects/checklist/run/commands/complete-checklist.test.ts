import { afterEach, expect, test } from "vitest";
import { another, begin, driveToEnd, inHand, oldCalls, review, withWorkflow } from "../../../../../test/support/checklist-sample.ts";
import { expectSound } from "../../../../../test/support/checklist-sound.ts";
import type { TestEngine } from "../../../../../test/support/test-engine.ts";
import { completeChecklist } from "./complete-checklist.ts";
import { gatherFacts } from "./gather-facts.ts";
import { next } from "../../../../engine/index.ts";

let engine: TestEngine;
afterEach(() => engine.close());

const free = review.replace(
  "require_all_files: true, require_all_checklist_items: true",
  "require_all_files: false, require_all_checklist_items: false",
);
const files = { "a.js": "1", "b.js": "2" };

async function reviewing(workflow: string): Promise<string> {
  engine = await withWorkflow(workflow, files);
  return (await begin(engine, "review")).run;
}
const complete = (run: string, caller = engine.caller) => completeChecklist(engine.context, caller, run);

test("a run with open work is not completed, and says how much is open and what the caller has in hand", async () => {
  const run = await reviewing(review);
  await expect(complete(run)).rejects.toMatchObject({
    code: "RUN_NOT_DONE",
    message: expect.stringMatching(/is not done: 6 files and items are open\. Open is .*a\.js/) as string,
    details: { open: 6 },
  });
  expect(inHand(await next(engine.context, engine.caller, { run }))).toMatchObject({ file: "a.js", item: "analyze" });
});

test("who has nothing in hand is told what the run waits for", async () => {
  engine = await withWorkflow(review, { "a.js": "1" });
  const { run } = await begin(engine, "review");
  await expect(complete(run, another(engine, "second"))).rejects.toMatchObject({
    code: "RUN_NOT_DONE",
    message: expect.stringContaining("Other agents are working on the remaining files.") as string,
  });
  await engine.close();
  engine = await withWorkflow(oldCalls, { "a.js": "old(y);\n" });
  const asked = await begin(engine, "old-calls");
  await expect(complete(asked.run)).rejects.toMatchObject({
    code: "RUN_NOT_DONE",
    message: expect.stringContaining("A question waits for its answer: ") as string,
  });
});

test("a run whose work is done is completed, once", async () => {
  const run = await reviewing(review);
  await driveToEnd(engine, run, () => ({ status: "completed" }));
  expect((await complete(run)).state.status).toBe("completed");
  const { head } = await engine.context.runs.open(run);
  expect((await complete(run)).head).toBe(head);
});

test("where the rules ask for nothing, what is open is settled as not asked for", async () => {
  const run = await reviewing(free);
  expect((await complete(run)).state.status).toBe("completed");
  expect((await gatherFacts(engine.context, run)).entries).toMatchObject({ total: 4, by: { skipped: 4, pending: 0, completed: 0 } });
  const rows = await engine.context.store.selectItems(run, { list: "files", query: { facets: { kind: "entry" } }, limit: 10 });
  const reasons = new Set(rows.map(({ reason }) => reason));
  expect([...reasons]).toEqual(["the workflow was completed before; its rules do not ask for it"]);
  await expectSound(engine.context, run);
});

test("a run does not end early while another agent has a file in hand", async () => {
  const run = await reviewing(free);
  expect(inHand(await next(engine.context, another(engine, "second"), { run })).file).toBe("b.js");
  await expect(complete(run)).rejects.toMatchObject({ code: "RUN_NOT_DONE" });
  expect((await gatherFacts(engine.context, run)).entries.by).toMatchObject({ skipped: 0 });
});

test.each([
  ["files", "require_all_files: true, require_all_checklist_items: false"],
  ["items", "require_all_files: false, require_all_checklist_items: true"],
])("a run does not end early when its rules ask for all %s", async (_what, rules) => {
  const run = await reviewing(review.replace("require_all_files: true, require_all_checklist_items: true", rules));
  await expect(complete(run)).rejects.toMatchObject({ code: "RUN_NOT_DONE" });
});
