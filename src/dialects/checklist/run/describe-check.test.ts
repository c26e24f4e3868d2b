import { afterEach, expect, test } from "vitest";
import { begin, oldCalls, review, withWorkflow } from "../../../../test/support/checklist-sample.ts";
import type { TestEngine } from "../../../../test/support/test-engine.ts";
import { describeCheck } from "./describe-check.ts";
import { next, progress } from "../../../engine/index.ts";
import { reportCheck } from "./commands/check-report.ts";
import type { CheckDescription } from "../definition/index.ts";

let engine: TestEngine;
afterEach(() => engine.close());

/** What the caller has in hand, as it is described to it. */
async function inHand(run: string): Promise<CheckDescription | undefined> {
  const { context, caller } = engine;
  const { standing } = await next(context, caller, { run });
  if (standing.kind !== "action") throw new Error(`There is no action but ${standing.kind}.`);
  return describeCheck(context, await context.runs.open(run), standing.action);
}

async function migration(files: Readonly<Record<string, string>>): Promise<string> {
  engine = await withWorkflow(oldCalls, files);
  const { run } = await begin(engine, "old-calls");
  await progress(engine.context, engine.caller, { run, result: "review_by_file" });
  return run;
}

test("an instance that no rule says what to do about shows what its pattern asks for", async () => {
  const rules = oldCalls.replace(/ {6}instance_classifier:\n(?: {8,}.*\n)+/, "");
  engine = await withWorkflow(rules.replace(/ {6}transformations:\n(?: {8,}.*\n)+/, ""), { "a.js": "old(x);\n" });
  const { context, caller } = engine;
  const { run } = await begin(engine, "old-calls");
  await progress(context, caller, { run, result: "review_by_file" });
  const { standing } = await next(context, caller, { run });
  expect(standing).toMatchObject({ shown: { step: { instructions: "old() is gone" } } });
});

test("an analysis names the tool that does it by path, with the version the run was started for", async () => {
  engine = await withWorkflow(review, { "a.js": "1" });
  const plain = await begin(engine, "review");
  const described = await inHand(plain.run);
  expect(described).toMatchObject({ action: "analyze_file", again: 0, identical: 0, tool: { name: "analyze_code" } });
  expect(described?.tool?.arguments).toEqual({ file_path: "a.js", analysis_type: "comprehensive" });
  expect(described?.checklist.map(({ id }) => id)).toEqual(["a.js#analyze", "a.js#review_complete"]);
  const { run } = await begin(engine, "review", { options: { bc_version: "BC24" } });
  expect((await inHand(run))?.tool?.arguments).toMatchObject({ bc_version: "BC24" });
});

test("an analysis names no tool where topics are off: an agent reads the file itself", async () => {
  engine = await withWorkflow(review.replace("topic_discovery: { enabled: true", "topic_discovery: { enabled: false"), { "a.js": "1" });
  const { run } = await begin(engine, "review");
  const { standing } = await next(engine.context, engine.caller, { run });
  expect(standing).toMatchObject({
    shown: { step: { instructions: expect.stringContaining("REQUIRED: do this for the file") as string } },
  });
  expect(await inHand(run)).not.toHaveProperty("tool");
});

test.each([
  ["ask_bc_expert", { question: "Analyse it" }],
  ["retrieve_knowledge", { query: "a.js" }],
])("another tool (%s) is asked in its own way", async (tool, wanted) => {
  engine = await withWorkflow(review.replace("tool: analyze_code", `tool: ${tool}`), { "a.js": "1" });
  const { run } = await begin(engine, "review");
  expect((await inHand(run))?.tool).toEqual({ name: tool, arguments: wanted });
});

test("a topic names the tool that brings it, and a validation needs none", async () => {
  engine = await withWorkflow(review, { "a.js": "1" });
  const { context, caller } = engine;
  const { run } = await begin(engine, "review");
  await reportCheck(context, caller, { run, status: "completed", topics: [{ topic: "general/async-errors", relevance: 0.9 }] });
  expect((await inHand(run))?.tool).toEqual({
    name: "retrieve_bc_knowledge",
    arguments: { topic_id: "general/async-errors", include_related: false },
  });
  await reportCheck(context, caller, { run, status: "completed" });
  const validation = await inHand(run);
  expect(validation?.item["entry"]).toBe("review_complete");
  expect(validation).not.toHaveProperty("tool");
});

test("an instance is shown with the lines around it, its pattern and how many are the same elsewhere", async () => {
  const run = await migration({ "a.js": "1\n2\n3\nold(y);\n5\n6\n7\n", "b.js": "old(y);\n" });
  expect(await inHand(run)).toMatchObject({
    item: { file: "a.js", line: 4 },
    context: "1\n2\n3\nold(y);\n5\n6\n7",
    identical: 1,
    pattern: { name: "Old call", description: "old() is gone" },
    again: 0,
  });
});

test("an instance that was reported as converted and is still there says how often", async () => {
  const run = await migration({ "a.js": "old(y);\n" });
  await inHand(run);
  await reportCheck(engine.context, engine.caller, { run, status: "completed" });
  expect(await inHand(run)).toMatchObject({ again: 1 });
});

test("a step of another kind has no such description", async () => {
  engine = await withWorkflow(review, {});
  const { run } = await begin(engine, "review");
  expect(await inHand(run)).toBeUndefined();
});
