import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { completeChecklist, gatherFacts, previewBatch, reportCheck, runBatch } from "../../src/dialects/checklist/run/index.ts";
import { next, progress, type Position } from "../../src/engine/index.ts";
import { begin, driveToEnd, inHand, oldCalls, review, withWorkflow } from "../support/checklist-sample.ts";
import type { TestEngine } from "../support/test-engine.ts";

/** Single steps out of the drift suite, as small as they get. */
let engine: TestEngine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

async function open(text: string, files: Readonly<Record<string, string>>): Promise<TestEngine & { readonly begun: Position }> {
  const opened = await withWorkflow(text, files);
  engine = opened;
  return { ...opened, begun: await begin(opened, /^type: (\S+)/m.exec(text)?.[1] ?? "") };
}

const strict = (text: string): string => text.replace("allow_skip_with_reason: true", "allow_skip_with_reason: false");

describe("an agent off course", () => {
  test("a skip through the general report needs its reason too", async () => {
    const { context, caller, begun } = await open(review, { "a.js": "1" });
    const { run, standing } = begun;
    if (standing.kind !== "action") throw new Error(`Nothing is in hand: ${standing.kind}`);
    const skipped = progress(context, caller, { run, action: standing.action.id, result: { status: "skipped" } });
    await expect(skipped).rejects.toMatchObject({ code: "ENGINE_OFF_COURSE" });
    const row = await context.store.readItem(run, "files", "a.js#analyze");
    expect([row?.status, row?.reason]).toEqual(["in_progress", undefined]);
  });

  test("a batch of skips is refused where no skips are allowed", async () => {
    const { context, caller, begun } = await open(strict(oldCalls), { "a.js": "old('1');\n", "b.js": "old('2');\n" });
    const { run } = begun;
    await progress(context, caller, { run, result: "review_by_file" });
    const skipAll = async (): Promise<unknown> => {
      const { token = "" } = await previewBatch(context, caller, { run, operation: "skip_instances", filter: {}, reason: "all of them" });
      return runBatch(context, caller, { run, token });
    };
    await expect(skipAll()).rejects.toMatchObject({ code: "ENGINE_OFF_COURSE" });
  });

  test("the same report of a topic, named by file and item, is recognised", async () => {
    const { context, caller, begun } = await open(review, { "a.js": "1" });
    const { run } = begun;
    await reportCheck(context, caller, { run, status: "completed", topics: [{ topic: "general/async-errors", relevance: 0.9 }] });
    const { file, item } = inHand(await next(context, caller, { run }));
    expect(item).toBe("topic-async-errors");
    expect(await reportCheck(context, caller, { run, file, item, status: "completed" })).toMatchObject({ recorded: "now" });
    expect(await reportCheck(context, caller, { run, file, item, status: "completed" })).toMatchObject({ recorded: "before" });
  });

  test("a report on a file is not taken for the batch that is open", async () => {
    const { context, caller, begun } = await open(oldCalls, { "a.js": "old('1');\n" });
    const { run } = begun;
    await progress(context, caller, { run, result: "apply_auto_first" });
    await expect(reportCheck(context, caller, { run, file: "invented.js", status: "completed" })).rejects.toMatchObject({
      code: "ENGINE_OFF_COURSE",
    });
    expect(inHand(await next(context, caller, { run }))).toMatchObject({ what: "batch_apply" });
  });

  test("a report of nothing but an unknown topic and a finding out of scope leaves the entry open and names both", async () => {
    const { context, caller, begun } = await open(review, { "a.js": "1" });
    const { run } = begun;
    const said = await reportCheck(context, caller, {
      run,
      status: "open",
      topics: [{ topic: "general/invented" }],
      findings: [{ severity: "info", description: "d", file: "b.js" }],
    });
    expect(said).toMatchObject({ dropped: [{ topic: "general/invented" }], leftOut: [{ part: "findings[0]" }] });
    expect(said.open).toContain("a.js");
    expect(inHand(await next(context, caller, { run }))).toMatchObject({ file: "a.js", item: "analyze" });
  });
});

test("a file that appears while the run waits to be completed is not forgotten", async () => {
  const { context, caller, folder, begun } = await open(review, { "a.js": "1" });
  const { run } = begun;
  await driveToEnd({ context, caller }, run, () => ({ status: "completed" }));
  await writeFile(join(folder, "b.js"), "2");
  await expect(completeChecklist(context, caller, run)).rejects.toMatchObject({ code: "RUN_NOT_DONE" });
  expect((await gatherFacts(context, run)).files.total).toBe(2);
});
