/** The file for status bars follows a run that an agent drives over MCP: every trigger, phase and blocking. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseSharedState, type SharedWorkflowSession, type SharedWorkflowState } from "../../src/dialects/checklist/views/index.ts";
import { spawnClient, type TestClient } from "./mcp-client.ts";

const root = resolve(import.meta.dirname, "../..");
const base = mkdtempSync(join(tmpdir(), "waymark-bar-"));
const state = join(base, "state.json");
let agent: TestClient;

function command(): Parameters<typeof spawnClient>[0] {
  const homes = Object.fromEntries(["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"].map((name) => [name, join(base, name)]));
  return {
    command: process.execPath,
    args: [join(root, "dist/waymark.js"), "mcp"],
    cwd: join(base, "app"),
    env: { PATH: process.env["PATH"] ?? "", ...homes, BC_INTEL_WORKFLOW_STATE_PATH: state },
  };
}

beforeAll(async () => {
  cpSync(join(root, "examples/sample-al-app"), join(base, "app"), { recursive: true });
  agent = await spawnClient(command(), "legacy");
});
afterAll(async () => {
  await agent.close();
  rmSync(base, { recursive: true, force: true });
});

/** The file as it is when the reply is there: it is written before it. */
function shared(): SharedWorkflowState {
  const held = parseSharedState(readFileSync(state, "utf8"));
  if (held === undefined) throw new Error("The state file cannot be read.");
  return held;
}

function shows(id: string, wanted: Partial<SharedWorkflowSession>): void {
  expect(shared().activeWorkflows.find((session) => session.id === id)).toMatchObject(wanted);
}

test("start, decision, batch, next, progress, status and completion are all seen", async () => {
  const { call } = agent;
  const started = await call("workflow_start", {
    workflow_type: "error-to-errorinfo-migration",
    scope: "files",
    path: "src/Codeunits/LoyaltyCleanup.Codeunit.al",
  });
  const id: string = started.data.session_id;
  shows(id, { status: "active", currentPhase: "batch_auto", filesTotal: 1, instancesTotal: 2, instancesCompleted: 0, phaseIndex: 2 });
  await call("workflow_progress", { session_id: id, answer: "apply_auto_first" });
  const dry = await call("workflow_batch", { session_id: id, operation: "apply_fixes" });
  await call("workflow_batch", { session_id: id, confirmation_token: dry.data.confirmation_token });
  shows(id, { instancesAutoFixed: 1, instancesCompleted: 1, progressPercentage: 50 });
  const { statusBar } = shared();
  expect(statusBar?.text).toBe("$(sync~spin) Migration 50% (1 auto-fixed)");
  expect(statusBar?.tooltip).toContain("**Error to ErrorInfo Migration** (via Chat)");
  expect(statusBar?.tooltip).toContain("  • Auto-fixed: 1\n");
  const next = await call("workflow_next", { session_id: id });
  shows(id, { currentPhase: "manual_review", currentFile: "src/Codeunits/LoyaltyCleanup.Codeunit.al", filesInProgress: 1 });
  expect((await call("workflow_status", { session_id: id })).data.status).toBe("in_progress");
  await call("workflow_progress", {
    session_id: id,
    completed_action: {
      action: "convert_instance",
      checklist_item_id: next.data.next_action.checklist_item_id,
      status: "skipped",
      skip_reason: "It stays.",
    },
  });
  shows(id, { instancesCompleted: 2, filesCompleted: 1, progressPercentage: 100 });
  await call("workflow_complete", { session_id: id });
  shows(id, { status: "completed", currentPhase: "summary" });
});

test("a run in which every file failed is blocked, and open again after a retry", async () => {
  const { call } = agent;
  const started = await call("workflow_start", { workflow_type: "code-review", scope: "files", path: "src/Tables/LoyaltyTier.Table.al" });
  const id: string = started.data.session_id;
  const failed = await call("workflow_progress", {
    session_id: id,
    completed_action: { action: "analyze_file", status: "failed", error: "It does not parse." },
  });
  expect(failed.data.status).toBe("blocked");
  shows(id, { status: "blocked" });
  const { statusBar } = shared();
  expect(statusBar?.text).toMatch(/^\$\(warning\) Review Blocked/);
  expect(statusBar?.tooltip).toContain("Blocked: 1 file failed");
  await call("workflow_retry", { session_id: id });
  shows(id, { status: "active", currentFile: "src/Tables/LoyaltyTier.Table.al" });
});

test("a server that is killed right after it acknowledged the end leaves no run as active", async () => {
  const doomed = await spawnClient(command(), "legacy");
  const started = await doomed.call("workflow_start", {
    workflow_type: "code-review",
    scope: "files",
    path: "src/Enums/LoyaltyEntryType.Enum.al",
  });
  const id: string = started.data.session_id;
  let last = started;
  while (last.data.next_action?.file !== undefined)
    last = await doomed.call("workflow_progress", { ...last.data.next_call.arguments, status: "skipped", skip_reason: "generated" });
  const done = await doomed.call("workflow_complete", { session_id: id });
  process.kill(doomed.pid, "SIGKILL");
  expect(done.data.status).toBe("completed");
  shows(id, { status: "completed", progressPercentage: 100, filesTotal: 1 });
  await doomed.close();
});
