import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { checklistRows, gatherFacts } from "./commands/gather-facts.ts";
import { completeChecklist } from "./commands/complete-checklist.ts";
import { next, progress } from "../../../engine/index.ts";
import { previewBatch, runBatch, waitForBatch } from "./commands/batch.ts";
import { reopenFailed } from "./commands/retry-checklist.ts";
import { reportCheck } from "./commands/check-report.ts";
import { undoBatch } from "./commands/undo.ts";
import { checklistReport } from "../views/index.ts";
import { openCliBench, type CliBench } from "../../../../test/process/cli-world.ts";
import type { TestClient } from "../../../../test/process/mcp-client.ts";
import { begin, driveToEnd, inHand, oldCalls, review, withWorkflow } from "../../../../test/support/checklist-sample.ts";
import { expectSound } from "../../../../test/support/checklist-sound.ts";
import { openChecklistWorld, type ChecklistWorld } from "../../../../test/support/checklist-world.ts";
import type { TestEngine } from "../../../../test/support/test-engine.ts";

let world: ChecklistWorld | undefined;
let engine: TestEngine | undefined;
let bench: CliBench | undefined;
afterEach(async () => {
  await world?.close();
  await engine?.close();
  await bench?.close();
  [world, engine, bench] = [undefined, undefined, undefined];
});

type Call = TestClient["call"];

async function overMcp(definition: string, files: Readonly<Record<string, string>>): Promise<{ call: Call; session: string }> {
  const name = /^type: (\S+)/m.exec(definition)?.[1] ?? "x";
  world = await openChecklistWorld({ workflows: [], definitions: { [`.waymark/workflows/${name}.workflow.yaml`]: definition }, files });
  const { call } = await world.client();
  const started = await call("workflow_start", { workflow: name });
  return { call, session: started.data.session_id };
}

async function factsOf(session: string) {
  return gatherFacts((world as ChecklistWorld).engine.context, session);
}

describe("a report says what was done", () => {
  test("an empty report is refused with what to send, as often as it comes, and settles nothing", async () => {
    world = await openChecklistWorld({ workflows: ["codebase-review"], files: { "src/a.ts": "export const a = 1;\n" } });
    const { call } = await world.client();
    const started = await call("workflow_start", { workflow: "codebase-review", options: { include_patterns: ["src/**"] } });
    const session = started.data.session_id;
    const open = started.data.next_action;
    const before = await factsOf(session);
    for (let times = 0; times < 6; times += 1) {
      const refused = await call("workflow_progress", { session_id: session });
      expect(refused.isError).toBe(true);
      expect(refused.text).toContain("completed_action");
      expect(refused.text).toContain("status");
      expect(refused.text.length).toBeLessThan(700);
    }
    expect((await call("workflow_next", { session_id: session })).data.next_action).toMatchObject({
      checklist_item_id: open.checklist_item_id,
    });
    expect(await factsOf(session)).toMatchObject({ files: { completed: 0 }, entries: before.entries, behaviour: { reported: 0 } });
    expect((await call("workflow_complete", { session_id: session })).isError).toBe(true);
    const result = await call("workflow_progress", { session_id: session, result: "all fine" });
    expect(result.isError, "a result without a status says nothing about the entry").toBe(true);
  });

  test("findings, changes and topics alone are added to the entry, which stays open; the same again adds nothing", async () => {
    const { call, session } = await overMcp(review, { "a.js": "x" });
    const finding = { line: 1, severity: "warning", description: "odd" };
    const change = { line_start: 1, line_end: 1, original_code: "x", proposed_code: "y" };
    const more = { findings: [finding], proposed_changes: [change] };
    const added = await call("workflow_progress", { session_id: session, ...more });
    expect(added.isError, added.text).toBe(false);
    expect(added.text).toMatch(/1 finding, 1 proposed change/);
    expect(added.text).toContain("still open");
    expect(added.data).toMatchObject({ added: { findings: 1, proposed_changes: 1 }, next_action: { checklist_item_id: "analyze" } });
    const again = await call("workflow_progress", { session_id: session, ...more });
    expect(again.data).toMatchObject({ recorded: "before", next_action: { checklist_item_id: "analyze" } });
    expect(await factsOf(session)).toMatchObject({
      findings: { total: 1 },
      changes: { total: 1 },
      entries: { by: { completed: 0 } },
      behaviour: { reported: 0 },
    });
    const topic = await call("workflow_progress", {
      session_id: session,
      expand_checklist: [{ topic_id: "no/such-topic", relevance_score: 0.9 }],
    });
    expect(topic.text, "what does not fit is named as in any report").toContain("there is no such topic");
    const done = await call("workflow_progress", {
      session_id: session,
      completed_action: { action: "analyze_file", status: "completed", result: "read" },
      findings: [{ ...finding, description: "another" }],
    });
    expect(done.isError, done.text).toBe(false);
    expect(await factsOf(session)).toMatchObject({ findings: { total: 2 }, entries: { by: { completed: 1 } } });
    await expectSound((world as ChecklistWorld).engine.context, session);
  });

  test("the same findings alone, sent again, are told that they were added before and that the entry is open", async () => {
    const { call, session } = await overMcp(review, { "a.js": "x" });
    const sent = { session_id: session, findings: [{ description: "odd", severity: "info" }] };
    await call("workflow_progress", sent);
    const again = await call("workflow_progress", sent);
    expect(again.text).toContain("The same was added before; nothing was changed. `a.js#analyze` is still open");
    expect(again.text).not.toContain("reported before");
    expect(again.data).toMatchObject({ recorded: "before", next_action: { checklist_item_id: "analyze" } });
    expect(await factsOf(session)).toMatchObject({ findings: { total: 1 }, entries: { by: { completed: 0 } } });
    const { action_id } = again.data.next_call.arguments;
    await call("workflow_progress", { session_id: session, action_id, findings: sent.findings });
    await call("workflow_progress", { session_id: session, action_id, status: "completed" });
    const late = await call("workflow_progress", { session_id: session, action_id, findings: sent.findings });
    expect(late.text).toMatch(/^The same was added before; nothing was changed\.\n/);
  });

  test("the third false claim about an instance is told that it is set aside", async () => {
    const { call, session } = await overMcp(oldCalls, { "a.js": "old(x);\nold(y);\n" });
    let { data } = await call("workflow_progress", { session_id: session, answer: "review_by_file" });
    const { checklist_item_id: first } = data.next_action;
    let text = "";
    for (let claim = 0; claim < 3; claim += 1) {
      expect(text).not.toContain("set aside");
      ({ data, text } = await call("workflow_progress", { ...data.next_call.arguments, status: "completed" }));
    }
    const reason = "It is still there after 3 reports that it was converted.";
    expect(text.split("\n")[0]).toBe(`\`${first}\` in a.js is set aside as failed: ${reason} workflow_retry opens it again.`);
    expect(data.set_aside).toEqual({ file: "a.js", line: 1, checklist_item_id: first, status: "failed", reason });
    expect(data.next_action).toMatchObject({ action: "convert_instance", line: 2 });
  });

  test("a known topic alone is added to the file, and the analysis stays open", async () => {
    const { call, session } = await overMcp(review, { "a.js": "x" });
    const [{ id: known } = { id: "" }] = await (world as ChecklistWorld).engine.context.knowledge.topics();
    const added = await call("workflow_progress", { session_id: session, expand_checklist: [{ topic_id: known, relevance_score: 0.9 }] });
    expect(added.isError, added.text).toBe(false);
    expect(added.data).toMatchObject({ expanded: [known], next_action: { checklist_item_id: "analyze" } });
    expect(await factsOf(session)).toMatchObject({ topics: { pending: 1, byAgent: 1 }, entries: { by: { completed: 0 } } });
  });

  test("findings about an instance do not report it as converted", async () => {
    const { call, session } = await overMcp(oldCalls, { "a.js": "old(x);\n" });
    await call("workflow_progress", { session_id: session, answer: "review_by_file" });
    const added = await call("workflow_progress", { session_id: session, findings: [{ description: "odd", severity: "info" }] });
    expect(added.text).not.toContain("You reported it as converted");
    expect(added.data.next_action).toMatchObject({ action: "convert_instance" });
    const { action_id } = added.data.next_call.arguments;
    expect((await call("workflow_progress", { session_id: session, action_id })).data.error.code).toBe("ENGINE_NO_RESULT");
    const claimed = await call("workflow_progress", { session_id: session, action_id, status: "completed" });
    expect(claimed.text).toContain("You reported it as converted, but it is still there.");
  });

  test("a reason to skip is a skip, and an error is a failure, without a status too", async () => {
    const { call, session } = await overMcp(oldCalls, { "a.js": "old(x);\nold(y);\n" });
    await call("workflow_progress", { session_id: session, answer: "review_by_file" });
    await call("workflow_progress", { session_id: session, skip_reason: "meant so" });
    await call("workflow_progress", { session_id: session, error: "cannot be done" });
    expect(await factsOf(session)).toMatchObject({ instances: { skipped: 1, failed: 1, completed: 0 } });
  });
});

const seven = Object.fromEntries(["a", "b", "c", "d", "e", "f", "g"].map((name) => [`${name}.js`, "old('1');\nold('2');\n"]));

/** Seven files of which one cannot be written, after a batch over all of them. */
async function halfDone() {
  engine = await withWorkflow(oldCalls, { ...seven, "h.js": "old(x);\n" });
  const { context, caller, folder } = engine;
  const { run } = await begin(engine, "old-calls");
  await progress(context, caller, { run, result: "apply_auto_first" });
  await chmod(join(folder, "c.js"), 0o444);
  const preview = await previewBatch(context, caller, { run, operation: "apply_fixes", filter: {} });
  const { batch } = await runBatch(context, caller, { run, token: preview.token ?? "" });
  const record = await waitForBatch(context, { run, batch, waitMs: 20_000 });
  await reportCheck(context, caller, { run, action: "batch_apply", status: "completed" });
  const skip = () => driveToEnd({ context, caller }, run, () => ({ status: "skipped", skipReason: "meant so" }));
  return { ...engine, run, record, skip };
}

describe("what failed is not done", () => {
  test("a file with failed fixes is blocked with the reason, and a retry opens it again", async () => {
    const { context, caller, folder, run, record, skip } = await halfDone();
    expect(record).toMatchObject({ modified: 12, failed: 2, files_modified: 6, files_failed: 1 });
    await skip();
    expect(await gatherFacts(context, run)).toMatchObject({
      files: { total: 8, completed: 7, blocked: 1, pending: 0 },
      instances: { completed: 12, failed: 2, skipped: 1 },
      entries: { by: { failed: 1 } },
    });
    const handle = await context.runs.open(run);
    const list = Object.keys(handle.state.lists).find((name) => handle.state.lists[name]?.facets["kind=file"] !== undefined) ?? "";
    expect(await context.store.readItem(run, list, "c.js")).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("2 instances") as string,
    });
    expect(await context.store.readItem(run, list, "c.js#review_complete")).toMatchObject({ status: "failed" });
    await expectSound(context, run);
    await chmod(join(folder, "c.js"), 0o644);
    expect(await reopenFailed(context, caller, run)).toBeGreaterThan(0);
    expect(inHand(await next(context, caller, { run, waitMs: 1_000 }))).toMatchObject({ what: "check", file: "c.js" });
    await writeFile(join(folder, "c.js"), "fresh('1');\nfresh('2');\n");
    await driveToEnd({ context, caller }, run, () => ({ status: "completed" }));
    expect(await gatherFacts(context, run)).toMatchObject({ files: { completed: 8, blocked: 0 }, instances: { failed: 0 } });
    await expectSound(context, run);
  });

  test("a second batch over what failed settles its file", async () => {
    const { context, caller, folder, run, skip } = await halfDone();
    await skip();
    await chmod(join(folder, "c.js"), 0o644);
    const preview = await previewBatch(context, caller, { run, operation: "apply_fixes", filter: { status: "failed" } });
    const { batch } = await runBatch(context, caller, { run, token: preview.token ?? "" });
    expect(await waitForBatch(context, { run, batch, waitMs: 20_000 })).toMatchObject({ modified: 2, remaining: 0 });
    expect(await gatherFacts(context, run)).toMatchObject({
      files: { completed: 8, blocked: 0 },
      instances: { completed: 14, failed: 0 },
      entries: { by: { failed: 0 } },
    });
    await expectSound(context, run);
  });

  test("a batch that fixes the rest of a file does not complete it over an instance that failed", async () => {
    engine = await withWorkflow(oldCalls, { "a.js": "old(x);\nold('1');\n", "b.js": "old(y);\n" });
    const { context, caller } = engine;
    const { run } = await begin(engine, "old-calls");
    await progress(context, caller, { run, result: "review_by_type" });
    expect(inHand(await next(context, caller, { run, waitMs: 1_000 }))).toMatchObject({ file: "a.js", type: "other" });
    await reportCheck(context, caller, { run, status: "failed", error: "cannot be done" });
    expect(inHand(await next(context, caller, { run, waitMs: 1_000 }))).toMatchObject({ file: "b.js" });
    const preview = await previewBatch(context, caller, { run, operation: "apply_fixes", filter: {} });
    const { batch } = await runBatch(context, caller, { run, token: preview.token ?? "" });
    expect(await waitForBatch(context, { run, batch, waitMs: 20_000 })).toMatchObject({ modified: 1 });
    expect(await gatherFacts(context, run)).toMatchObject({ files: { completed: 0 } });
    await driveToEnd({ context, caller }, run, () => ({ status: "skipped", skipReason: "s" }));
    expect(await gatherFacts(context, run)).toMatchObject({
      files: { completed: 1, blocked: 1 },
      instances: { completed: 1, failed: 1, skipped: 1 },
    });
    await expectSound(context, run);
  });

  test("a blocked file that changes is gone through again, and its proof is made anew", async () => {
    engine = await withWorkflow(oldCalls, { "a.js": "old(x);\n", "b.js": "nothing" });
    const { context, caller, folder } = engine;
    const { run } = await begin(engine, "old-calls");
    await progress(context, caller, { run, result: "review_by_file" });
    await reportCheck(context, caller, { run, status: "failed", error: "cannot be done" });
    expect(inHand(await next(context, caller, { run, waitMs: 1_000 }))).toMatchObject({ what: "complete_workflow" });
    expect(await gatherFacts(context, run)).toMatchObject({ files: { completed: 1, blocked: 1 } });
    await writeFile(join(folder, "a.js"), "old('new');\n");
    await expect(completeChecklist(context, caller, run)).rejects.toMatchObject({ code: "RUN_NOT_DONE" });
    expect(inHand(await next(context, caller, { run, waitMs: 1_000 }))).toMatchObject({ file: "a.js", type: "text" });
    await driveToEnd({ context, caller }, run, () => ({ status: "skipped", skipReason: "s" }));
    expect(await gatherFacts(context, run)).toMatchObject({ files: { completed: 2, blocked: 0 }, entries: { by: { failed: 0 } } });
    await expectSound(context, run);
  });

  test("the command line counts failed as failed, and does not call everything dealt with", async () => {
    bench = await openCliBench({ ".waymark/workflows/old-calls.workflow.yaml": oldCalls, ...seven });
    const run = String((await bench.json(["start", "old-calls"]))["run_id"]);
    await bench.json(["done", run, "--result", "apply_auto_first"]);
    await chmod(join(bench.workspace, "c.js"), 0o444);
    const { confirmation_token: token } = await bench.json(["batch", run, "apply_fixes", "--auto-only"]);
    const applied = await bench.run(["batch", run, "apply_fixes", "--confirm", String(token)]);
    expect(applied.stdout).toContain("12 of 14 instances done in 6 files, 2 failed");
    expect(applied.stdout).toMatch(/second scan .*found 2/);
    const after = await bench.run(["next", run]);
    expect(after.stdout).not.toContain("Fix 0 instances");
    expect(after.stdout).toContain("report");
    const last = await bench.run(["done", run]);
    expect(last.stdout).toContain("6 of 7 files, 12 of 14 instances done");
    expect(last.stdout).toMatch(/1 file.*blocked/);
    expect(last.stdout).toContain("2 instances failed");
    expect(last.stdout).not.toContain("Everything is dealt with");
    expect(last.stdout).toContain(`waymark retry ${run}`);
    expect(await bench.json(["next", run])).toMatchObject({ progress: { files: 6, files_blocked: 1, instances: 12, instances_failed: 2 } });
    const undone = await bench.run(["undo", run]);
    expect(undone.stdout).toContain("restored 6 files.");
    expect(undone.stdout).not.toContain("c.js");
    expect(undone.code).toBe(0);
    expect(await bench.read("a.js")).toBe("old('1');\nold('2');\n");
  });

  test("over the protocol too", async () => {
    const { call, session } = await overMcp(oldCalls, seven);
    await chmod(join((world as ChecklistWorld).folder, "c.js"), 0o444);
    const dry = await call("workflow_batch", { session_id: session, operation: "apply_fixes", filter: { auto_fixable_only: true } });
    const done = await call("workflow_batch", {
      session_id: session,
      operation: "apply_fixes",
      dry_run: false,
      confirmation_token: dry.data.confirmation_token,
    });
    expect(done.data).toMatchObject({ result: { instances_modified: 12, instances_failed: 2 }, found_by_second_scan: 2 });
    const last = await call("workflow_next", { session_id: session });
    expect(last.data).toMatchObject({ next_action: { action: "complete_workflow" }, progress: { files_completed: 6, files_blocked: 1 } });
    expect(last.text).toContain("1 blocked");
    const complete = await call("workflow_complete", { session_id: session, generate_report: true });
    expect(complete.isError, complete.text).toBe(false);
    expect(JSON.stringify(complete.data)).toContain("blocked");
  });
});

describe("one truth about what is left", () => {
  test("the batch and the verification count the same places in the same files", async () => {
    const { context, run, record, skip } = await halfDone();
    expect(record.remaining).toBe(2);
    await skip();
    const facts = await gatherFacts(context, run);
    expect(facts.batches).toMatchObject([{ files: 6, remaining: 2 }]);
    expect(facts.verification).toMatchObject({ rescanned: 7, remaining: 2 });
    let text = "";
    for await (const piece of checklistReport(facts, checklistRows(context, await context.runs.open(run)), { format: "markdown" }))
      text += piece;
    expect(text).toContain("7 files were scanned again; 2 instances of the converted kinds remained.");
  });
});

describe("undo", () => {
  test("restores what was written, and counts nothing else", async () => {
    const { context, caller, folder, run } = await halfDone();
    await writeFile(join(folder, "h.js"), "old(z);\n");
    const undone = await undoBatch(context, caller, { run, waitMs: 20_000 });
    expect(undone.record).toMatchObject({ restored: 6, not_restored: [], undone: true });
    expect(undone.restored).toEqual(["a.js", "b.js", "d.js", "e.js", "f.js", "g.js"]);
    expect(await readFile(join(folder, "a.js"), "utf8")).toBe("old('1');\nold('2');\n");
    await expectSound(context, run);
  });

  test("a file that was never written is not called changed either", async () => {
    const { context, caller, folder, run } = await halfDone();
    await chmod(join(folder, "c.js"), 0o644);
    await writeFile(join(folder, "c.js"), "something else\n");
    await writeFile(join(folder, "d.js"), "mine\n");
    const undone = await undoBatch(context, caller, { run, waitMs: 20_000 });
    expect(undone.record.not_restored?.map(({ file }) => file)).toEqual(["d.js"]);
    expect(undone.restored).toEqual(["a.js", "b.js", "e.js", "f.js", "g.js"]);
  });
});

test("what came of an undo is told over the protocol as it is", async () => {
  const { call, session } = await overMcp(oldCalls, { "a.js": "old('1');\n", "b.js": "old('2');\n" });
  const batch = { session_id: session, operation: "apply_fixes" };
  const dry = await call("workflow_batch", { ...batch, filter: { auto_fixable_only: true } });
  await call("workflow_batch", { ...batch, dry_run: false, confirmation_token: dry.data.confirmation_token });
  const at = (file: string): string => join((world as ChecklistWorld).folder, file);
  const undo = async (): Promise<string> => (await call("workflow_batch", { session_id: session, operation: "undo" })).text;
  for (const file of ["a.js", "b.js"]) await writeFile(at(file), "mine\n");
  expect(await undo()).toContain("Batch b1 is not undone: no file was restored. 2 files were left as they are:\n- a.js: The file changed");
  await writeFile(at("a.js"), "fresh('1');\n");
  expect(await undo()).toContain("restored 1 file. 1 file was left as it is:\n- b.js: ");
});

test("a false report on the command line is told at once that the instance is still there", async () => {
  bench = await openCliBench({ ".waymark/workflows/old-calls.workflow.yaml": oldCalls, "a.js": "old(x);\n", "b.js": "nothing" });
  const run = String((await bench.json(["start", "old-calls"]))["run_id"]);
  await bench.json(["done", run, "--result", "review_by_file"]);
  for (let times = 0; times < 2; times += 1) {
    const { stdout } = await bench.run(["done", run]);
    const [first = ""] = stdout.split("\n");
    expect(first).toMatch(/^Recorded your report on `.+`, but the instance is still there/);
    expect(stdout).not.toContain("as completed");
  }
  const third = await bench.run(["done", run]);
  expect(third.stdout.split("\n")[0]).toMatch(/^Recorded your report on `.+`, but it is set aside as failed: It is still there/);
});

describe("a path that cannot be worked on", () => {
  test.each([
    ["directory", "nowhere"],
    ["directory", "../elsewhere"],
    ["directory", "a.js"],
    ["files", "gone.js"],
    ["files", "/etc/hosts"],
    ["files", "sub"],
  ])("scope %s with `%s` begins nothing", async (scope, path) => {
    engine = await withWorkflow(review, { "a.js": "x", "sub/b.js": "y" });
    const refused = begin(engine, "review", { scope, path });
    await expect(refused).rejects.toMatchObject({
      code: "ENGINE_WRONG_INPUTS",
      message: expect.stringContaining(path) as string,
      fix: expect.stringContaining("path") as string,
    });
    expect(await engine.context.store.listRuns({})).toEqual([]);
  });

  test.each([
    ["directory", ".", 2],
    ["directory", "sub/", 1],
    ["directory", "./sub", 1],
    ["files", "a.js, gone.js", 1],
  ])("scope %s with `%s` is worked on", async (scope, path, total) => {
    engine = await withWorkflow(review, { "a.js": "x", "sub/b.js": "y" });
    const { run } = await begin(engine, "review", { scope, path });
    expect((await gatherFacts(engine.context, run)).files.total).toBe(total);
  });
});
