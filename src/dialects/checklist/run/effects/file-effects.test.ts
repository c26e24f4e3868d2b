import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { begin, driveToEnd, inHand, oldCalls, review, withWorkflow } from "../../../../../test/support/checklist-sample.ts";
import { expectSound } from "../../../../../test/support/checklist-sound.ts";
import type { TestEngine } from "../../../../../test/support/test-engine.ts";
import { gatherFacts } from "../commands/gather-facts.ts";
import { next, progress } from "../../../../engine/index.ts";
import { reportCheck } from "../commands/check-report.ts";
import { fieldOf } from "../../../../base/index.ts";

let engine: TestEngine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

async function migration(files: Readonly<Record<string, string>>) {
  const opened = await withWorkflow(oldCalls, files);
  engine = opened;
  const { context, caller } = opened;
  const { run } = await begin(opened, "old-calls");
  await progress(context, caller, { run, result: "review_by_file" });
  const hand = async () => inHand(await next(context, caller, { run }));
  const row = async (id: string) => context.store.readItem(run, "files", id);
  return { run, engine: opened, hand, row, done: () => reportCheck(context, caller, { run, status: "completed" }) };
}

test.each([
  [{ "a.js": "1" }, "1 file failed, and none is left that could pass."],
  [{ "a.js": "1", "b.js": "2" }, "2 files failed, and none is left that could pass."],
])("a run of which every file failed says how many there are: %o", async (files, reason) => {
  engine = await withWorkflow(review, files);
  const { run } = await begin(engine, "review");
  await driveToEnd(engine, run, () => ({ status: "failed", error: "no" }));
  const { standing } = await next(engine.context, engine.caller, { run });
  expect(standing).toMatchObject({ kind: "blocked", code: "FILES_FAILED", reason });
});

test("an instance that is still there after three reports has failed, and blocks its file with the reason", async () => {
  const { run, hand, row, done, ...rest } = await migration({ "a.js": "old(y);\n", "b.js": "old(z);\n" });
  const { item } = await hand();
  for (const tries of [1, 2, 3]) {
    expect(await hand(), `try ${tries}`).toMatchObject({ file: "a.js", item });
    await done();
  }
  expect((await hand()).file).toBe("b.js");
  const reason = "It is still there after 3 reports that it was converted.";
  expect(await row(item)).toMatchObject({ status: "failed", reason });
  expect(await row("a.js#review_complete")).toMatchObject({ status: "failed", reason: `1 instance failed: ${reason}` });
  expect(await row("a.js")).toMatchObject({ status: "failed", reason: `1 instance failed: ${reason}` });
  await expectSound(rest.engine.context, run);
});

test("an instance that is gone counts as converted by hand, and its file as changed and done", async () => {
  const { run, hand, row, done, ...rest } = await migration({ "a.js": "old(y);\n" });
  const { item } = await hand();
  await rest.engine.write("a.js", "fresh(y);\n");
  await done();
  expect((await hand()).what).toBe("complete_workflow");
  expect(await row(item)).toMatchObject({ status: "completed", label: "by_hand", facets: { done: "hand" } });
  expect(await gatherFacts(rest.engine.context, run)).toMatchObject({
    files: { completed: 1, changed: 1 },
    instances: { completed: 1, byHand: 1, autoFixed: 0 },
  });
});

test("of a file that is gone nobody can say what became of its instance", async () => {
  const { hand, row, done, ...rest } = await migration({ "a.js": "old(y);\n", "b.js": "old(z);\n" });
  const { item } = await hand();
  await rm(join(rest.engine.folder, "a.js"));
  await done();
  expect((await hand()).file).toBe("b.js");
  expect(await row(item)).toMatchObject({
    status: "failed",
    reason: expect.stringContaining("What became of it cannot be seen: ") as string,
  });
});

test("a file names three reasons of what failed in it and counts the others, each reason once", async () => {
  const { run, row, ...rest } = await migration({ "a.js": "old(1);\nold(2);\nold(3);\nold(4);\nold(5);\nold(6);\n", "b.js": "quiet();\n" });
  const errors = ["One.", "Two.", "Two.", "Three.", "Four.", "Five."];
  await driveToEnd(rest.engine, run, () => ({ status: "failed", error: errors.shift() ?? "More." }));
  expect(await row("a.js")).toMatchObject({ status: "failed", reason: "6 instances failed: One. Two. Three. and 2 more reasons" });
});

test("a field that is not there is empty", () => {
  expect([fieldOf({ a: "x" }, "a"), fieldOf({ a: "x" }, "b"), fieldOf("text", "a"), fieldOf(undefined, "a")]).toEqual(["x", "", "", ""]);
});
