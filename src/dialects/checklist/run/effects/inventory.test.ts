import { sumOf } from "../run-rows.ts";
import { afterEach, expect, test } from "vitest";
import { begin, driveToEnd, review, withWorkflow } from "../../../../../test/support/checklist-sample.ts";
import type { TestEngine } from "../../../../../test/support/test-engine.ts";
import type { EngineContext } from "../../../../engine/context.ts";
import { gatherFacts } from "../commands/gather-facts.ts";
import { scopeOf } from "./inventory.ts";

let engine: TestEngine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

test("a scope names files or a folder relative to the workspace, however they were written", () => {
  const scope = (inputs: Parameters<typeof scopeOf>[1]) => scopeOf({ host: { workspace: "/w" } as EngineContext["host"] }, inputs);
  expect(scope({})).toEqual({ kind: "workspace" });
  expect(scope({ scope: "workspace", path: "src" })).toEqual({ kind: "workspace" });
  expect(scope({ scope: "directory", path: "/w/src\\sub " })).toEqual({ kind: "directory", path: "src/sub" });
  expect(scope({ scope: "directory", path: 7 })).toEqual({ kind: "directory", path: "" });
  expect(scope({ scope: "files", path: " a.js, /w/b.js,, /wide/c.js" })).toEqual({ kind: "files", paths: ["a.js", "b.js", "/wide/c.js"] });
});

test("a workspace without a file to work on begins and has nothing to do", async () => {
  engine = await withWorkflow(review, {});
  const { run, standing } = await begin(engine, "review");
  expect(standing).toMatchObject({ kind: "action", action: { what: "complete_workflow" } });
  expect(await gatherFacts(engine.context, run)).toMatchObject({ files: { total: 0 }, status: "in_progress" });
});

test("a run takes as many files as it is told to, by its patterns and those that come first", async () => {
  engine = await withWorkflow(review, { "a.js": "1", "b.js": "2", "c.js": "3", "d.ts": "4" });
  const seen = async (options: object): Promise<string[]> => {
    const { run } = await begin(engine as TestEngine, "review", { options: { ...options } });
    const files = new Set<string>();
    await driveToEnd(engine as TestEngine, run, ({ file }) => (files.add(file), { status: "completed" }));
    return [...files];
  };
  expect(await seen({ priority_patterns: ["c.js"], exclude_patterns: ["a.js"] })).toEqual(["c.js", "b.js"]);
  expect(await seen({ max_files: 1.9 })).toEqual(["a.js"]);
  expect(await seen({ include_patterns: ["*.ts"] })).toEqual(["d.ts"]);
});

test("entries with conditions are asked for only where these hold", async () => {
  const named = `per_file_checklist:
  - { id: only_b, type: custom, description: "B", required: true, conditions: { file_pattern: "b.*" } }
  - { id: only_todo, type: custom, description: "T", required: true, conditions: { content_pattern: "^todo" } }
`;
  engine = await withWorkflow(review.replace("per_file_checklist:\n", named), { "a.js": "1\ntodo\n", "b.js": "no todo\n" });
  const { run } = await begin(engine, "review");
  const asked: string[] = [];
  await driveToEnd(engine, run, ({ file, item }) => (asked.push(`${file} ${item}`), { status: "completed" }));
  expect(asked).toEqual(["a.js analyze", "a.js only_todo", "a.js review_complete", "b.js analyze", "b.js only_b", "b.js review_complete"]);
});

test("a sum of a scan is read as far as it is one", () => {
  const none = { cursor: 0, done: false, total: 0, with_matches: 0, instances: 0, files_by_fix: {}, files_by_step: {}, problems: {} };
  expect(sumOf(undefined)).toEqual(none);
  expect(sumOf({ cursor: "7", done: "yes", problems: 3 })).toEqual(none);
  expect(sumOf({ cursor: 7, done: true, problems: { C: 1 } })).toEqual({ ...none, cursor: 7, done: true, problems: { C: 1 } });
});
