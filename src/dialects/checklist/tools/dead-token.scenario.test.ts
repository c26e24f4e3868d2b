import { afterEach, expect, test } from "vitest";
import { oldCalls } from "../../../../test/support/checklist-sample.ts";
import { openChecklistWorld, type ChecklistWorld } from "../../../../test/support/checklist-world.ts";

let world: ChecklistWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

test("a token that no longer counts leads to the dry run of what it was given for, as the same worker", async () => {
  world = await openChecklistWorld({
    workflows: [],
    definitions: { ".waymark/workflows/old.workflow.yaml": oldCalls },
    files: { "a.js": "old('x');\nold(y);\n", "b.js": "old('z');\n" },
  });
  const { call } = await world.client();
  const { session_id } = (await call("workflow_start", { workflow_type: "old-calls" })).data;
  await call("workflow_progress", { session_id, answer: "review_by_file" });
  const batch = { session_id, operation: "skip_instances", reason: "stays", filter: { file_patterns: ["b.js"] }, worker: "w1" };
  const { confirmation_token } = (await call("workflow_batch", batch)).data;
  const refused = await call("workflow_batch", { session_id, operation: "apply_fixes", confirmation_token, worker: "w1" });
  expect(refused.data).toMatchObject({
    error: { code: "ENGINE_TOKEN_DEAD" },
    next_call: {
      tool: "workflow_batch",
      arguments: { run_id: session_id, operation: "skip_instances", filter: { file_patterns: ["b.js"] }, dry_run: true, worker: "w1" },
    },
  });
  expect(refused.text).toContain("Next: workflow_batch(");
});
