import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openClient, serverParts, type TestClient } from "../../../../test/process/mcp-client.ts";
import { oldCalls } from "../../../../test/support/checklist-sample.ts";
import { expectSound } from "../../../../test/support/checklist-sound.ts";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close();
});

const held = "An agent is working on it.";

async function clientOf({ context }: TestEngine): Promise<TestClient["call"]> {
  const client = await openClient({ context, ...serverParts });
  open.push(client);
  return client.call;
}

/** One agent has `a.js` in hand with its first instance open; another one, with a connection of its own, makes batches. */
async function twoAgents() {
  const text = "old('x');\nold('y');\n";
  const engine = await openTestEngine({
    ".waymark/workflows/old-calls.workflow.yaml": oldCalls,
    "a.js": text,
    "b.js": text,
  });
  open.push(engine);
  const owner = await clientOf(engine);
  const other = await clientOf(engine);
  const started = (await owner("workflow_start", { workflow_type: "old-calls" })).data;
  const session: string = started.session_id;
  const { action_id: question } = started.next_action;
  await owner("workflow_progress", { session_id: session, action_id: question, answer: "review_by_file" });
  const batch = (call: TestClient["call"], operation: string, more: object = {}) =>
    call("workflow_batch", { session_id: session, operation, ...more });
  return { engine, owner, other, session, batch };
}

const leftOut = {
  instances: 2,
  reasons: { [held]: 2 },
  first: expect.arrayContaining([
    { file: "a.js", line: 1, reason: held },
    { file: "a.js", line: 2, reason: held },
  ]) as unknown,
};

test.each(["skip_instances", "flag_for_review"])("%s leaves out what another agent has in hand, by name", async (operation) => {
  const { engine, other, session, batch } = await twoAgents();
  const dry = await batch(other, operation, { reason: "stays", filter: { instance_types: ["text"] } });
  expect(dry.data).toMatchObject({ preview: { instances_affected: 2, files_affected: 1 }, left_out_beforehand: leftOut });
  expect(dry.text).toContain(`Left out beforehand: 2 (${held}): a.js:`);
  const { result, left_out_beforehand: after } = (await other("workflow_batch", dry.data.later.arguments)).data;
  expect([result.instances_modified, result.instances_left_out]).toEqual([2, 0]);
  expect(after).toMatchObject(leftOut);
  await expectSound(engine.context, session);
});

test("apply_fixes names what is open in another agent's hands, in the dry run and in the result", async () => {
  const { engine, other, session, batch } = await twoAgents();
  const dry = await batch(other, "apply_fixes", { filter: { auto_fixable_only: true } });
  expect(dry.data).toMatchObject({ left_out_beforehand: leftOut });
  const done = await other("workflow_batch", dry.data.later.arguments);
  expect(done.data).toMatchObject({ result: { instances_modified: 2 }, left_out_beforehand: leftOut });
  expect(done.text).toContain(`Left out beforehand: 2 (${held}): a.js:`);
  expect(await readFile(join(engine.folder, "a.js"), "utf8")).toBe("old('x');\nold('y');\n");
  await expectSound(engine.context, session);
});

test("what is taken in hand after the dry run is left out of a skip with its reason", async () => {
  const { engine, owner, other, session, batch } = await twoAgents();
  const dry = await batch(owner, "skip_instances", { reason: "stays", filter: { file_patterns: ["b.js"] } });
  await other("workflow_next", { session_id: session });
  const { result, failures } = (await owner("workflow_batch", dry.data.later.arguments)).data;
  expect([result.instances_previewed, result.instances_modified, result.instances_left_out]).toEqual([2, 0, 2]);
  expect(failures).toEqual([
    { file: "b.js", line: 1, error: held },
    { file: "b.js", line: 2, error: held },
  ]);
  await expectSound(engine.context, session);
});

test("a dry run of nothing names the call that follows", async () => {
  const { owner, session, batch } = await twoAgents();
  const dry = await batch(owner, "apply_fixes", { filter: { instance_types: ["nosuch"] }, worker: "w1" });
  expect(dry.data).toMatchObject({
    confirmation_required: false,
    next_call: { tool: "workflow_next", arguments: { run_id: session, worker: "w1" } },
  });
  expect(dry.text).toContain("workflow_next(");
});

test("an agent may skip what waits in its own file", async () => {
  const { owner, batch } = await twoAgents();
  const dry = await batch(owner, "skip_instances", { reason: "stays", filter: { file_patterns: ["a.js"] } });
  expect(dry.data).toMatchObject({ preview: { instances_affected: 1 }, sample_instances: [{ file: "a.js" }] });
  expect(dry.data).not.toHaveProperty("left_out_beforehand");
});
