/** How a start over MCP waits, tells its progress and can be ended; and that every bundled workflow can be driven to its end. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { TestClient, ToolReply } from "../process/mcp-client.ts";
import { openChecklistWorld, type ChecklistWorld } from "../support/checklist-world.ts";

const migration = "error-to-errorinfo-migration";
const samples: Readonly<Record<string, string>> = {
  "code-review": "sample-al-app",
  "performance-audit": "sample-al-app",
  "security-audit": "sample-al-app",
  onboarding: "sample-al-app",
  "proposal-review": "sample-al-app",
  [migration]: "sample-al-app",
  "bc-version-upgrade": "sample-al-app",
  "typescript-migration": "sample-ts-app",
  "codebase-review": "sample-ts-app",
};

let world: ChecklistWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

async function open(workflow: string): Promise<TestClient> {
  world = await openChecklistWorld({ workflows: [workflow], sample: samples[workflow] ?? "sample-al-app" });
  return world.client({ toolsets: ["all"] });
}

/** Asks until the engine has done its part. */
async function settled({ call }: TestClient, session: string): Promise<ToolReply> {
  for (;;) {
    const reply = await call("workflow_next", { session_id: session });
    if (reply.data.next_action.action !== "wait") return reply;
  }
}

describe("initial_processing", () => {
  test.each([
    ["timeout_ms: 0", { timeout_ms: 0 }],
    ["run_autonomous_phases: false", { run_autonomous_phases: false }],
  ])("%s answers at once, the work goes on, and workflow_next comes to the decision", async (_name, processing) => {
    const client = await open(migration);
    const started = await client.call("workflow_start", { workflow_type: migration, initial_processing: processing });
    expect(started.data.autonomous_processing).toMatchObject({ completed: false });
    expect(started.data.next_action.action).toBe("wait");
    const later = await settled(client, started.data.session_id);
    expect(later.data.next_action).toMatchObject({ type: "user_decision", action: "batch_decision" });
  });

  test("stream_progress tells a client that asked for progress how far the scan is", async () => {
    const { client } = await open(migration);
    const told: string[] = [];
    const request = { name: "workflow_start", arguments: { workflow_type: migration, initial_processing: { stream_progress: true } } };
    await client.callTool(request, { onprogress: ({ message }) => told.push(message ?? "") });
    const updates = told.filter((message) => message.startsWith("{")).map((message) => JSON.parse(message) as Record<string, unknown>);
    expect(updates.length).toBeGreaterThan(0);
    expect(updates[0]).toMatchObject({
      type: "progress_update",
      phase: expect.any(String),
      files_processed: expect.any(Number),
      files_total: expect.any(Number),
      instances_found: expect.any(Number),
    });
  });

  test("an unknown member, and a path without its scope, are refused", async () => {
    const { call } = await open(migration);
    const unknown = await call("workflow_start", { workflow_type: migration, initial_processing: { time_out: 1 } });
    expect(unknown.data.error.code).toBe("MCP_BAD_ARGUMENT");
    expect((await call("workflow_start", { workflow_type: migration, path: "src" })).data.error.code).toBe("MCP_BAD_ARGUMENT");
  });
});

test("workflow_abort ends a run for good, and workflow_cancel every open one", async () => {
  const { call } = await open(migration);
  const first = (await call("workflow_start", { workflow_type: migration })).data.session_id;
  const second = (await call("workflow_start", { workflow_type: migration })).data.session_id;
  await call("workflow_abort", { session_id: first, reason: "not today" });
  expect((await call("workflow_status", { session_id: first })).data.status).toMatch(/cancelled|failed/);
  const cancelled = await call("workflow_cancel", { cancel_all: true, reason: "not today" });
  expect(JSON.stringify(cancelled.data)).toContain(second);
  expect((await call("workflow_batch", { session_id: second, operation: "apply_fixes" })).data.error.code).toBe("RUN_ENDED");
});

describe("bundled", () => {
  test("every bundled workflow has a sample here", () => {
    const names = readdirSync(join(import.meta.dirname, "../../workflows"))
      .filter((file) => file.endsWith(".workflow.yaml"))
      .map((file) => file.replace(".workflow.yaml", ""));
    expect(names.sort()).toEqual(Object.keys(samples).sort());
  });

  test.each(Object.keys(samples))("%s is valid, accounts for every file and comes to its end", async (workflow) => {
    const client = await open(workflow);
    const options = workflow === "bc-version-upgrade" ? { source_version: "BC23", target_version: "BC24" } : {};
    const started = await client.call("workflow_start", { workflow_type: workflow, options });
    expect(started.isError, started.text).toBe(false);
    const session: string = started.data.session_id;
    let last = await settled(client, session);
    for (let calls = 0; last.data.next_action.action !== "complete_workflow"; calls += 1) {
      expect(calls, last.text).toBeLessThan(2_000);
      last = await step(client, session, last);
      expect(last.isError, last.text).toBe(false);
      if (last.data.next_action.action === "wait") last = await settled(client, session);
    }
    const finished = await client.call("workflow_complete", { session_id: session });
    expect(finished.data.status).toBe("completed");
    const { progress } = (await client.call("workflow_status", { session_id: session })).data;
    expect([progress.files_pending, progress.files_in_progress]).toEqual([0, 0]);
    expect(progress.files_total).toBeGreaterThan(0);
  });
});

/** One report of an agent that decides for review, completes entries and leaves instances as they are. */
async function step({ call }: TestClient, session: string, { data }: ToolReply): Promise<ToolReply> {
  const { action, type, checklist_item_id: item, file } = data.next_action;
  if (type === "user_decision") return call("workflow_progress", { session_id: session, answer: "review_by_file" });
  const done = {
    action,
    status: "completed",
    ...(file === undefined ? {} : { file }),
    ...(item === undefined ? {} : { checklist_item_id: item }),
  };
  const skipped = { ...done, status: "skipped", skip_reason: "Judged; it stays." };
  return call("workflow_progress", { session_id: session, completed_action: action === "convert_instance" ? skipped : done });
}
