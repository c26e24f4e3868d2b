import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { completeChecklist } from "./commands/complete-checklist.ts";
import { describeCheck } from "./describe-check.ts";
import { gatherFacts } from "./commands/gather-facts.ts";
import { next, progress, runs, start } from "../../../engine/index.ts";
import { previewBatch, runBatch, waitForBatch } from "./commands/batch.ts";
import { reportCheck } from "./commands/check-report.ts";
import { begin, driveToEnd, inHand, oldCalls, review, withWorkflow } from "../../../../test/support/checklist-sample.ts";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";

const root = join(import.meta.dirname, "../../../..");
let engine: TestEngine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

async function open(text: string, files: Readonly<Record<string, string>>): Promise<TestEngine> {
  engine = await withWorkflow(text, files);
  return engine;
}

async function bundled(...names: string[]): Promise<TestEngine> {
  const files: Record<string, string> = {};
  for (const name of names)
    files[`.waymark/workflows/${name}.workflow.yaml`] = await readFile(join(root, "workflows", `${name}.workflow.yaml`), "utf8");
  engine = await openTestEngine(files);
  await cp(join(root, "examples/sample-al-app"), engine.folder, { recursive: true });
  return engine;
}

describe("which files", () => {
  const files = { "a.js": "1", "sub/b.js": "2", "sub/c.js": "3", "node_modules/x.js": "4", "gone/d.js": "5", ".gitignore": "gone\n" };

  test("the workspace without what git ignores, a directory, or files by name", async () => {
    const opened = await open(review, files);
    const { context } = opened;
    const total = async (inputs: Parameters<typeof begin>[2]) =>
      (await gatherFacts(context, (await begin(opened, "review", inputs)).run)).files;
    expect(await total({})).toMatchObject({ total: 3 });
    expect(await total({ scope: "directory", path: "sub" })).toMatchObject({ total: 2 });
    expect(await total({ scope: "files", path: "a.js, sub/c.js" })).toMatchObject({ total: 2 });
    expect(await total({ options: { max_files: 1 } })).toMatchObject({ total: 1, outOfScope: 2 });
    expect(await total({ options: { exclude_patterns: ["sub/**"] } })).toMatchObject({ total: 1 });
  });

  test("priority patterns come first", async () => {
    const opened = await open(review, files);
    expect(inHand(await begin(opened, "review", { options: { priority_patterns: ["sub/c.js"] } }))).toMatchObject({ file: "sub/c.js" });
  });

  test("none at all is a run that can be completed", async () => {
    const opened = await open(review, { "readme.md": "x" });
    const { run, standing } = await begin(opened, "review");
    expect(standing).toMatchObject({ kind: "action", action: { what: "complete_workflow" } });
    expect((await completeChecklist(opened.context, opened.caller, run)).state.status).toBe("completed");
  });

  test("a directory that does not exist starts nothing and is named", async () => {
    const opened = await open(review, files);
    await expect(begin(opened, "review", { scope: "directory", path: "nowhere" })).rejects.toMatchObject({
      message: expect.stringContaining("nowhere") as string,
    });
  });
});

test("a pattern that does not compile, or never ends, starts nothing and is named", async () => {
  const opened = await open(oldCalls.replace('regex: "old\\\\("', 'regex: "(a+)+$"'), { "a.js": "aaaa" });
  await expect(begin(opened, "old-calls")).rejects.toMatchObject({ message: expect.stringContaining("old-call") as string });
});

test("files are scanned when they are handed out if the start is told so", async () => {
  const { context, caller } = await open(oldCalls, { "a.js": "old(x);\n", "b.js": "nothing" });
  const { run, standing } = await begin(engine as TestEngine, "old-calls", { initial_processing: { scan_all_patterns: false } });
  expect(standing).toMatchObject({ kind: "action" });
  expect(inHand(await next(context, caller, { run }))).toMatchObject({ file: "a.js", type: "other" });
  await driveToEnd({ context, caller }, run, () => ({ status: "skipped", skipReason: "s" }));
  expect(await gatherFacts(context, run)).toMatchObject({ files: { total: 2, completed: 2 }, instances: { skipped: 1 } });
});

test("a review calls an audit on the same files, in the same run", async () => {
  const audit = oldCalls.replace("type: old-calls", "type: audit");
  const both = review.replace("completion_rules:", "sub_workflows: [audit]\ncompletion_rules:");
  const opened = await open(both, { "a.js": "old(y);\n", ".waymark/workflows/audit.workflow.yaml": audit });
  const { context, caller } = opened;
  const { run } = await begin(opened, "review");
  const seen: string[] = [];
  for (;;) {
    const position = await next(context, caller, { run });
    const hand = inHand(position);
    seen.push(hand.what === "check" ? `${hand.item.startsWith("i") && hand.type !== "analysis" ? "instance" : hand.item}` : hand.what);
    if (hand.what === "question") await progress(context, caller, { run, result: "review_by_file" });
    else if (hand.what === "check")
      await reportCheck(context, caller, { run, status: hand.type === "other" ? "skipped" : "completed", skipReason: "s", result: "read" });
    else break;
    if (seen.length > 20) break;
  }
  expect(seen).toEqual(
    ["analyze", "review_complete", "question", "instance", "action"].map((each) => (each === "action" ? "complete_workflow" : each)),
  );
  expect((await completeChecklist(context, caller, run)).state.status).toBe("completed");
});

describe("a version upgrade", () => {
  test("finds guides by version, instances by step and guide, and fixes what is certain", async () => {
    const { context, caller } = await bundled("bc-version-upgrade");
    const position = await start(context, caller, {
      workflow: "bc-version-upgrade",
      inputs: { options: { source_version: "BC21", target_version: "BC27" } },
    });
    const { run } = position;
    expect(position.standing).toMatchObject({ kind: "question" });
    const facts = await gatherFacts(context, run);
    expect(facts.upgrade).toMatchObject({ source: "BC21", target: "BC27", guidesTotal: 7 });
    expect(facts.upgrade?.steps.map(({ step }) => step)).toEqual([
      "BC21-BC22",
      "BC22-BC23",
      "BC23-BC24",
      "BC24-BC25",
      "BC25-BC26",
      "BC26-BC27",
    ]);
    const noSeries = facts.upgrade?.steps.find(({ step }) => step === "BC23-BC24");
    expect(noSeries?.instances).toBeGreaterThan(10);
    const preview = await previewBatch(context, caller, {
      run,
      operation: "apply_fixes",
      filter: { guide: "bc24-no-series-conversion-guide", auto_fixable_only: true },
    });
    expect(preview.plan.instances).toBeGreaterThan(0);
    const byStep = await previewBatch(context, caller, {
      run,
      operation: "apply_fixes",
      filter: { version_step: "BC23→BC24", auto_fixable_only: true },
    });
    expect(byStep.plan.instances).toBe(preview.plan.instances);
    const { batch } = await runBatch(context, caller, { run, token: preview.token ?? "" });
    const record = await waitForBatch(context, { run, batch, waitMs: 20_000 });
    expect(record.modified + record.failed + record.left_out).toBe(record.previewed);
    expect(record).toMatchObject({ failed: 0, left_out: 0, remaining: 0 });
    await progress(context, caller, { run, result: "by_version_step" });
    const { standing } = await next(context, caller, { run });
    const handle = await context.runs.open(run);
    const described = standing.kind === "action" ? await describeCheck(context, handle, standing.action) : undefined;
    expect(described?.item).toMatchObject({ step: "BC21-BC22" });
    expect(described?.section?.text).toContain("A page uses either the old properties");
  });

  test("without versions it says what it needs, and starts nothing", async () => {
    const { context, caller } = await bundled("bc-version-upgrade");
    for (const options of [{}, { source_version: "BC21" }])
      await expect(start(context, caller, { workflow: "bc-version-upgrade", inputs: { options } })).rejects.toMatchObject({
        code: "ENGINE_WRONG_INPUTS",
        message: expect.stringContaining("target_version"),
      });
    expect(await runs(context, { limit: 10 })).toEqual([]);
  });
});

test("on the way over Labels the proposal for a literal is a Label", async () => {
  const { context, caller } = await bundled("error-to-errorinfo-migration");
  const { run } = await start(context, caller, { workflow: "error-to-errorinfo-migration" });
  await progress(context, caller, { run, result: "label_route" });
  let suggestion: unknown;
  for (let tries = 0; tries < 60 && suggestion === undefined; tries += 1) {
    const { standing } = await next(context, caller, { run });
    const handle = await context.runs.open(run);
    const described = standing.kind === "action" ? await describeCheck(context, handle, standing.action) : undefined;
    if (described?.item["type"] === "literal" && described.item["auto"] === true) suggestion = described.item["suggestion"];
    else await reportCheck(context, caller, { run, status: "skipped", skipReason: "s" });
  }
  expect(suggestion).toContain("Label");
});
