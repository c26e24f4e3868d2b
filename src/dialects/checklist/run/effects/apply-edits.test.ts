import { reopenedFile } from "../run-rows.ts";
import { afterEach, expect, test } from "vitest";
import { begin, inHand, oldCalls, withWorkflow } from "../../../../../test/support/checklist-sample.ts";
import { expectSound } from "../../../../../test/support/checklist-sound.ts";
import type { TestEngine } from "../../../../../test/support/test-engine.ts";
import type { ItemMove } from "../../../../kernel/index.ts";
import type { Item } from "../../../../program/index.ts";
import { gatherFacts } from "../commands/gather-facts.ts";
import { next, progress } from "../../../../engine/index.ts";
import { previewBatch, runBatch, waitForBatch, type BatchRequest } from "../commands/batch.ts";
import { joined } from "./apply-edits.ts";

let engine: TestEngine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

/** Numbers are a second kind that can be fixed with certainty. */
const twoKinds = oldCalls
  .replace(
    "          - { name: other",
    `          - { name: number, pattern: "^old\\\\(\\\\d+\\\\)$", suggested_action: "Rename it", auto_fixable: true }\n          - { name: other`,
  )
  .replace(
    "        - { instance_type: text",
    `        - { instance_type: number, template: "fresh({{arg0}})", requires_review: false }\n        - { instance_type: text`,
  );

async function migration(files: Readonly<Record<string, string>>) {
  const opened = await withWorkflow(twoKinds, files);
  engine = opened;
  const { context, caller } = opened;
  const { run } = await begin(opened, "old-calls");
  const preview = async (request: Partial<BatchRequest> = {}): Promise<string> =>
    (await previewBatch(context, caller, { run, operation: "apply_fixes", filter: {}, ...request })).token ?? "";
  const confirm = async (token: string) => {
    const { batch } = await runBatch(context, caller, { run, token });
    return waitForBatch(context, { run, batch, waitMs: 20_000 });
  };
  return { run, context, caller, preview, confirm };
}

test("what is left of a batch is what the files still hold of its own kinds", async () => {
  const { run, context, preview, confirm } = await migration({ "a.js": "old('x');\nold(5);\nold(y);\n" });
  const token = await preview({ filter: { instance_types: ["text"] } });
  expect(await confirm(token)).toMatchObject({ modified: 1, files_modified: 1, failed: 0, left_out: 0, remaining: 0, failures: [] });
  expect((await gatherFacts(context, run)).instances).toMatchObject({ completed: 1, autoFixed: 1, open: { auto: 1, manual: 1 } });
  await expectSound(context, run);
});

test("a file is done with its last instance, and stays open while one is left", async () => {
  const { run, context, preview, confirm } = await migration({ "a.js": "old('x');\n", "b.js": "old('x');\nold(y);\n" });
  expect(await confirm(await preview())).toMatchObject({ modified: 2, files_modified: 2 });
  expect((await gatherFacts(context, run)).files).toMatchObject({ total: 2, completed: 1, pending: 1 });
});

test("what was skipped or flagged since the preview is left as it is, with the line that says so", async () => {
  const { run, context, preview, confirm } = await migration({ "a.js": "old('x');\n", "b.js": "1;\nold('y');\n", "c.js": "old('z');\n" });
  const token = await preview();
  await confirm(await preview({ operation: "skip_instances", filter: { file_patterns: ["a.js"] }, reason: "kept" }));
  await confirm(await preview({ operation: "flag_for_review", filter: { file_patterns: ["b.js"] }, reason: "odd" }));
  expect(await confirm(token)).toMatchObject({
    modified: 1,
    left_out: 2,
    failed: 0,
    remaining: 2,
    failures: [
      { file: "a.js", line: 1, error: "Line 1 was skipped since the preview." },
      { file: "b.js", line: 2, error: "Line 2 was flagged since the preview." },
    ],
  });
  await expectSound(context, run);
});

test("a file that somebody has taken since the preview is left out", async () => {
  const { run, context, caller, preview, confirm } = await migration({ "a.js": "old('x');\n", "b.js": "old('y');\n" });
  const token = await preview();
  await progress(context, caller, { run, result: "review_by_file" });
  expect(inHand(await next(context, caller, { run })).file).toBe("a.js");
  expect(await confirm(token)).toMatchObject({
    modified: 1,
    left_out: 1,
    remaining: 1,
    failures: [{ file: "a.js", line: 1, error: "An agent is working on it." }],
  });
});

const move = (id: string, more: Partial<ItemMove> = {}): ItemMove => ({
  list: "files",
  id,
  from: "pending",
  to: "completed",
  facets: { at: "1" },
  root: id,
  ...more,
});

test("of two moves of one row the later one counts, from where the first began", () => {
  const other = move("a", { list: "changes" });
  const later = move("a", { from: "completed", to: "pending", facets: { at: "2" }, reason: "again" });
  expect(joined([{ moves: [move("a"), other] }, {}, { moves: [later] }])).toEqual({
    add: [],
    moves: [move("a", { to: "pending", reason: "again" }), other],
  });
});

test("only a file that was settled is opened again", () => {
  const file = (status: Item["status"]): Item => ({
    list: "files",
    id: "a",
    order: "1",
    status,
    data: {},
    facets: {},
    root: "a",
    attempts: 0,
    waitsFor: 0,
  });
  const opened = (status: Item["status"]) =>
    reopenedFile(file(status), "r").map(({ from, to, reason }) => `${from} to ${to}: ${reason ?? ""}`);
  expect(reopenedFile(undefined, "r")).toEqual([]);
  expect(opened("pending")).toEqual([]);
  expect(opened("in_progress")).toEqual([]);
  expect(opened("completed")).toEqual(["completed to pending: r"]);
  expect(opened("failed")).toEqual(["failed to pending: r"]);
});
