import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "vitest";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { openTestEngine } from "../support/test-engine.ts";
import { openClient, serverParts } from "../process/mcp-client.ts";
const root = join(import.meta.dirname, "../..");
test("probe", async () => {
  const workflow = "error-to-errorinfo-migration";
  const text = await readFile(join(root, "workflows", `${workflow}.workflow.yaml`), "utf8");
  const e = await openTestEngine({ [`.waymark/workflows/${workflow}.workflow.yaml`]: text });
  await cp(join(root, "examples/sample-al-app"), e.folder, { recursive: true });
  const c = await openClient({ context: e.context, ...serverParts });
  const show = async (name: string, args: any) => {
    const r = await c.call(name, args);
    console.log(`>>> ${name} ${JSON.stringify(args)} isError=${r.isError} text=${encode(r.text).length} data=${encode(JSON.stringify(r.data)).length}\n${r.text}\n---\n${JSON.stringify(r.data)}`);
    return r.data;
  };
  const { session_id } = await show("workflow_start", { workflow_type: workflow, initial_processing: { run_autonomous_phases: true, scan_all_patterns: true } });
  await show("workflow_next", { session_id });
  await show("workflow_status", { session_id });
  const dry = await show("workflow_batch", { session_id, operation: "apply_fixes", filter: { auto_fixable_only: true }, dry_run: true });
  await show("workflow_batch", { session_id, operation: "apply_fixes", filter: { auto_fixable_only: true }, full_diff: true });
  await show("workflow_batch", { session_id, operation: "group_by_type", filter: {instance_type: "label"} });
  await show("workflow_batch", { session_id, operation: "apply_fixes", filter: { auto_fixable: true }, confirmation_token: dry.confirmation_token });
  await show("workflow_batch", { session_id, operation: "apply_fixes", confirmation_token: dry.confirmation_token });
  for (let i = 0; i < 6; i++) {
    const n = await show("workflow_next", { session_id });
    const a = n.next_call.arguments;
    await show("workflow_progress", i % 3 ? { ...a, completed_action: { ...a.completed_action, status: "skipped", skip_reason: "ok as is" } } : a);
  }
  await show("workflow_status", { session_id, include_all_files: true });
  await show("workflow_complete", { session_id });
  await show("workflow_complete", { session_id, interim: true });
  await show("workflow_batch", { session_id, operation: "undo" });
  await show("workflow_retry", { session_id });
  await c.close();
  await e.close();
}, 60000);
