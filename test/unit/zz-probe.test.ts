import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "vitest";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { openTestEngine } from "../support/test-engine.ts";
import { openClient, serverParts } from "../process/mcp-client.ts";
const root = join(import.meta.dirname, "../..");
async function open(workflow: string) {
  const text = await readFile(join(root, "workflows", `${workflow}.workflow.yaml`), "utf8");
  const e = await openTestEngine({ [`.waymark/workflows/${workflow}.workflow.yaml`]: text });
  await cp(join(root, "examples/sample-al-app"), e.folder, { recursive: true });
  const c = await openClient({ context: e.context, ...serverParts });
  const show = async (name: string, args: any) => {
    const r = await c.call(name, args);
    console.log(`>>> ${name} ${JSON.stringify(args)} isError=${r.isError} text=${encode(r.text).length} data=${encode(JSON.stringify(r.data)).length}\n${r.text}\n---\n${JSON.stringify(r.data)}`);
    return r.data;
  };
  return { e, c, show };
}
test("review", async () => {
  const { e, c, show } = await open("code-review");
  const { session_id } = await show("workflow_start", { workflow_type: "code-review", scope: "directory", path: "src/Codeunits", options: { max_files: 3, bc_version: "BC26", priority_patterns: ["**/LoyaltyPost*"] } });
  const n = await show("workflow_next", { session_id });
  const a = await show(n.next_action.tool_call.tool, n.next_action.tool_call.args);
  await show("workflow_progress", { session_id, completed_action: { action: "analyze_file", file: "src/Codeunits/Other.al", status: "completed" } });
  await show("workflow_progress", { session_id, completed_action: { action: "analyze_file", status: "completed" }, expand_checklist: [{ topic_id: "nope", relevance: 0.9 }] });
  let r = await show("workflow_progress", { session_id, completed_action: { action: "analyze_file", checklist_item_id: "analyze", status: "completed" }, findings: [{ line: 45, severity: "warning", category: "performance", description: "Loop" }], expand_checklist: [...a.workflow_integration.expand_checklist_payload, { topic_id: "errors/errorinfo-basics", relevance: 0.2 }] });
  for (let i = 0; i < 3 && r.next_action.topic_id; i++) {
    await show(r.next_action.tool_call.tool, r.next_action.tool_call.args);
    r = await show("workflow_progress", { ...r.next_call.arguments, proposed_changes: i ? [] : [{ line_start: 1, line_end: 1, original_code: "codeunit 50100", proposed_code: "codeunit 50100", rationale: "x", impact: "high", auto_applicable: true }] });
  }
  await show("workflow_status", { session_id });
  await show("workflow_next", { session_id, worker: "w1" });
  await show("ask_bc_expert", { question: "How do I make an error message translatable?" });
  await c.close(); await e.close();
}, 60000);
test("upgrade", async () => {
  const { e, c, show } = await open("bc-version-upgrade");
  const { session_id } = await show("workflow_start", { workflow_type: "bc-version-upgrade", options: { source_version: "BC21", target_version: "BC27" } });
  const d = await show("workflow_batch", { session_id, filter: { guide: "bc24-no-series-conversion-guide", auto_fixable: true } });
  await show("workflow_batch", { session_id, confirmation_token: "confirm " + d.confirmation_token });
  let n = await show("workflow_next", { session_id });
  n = await show("workflow_progress", { session_id, completed_action: { action: "batch_decision", status: "completed", choice: "by_version_step" } });
  for (let i = 0; i < 4; i++) n = await show("workflow_progress", { ...n.next_call.arguments, status: "skipped", skip_reason: "later" });
  await show("workflow_batch", { session_id, operation: "skip_all", filter: { version_step: "BC23→BC24" } });
  await show("workflow_batch", { session_id, operation: "skip_all", filter: { version_step: "BC23→BC24" }, reason: "no" });
  await c.close(); await e.close();
}, 60000);
