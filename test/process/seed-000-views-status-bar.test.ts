/** The file for status bars follows a run that an agent drives over MCP: every trigger, phase and blocking. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseSharedState, type SharedWorkflowSession } from "../../src/dialects/checklist/views/index.ts";
import { spawnClient, type TestClient } from "./mcp-client.ts";

const root = resolve(import.meta.dirname, "../..");
const base = mkdtempSync(join(tmpdir(), "waymark-bar-"));
const state = join(base, "state.json");
let agent: TestClient;

beforeAll(async () => {
  cpSync(join(root, "examples/sample-al-app"), join(base, "app"), { recursive: true });
  const homes = Object.fromEntries(["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"].map((name) => [name, join(base, name)]));
  agent = await spawnClient(
    {
      command: process.execPath,
      args: [join(root, "dist/waymark.js"), "mcp"],
      cwd: join(base, "app"),
      env: { PATH: process.env["PATH"] ?? "", ...homes, BC_INTEL_WORKFLOW_STATE_PATH: state },
    },
    "legacy",
  );
});
afterAll(async () => {
  await agent.close();
  rmSync(base, { recursive: true, force: true });
});

/** The session as soon as it reads like this; the file is written a moment after the reply. */
async function shows(id: string, wanted: Partial<SharedWorkflowSession>): Promise<void> {
  const read = (): SharedWorkflowSession | undefined => {
    try {
      return parseSharedState(readFileSync(state, "utf8"))?.activeWorkflows.find((session) => session.id === id);
    } catch {
      return undefined;
    }
  };
  const fits = (): boolean => {
    const session = read();
    return (
      session !== undefined && Object.entries(wanted).every(([key, value]) => Object.is(session[key as keyof SharedWorkflowSession], value))
    );
  };
  for (let tries = 0; !fits() && tries < 200; tries += 1) await pause(25);
  expect(read()).toMatchObject(wanted);
}

test("start, decision, batch, next, progress, status and completion are all seen", async () => {
  const { call } = agent;
  const started = await call("workflow_start", {
    workflow_type: "error-to-errorinfo-migration",
    scope: "files",
    path: "src/Codeunits/LoyaltyCleanup.Codeunit.al",
  });
  const id: string = started.data.session_id;
  await shows(id, { status: "active", currentPhase: "batch_auto", filesTotal: 1, instancesTotal: 2, instancesCompleted: 0, phaseIndex: 2 });
  await call("workflow_progress", { session_id: id, answer: "apply_auto_first" });
  const dry = await call("workflow_batch", { session_id: id, operation: "apply_fixes" });
  await call("workflow_batch", { session_id: id, confirmation_token: dry.data.confirmation_token });
  await shows(id, { instancesAutoFixed: 1, instancesCompleted: 1, progressPercentage: 50 });
  const next = await call("workflow_next", { session_id: id });
  await shows(id, { currentPhase: "manual_review", currentFile: "src/Codeunits/LoyaltyCleanup.Codeunit.al", filesInProgress: 1 });
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
  await shows(id, { instancesCompleted: 2, filesCompleted: 1, progressPercentage: 100 });
  await call("workflow_complete", { session_id: id });
  await shows(id, { status: "completed", currentPhase: "summary" });
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
  await shows(id, { status: "blocked" });
  await call("workflow_retry", { session_id: id });
  await shows(id, { status: "active", currentFile: "src/Tables/LoyaltyTier.Table.al" });
});
