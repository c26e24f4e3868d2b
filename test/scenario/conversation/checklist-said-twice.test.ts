/** What is said twice about a checklist counts once, and what cannot be confirmed any more is not replaced by something else. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { TestClient } from "../../process/mcp-client.ts";
import { oldCalls, review } from "../../support/checklist-sample.ts";
import { openChecklistWorld, type ChecklistWorld } from "../../support/checklist-world.ts";

const files = { "a.js": "old('x');\nold(y);\n", "b.js": "old(y);\n" };
const definitions = { ".waymark/workflows/o.workflow.yaml": oldCalls, ".waymark/workflows/r.workflow.yaml": review };

let world: ChecklistWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

async function opened(workflow: string): Promise<{ call: TestClient["call"]; run: string; first: Record<string, unknown> }> {
  world = await openChecklistWorld({ workflows: [], definitions, files });
  const { call } = await world.client();
  const { data } = await call("workflow_start", { workflow });
  return { call, run: data.run_id, first: data.next_call.arguments };
}

describe("findings of an entry", () => {
  const bad = { line: 1, severity: "warning", category: "x", description: "bad" };
  const found = async (call: TestClient["call"], run: string): Promise<unknown> =>
    (await call("workflow_status", { run_id: run })).data.summary.total_findings;

  test("that are added first and come again with its report count once", async () => {
    const { call, run, first } = await opened("review");
    expect((await call("workflow_progress", { ...first, findings: [bad] })).data.added.findings).toBe(1);
    await call("workflow_progress", { ...first, findings: [bad, { ...bad, line: 2 }], status: "completed" });
    expect(await found(call, run)).toBe(2);
  });

  test("that one report says twice count once", async () => {
    const { call, run, first } = await opened("review");
    await call("workflow_progress", { ...first, findings: [bad, bad], status: "completed" });
    expect(await found(call, run)).toBe(1);
  });

  test("are kept apart from equal ones of another entry", async () => {
    const { call, run, first } = await opened("review");
    const { data } = await call("workflow_progress", { ...first, findings: [bad], status: "completed" });
    await call("workflow_progress", { ...data.next_call.arguments, findings: [bad], status: "completed" });
    expect(await found(call, run)).toBe(2);
  });
});

describe("a token", () => {
  test("of a skip that can no longer be confirmed leads to a dry run of the same skip", async () => {
    const { call, run } = await opened("old-calls");
    const asked = { run_id: run, operation: "skip_instances", reason: "kept on purpose", filter: { file_patterns: ["b.js"] } };
    const { later } = (await call("workflow_batch", asked)).data;
    await writeFile(join(world?.folder ?? "", "b.js"), "old(y);\n// more\n");
    const dead = await call(later.tool, later.arguments);
    expect([dead.data.error.code, dead.data.next_call]).toEqual([
      "ENGINE_TOKEN_DEAD",
      { tool: "workflow_batch", arguments: { ...asked, dry_run: true } },
    ]);
    const again = await call(dead.data.next_call.tool, dead.data.next_call.arguments);
    expect(again.data).toMatchObject({ operation: "skip_instances", preview: { instances_affected: 1 } });
  });

  test("that was never given out leads to the run's status, not to a batch", async () => {
    const { call, run } = await opened("old-calls");
    const { data } = await call("workflow_batch", { run_id: run, confirmation_token: "batch-abc123-9-xyz" });
    expect([data.error.code, data.next_call]).toEqual(["ENGINE_TOKEN_UNKNOWN", { tool: "workflow_status", arguments: { run_id: run } }]);
  });
});
