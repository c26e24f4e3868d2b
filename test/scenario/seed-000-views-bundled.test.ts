/** Every bundled workflow can be driven to its end over MCP, with every file accounted for. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { TestClient, ToolReply } from "../process/mcp-client.ts";
import { openChecklistWorld, type ChecklistWorld } from "../support/checklist-world.ts";

const samples = {
  "code-review": "sample-al-app",
  "performance-audit": "sample-al-app",
  "security-audit": "sample-al-app",
  onboarding: "sample-al-app",
  "proposal-review": "sample-al-app",
  "error-to-errorinfo-migration": "sample-al-app",
  "bc-version-upgrade": "sample-al-app",
  "typescript-migration": "sample-ts-app",
  "codebase-review": "sample-ts-app",
};
const mostFiles = 4;
const mostCalls = 400;

let world: ChecklistWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

/** What they find is of linters that the samples do not have; test/process/lint-example.test.ts goes through it. */
const withTools = ["lint-burndown"];

test("every bundled workflow is listed here", () => {
  const names = readdirSync(join(import.meta.dirname, "../../workflows"))
    .filter((file) => file.endsWith(".workflow.yaml"))
    .map((file) => file.replace(".workflow.yaml", ""));
  expect(names.sort()).toEqual([...Object.keys(samples), ...withTools].sort());
});

test.each(Object.keys(samples))("%s accounts for every file and comes to its end", async (workflow) => {
  world = await openChecklistWorld({ workflows: [workflow], sample: samples[workflow as keyof typeof samples] });
  const client = await world.client();
  const versions = workflow === "bc-version-upgrade" ? { source_version: "BC23", target_version: "BC24" } : {};
  const started = await client.call("workflow_start", {
    workflow_type: workflow,
    options: { max_files: mostFiles, priority_patterns: ["src/Tables/**"], ...versions },
  });
  expect(started.isError, started.text).toBe(false);
  const session: string = started.data.session_id;
  let last = await settled(client, session);
  for (let calls = 0; last.data.next_action.action !== "complete_workflow" && calls < mostCalls; calls += 1) {
    const reply = await step(client, session, last);
    expect(reply.isError, reply.text).toBe(false);
    last = reply.data.next_action.action === "wait" ? await settled(client, session) : reply;
  }
  const finished = await client.call("workflow_complete", { session_id: session });
  expect(finished.data.status, finished.text).toBe("completed");
  const { progress } = (await client.call("workflow_status", { session_id: session })).data;
  expect([progress.files_pending, progress.files_in_progress]).toEqual([0, 0]);
  expect(progress.files_total).toBeGreaterThan(0);
  expect(progress.files_total).toBeLessThanOrEqual(mostFiles);
});

/** Asks until the engine has done its part. */
async function settled({ call }: TestClient, session: string): Promise<ToolReply> {
  for (;;) {
    const reply = await call("workflow_next", { session_id: session });
    if (reply.data.next_action.action !== "wait") return reply;
  }
}

/** One report of an agent that decides for review, completes entries and leaves instances as they are. */
async function step({ call }: TestClient, session: string, { data }: ToolReply): Promise<ToolReply> {
  const { action, type, checklist_item_id: item, file } = data.next_action;
  if (type === "user_decision") return call("workflow_progress", { session_id: session, answer: "review_by_file" });
  const done = { action, status: "completed", result: "read", ...(file === undefined ? {} : { file, checklist_item_id: item }) };
  const skipped = { ...done, status: "skipped", skip_reason: "Judged; it stays." };
  return call("workflow_progress", { session_id: session, completed_action: /^(?:convert|judge)_instance$/.test(action) ? skipped : done });
}
