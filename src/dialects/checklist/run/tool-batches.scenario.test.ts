import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { next, progress, start } from "../../../engine/index.ts";
import { driveToEnd, inHand } from "../../../../test/support/checklist-sample.ts";
import { expectSound } from "../../../../test/support/checklist-sound.ts";
import { fixingWorkflow, openLinting, type Linting } from "../../../../test/support/linter-sample.ts";
import { previewBatch, runBatch, waitForBatch } from "./commands/batch.ts";
import { gatherFacts } from "./commands/gather-facts.ts";
import { reopenFailed } from "./commands/retry-checklist.ts";
import { undoBatch } from "./commands/undo.ts";

let engine: Pick<Linting, "close">;
afterEach(() => engine.close());

async function fixing(files: Readonly<Record<string, string>>): Promise<Linting> {
  const opened = await openLinting(files, fixingWorkflow);
  engine = opened;
  const { run } = await start(opened.context, opened.caller, { workflow: "lint" });
  await progress(opened.context, opened.caller, { run, result: "apply_auto_first" });
  return { ...opened, run };
}

const apply = { operation: "apply_fixes" as const };

async function apply_fixes({ context, caller, run }: Linting, filter = {}) {
  const preview = await previewBatch(context, caller, { run, ...apply, filter });
  const { batch } = await runBatch(context, caller, { run, token: preview.token ?? "" });
  return { preview, batch, record: await waitForBatch(context, { run, batch, waitMs: 10_000 }) };
}

test("a batch makes the edits that the tool offers, the tool says what was fixed, and undoing restores every byte", async () => {
  const files = { "a.js": "\uFEFFbad(1);\r\nlet x = 'é' + bad;\r\n", "b.js": "fine();\n", "c.js": "bad();\n" };
  const opened = await fixing(files);
  const { context, caller, run, folder, ran } = opened;
  expect((await gatherFacts(context, run)).instances).toMatchObject({ total: 3, open: { auto: 3 } });
  const { preview, batch, record } = await apply_fixes(opened);
  expect(preview.plan).toMatchObject({ instances: 3, byType: { "no-bad": 3 } });
  expect(record).toMatchObject({ modified: 3, failed: 0, left_out: 0, files_modified: 2, done: true });
  expect(ran).toEqual(["lint --json", "lint --json"]);
  expect(await readFile(join(folder, "a.js"), "utf8")).toBe("\uFEFFgood(1);\r\nlet x = 'é' + good;\r\n");
  expect((await gatherFacts(context, run)).instances).toMatchObject({ completed: 3, autoFixed: 3, pending: 0, toVerify: 0 });
  await undoBatch(context, caller, { run, batch, waitMs: 10_000 });
  for (const [path, text] of Object.entries(files)) expect(await readFile(join(folder, path), "utf8"), path).toBe(text);
  expect((await gatherFacts(context, run)).instances).toMatchObject({ completed: 0, pending: 3, open: { auto: 3 } });
  expect((await apply_fixes(opened)).record).toMatchObject({ modified: 3 });
  await expectSound(context, run);
});

test("a fix that the tool still reports is not modified, and its instance goes to an agent", async () => {
  const opened = await fixing({ "a.js": "bad(1);\nugly(2);\n" });
  const { context, caller, run, write } = opened;
  const { record } = await apply_fixes(opened);
  const error = "The fix that lint offers was made, and lint still reports it.";
  expect(record).toMatchObject({ previewed: 2, modified: 1, failed: 1, failures: [{ file: "a.js", line: 2, error }] });
  expect((await gatherFacts(context, run)).instances).toMatchObject({ completed: 1, pending: 1 });
  await progress(context, caller, { run, result: {}, more: { status: "completed" } });
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ type: "no-ugly" });
  await driveToEnd(opened, run, async () => (await write("a.js", "good(1);\n"), { status: "completed" }));
  expect((await gatherFacts(context, run)).instances).toMatchObject({ completed: 2, autoFixed: 1, byHand: 1 });
});

test("edits of a file that changed since the tool looked are left out with the reason", async () => {
  const opened = await fixing({ "a.js": "bad(1);\n", "b.js": "bad(2);\n" });
  const { context, caller, run, write } = opened;
  await write("a.js", "// new\nbad(1);\n");
  const preview = await previewBatch(context, caller, { run, ...apply, filter: {} });
  expect(preview).toMatchObject({
    plan: { instances: 1, files: [{ path: "b.js" }] },
    leftOut: [{ file: "a.js", line: 1, reason: "The file changed since lint looked at it." }],
  });
});

test("a tool that breaks after the files are written stops the batch, and a retry settles it", async () => {
  const opened = await fixing({ "a.js": "bad(1);\n" });
  const { context, caller, run, instead } = opened;
  instead.push({ exitCode: 2, stdout: { text: "", bytes: 0 }, stderr: "boom" });
  const preview = await previewBatch(context, caller, { run, ...apply, filter: {} });
  const { batch } = await runBatch(context, caller, { run, token: preview.token ?? "" });
  await waitForBatch(context, { run, batch, waitMs: 1_000 });
  const facts = await gatherFacts(context, run);
  expect(facts.blocked?.reason).toContain("Its error output ends with: boom");
  expect(facts.instances).toMatchObject({ completed: 0 });
  await reopenFailed(context, caller, run);
  expect(await waitForBatch(context, { run, batch, waitMs: 10_000 })).toMatchObject({ modified: 1, done: true });
});
