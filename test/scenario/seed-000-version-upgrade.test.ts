import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { TestClient, ToolReply } from "../process/mcp-client.ts";
import { costOf, openChecklistWorld, type ChecklistWorld } from "../support/checklist-world.ts";

const workflow = "bc-version-upgrade";
const guide = "bc24-no-series-conversion-guide";
let world: ChecklistWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

async function begin(
  options: Record<string, unknown>,
): Promise<{ opened: ChecklistWorld; call: TestClient["call"]; started: ToolReply; session: string }> {
  const opened = await openChecklistWorld({ workflows: [workflow], sample: "sample-al-app" });
  world = opened;
  const { call } = await opened.client();
  const started = await call("workflow_start", { workflow_type: workflow, options });
  return { opened, call, started, session: started.data?.session_id };
}

describe("the conversation of a version upgrade", () => {
  test("impact by step, a batch of one guide, complex instances with the guide at hand, the migration report", async () => {
    const { opened, call, started, session } = await begin({ source_version: "BC21", target_version: 27 });
    const before = await opened.sources();
    expect(started.data).toMatchObject({
      session_id: expect.stringMatching(/^wf-bc-version-upgrade-/),
      status: "analysis_complete",
      analysis_summary: { total_instances: expect.any(Number), batch_options: expect.any(Array) },
      version_upgrade: { source_version: "BC21", target_version: "BC27", highest_impact: "BC23→BC24" },
      next_action: { type: "user_decision", recommended: "apply_auto_first" },
    });
    const steps = started.data.version_upgrade.by_version_step as { step: string; instances: number }[];
    expect(steps.map(({ step }) => step)).toEqual(["BC21→BC22", "BC22→BC23", "BC23→BC24", "BC24→BC25", "BC25→BC26", "BC26→BC27"]);
    expect(steps.reduce((sum, { instances }) => sum + instances, 0)).toBe(started.data.analysis_summary.total_instances);
    expect(costOf(started)).toBeLessThan(1500);

    const dry = await call("workflow_batch", { session_id: session, filter: { guide, auto_fixable: true } });
    expect(dry.data).toMatchObject({
      operation: "apply_fixes",
      dry_run: true,
      preview: { files_affected: 1 },
      confirmation_required: true,
    });
    const same = await call("workflow_batch", { session_id: session, filter: { version_step: "23->24", auto_fixable_only: true } });
    expect(same.data.preview).toEqual(dry.data.preview);
    const done = await call("workflow_batch", {
      session_id: session,
      operation: "apply_fixes",
      filter: { guide, auto_fixable: true },
      confirmation_token: dry.data.confirmation_token,
    });
    expect(done.data).toMatchObject({ dry_run: false, result: { instances_failed: 0 }, next_action: { action: "review_remaining" } });
    // The batch that was confirmed is what is recommended: it answers the question.
    expect(done.data.note).toContain("apply_auto_first");

    const chosen = await call("workflow_next", { session_id: session });
    expect(chosen.data).toMatchObject({
      next_action: { action: "convert_instance" },
      fill_in: { status: expect.stringContaining("skip_reason") },
    });

    let reply = chosen;
    const guided: ToolReply[] = [];
    const order: string[] = [];
    while (reply.data.next_action.action === "convert_instance") {
      if (reply.data.next_action.guide_section !== undefined) guided.push(reply);
      order.push(reply.data.next_action.checklist_item_id);
      reply = await call("workflow_progress", {
        ...reply.data.next_call.arguments,
        completed_action: { action: "skip_with_reason", status: "skipped", skip_reason: "Planned for later." },
      });
      expect(reply.isError, reply.text).toBe(false);
    }
    expect(new Set(order).size).toBe(order.length);
    const complex = guided.find(({ data }) => data.next_action.guide_section === "Peeking and batches");
    expect(complex?.data.next_action).toMatchObject({
      file: expect.stringContaining("src/"),
      line: expect.any(Number),
      guide_content: expect.stringContaining("PeekNextNo"),
      instance_type: expect.any(String),
    });
    expect(guided.every((each) => costOf(each) < 720)).toBe(true);
    expect(guided.every(({ data }) => data.next_action.specialist === "logan-legacy")).toBe(true);

    expect(reply.data.next_action.action).toBe("complete_workflow");
    const finished = await call("workflow_complete", { session_id: session });
    const report = await readFile(finished.data.report_path, "utf8");
    expect(report).toContain("# BC21 → BC27 Migration Report");
    expect(report).toMatch(/## By version step/i);
    expect(report).toContain("Planned for later.");
    expect(finished.data.summary.instances_skipped).toBeGreaterThanOrEqual(order.length);
    await call("workflow_batch", { session_id: session, operation: "undo" });
    expect(await opened.sources()).toEqual(before);
  });

  test("a subscriber without replacement is done by hand, and the file tells", async () => {
    const { opened, call, session } = await begin({ source_version: "23", target_version: "24.0" });
    await call("workflow_progress", { session_id: session, answer: "review_by_file" });
    let reply = await call("workflow_next", { session_id: session });
    while (reply.data.next_action.instance_type !== "event_subscriber")
      reply = await call("workflow_progress", { ...reply.data.next_call.arguments, status: "skipped", skip_reason: "later" });
    const { file, match_text: text, line } = reply.data.next_action;
    const path = join(opened.folder, file);
    const source = await readFile(path, "utf8");
    const lines = source.split("\n");
    lines.splice(line - 1, 1);
    await writeFile(path, lines.join("\n"));
    const next = await call("workflow_progress", { ...reply.data.next_call.arguments, status: "completed" });
    expect(next.data.next_action.match_text).not.toBe(text);
    expect((await call("workflow_status", { session_id: session })).data.progress.instances_completed).toBeGreaterThanOrEqual(1);
  });

  test("versions that make no sense, unknown options and scopes without a path start nothing", async () => {
    const { call } = await begin({ source_version: "BC21", target_version: "BC22" });
    const wrong: readonly [Record<string, unknown>, string][] = [
      [{ options: { source_version: "BC21", target_versoin: "BC27" } }, "MCP_BAD_ARGUMENT"],
      [{ scope: "directory" }, "MCP_BAD_ARGUMENT"],
      [{ path: "src" }, "MCP_BAD_ARGUMENT"],
      [{ scope: "everything" }, "MCP_BAD_ARGUMENT"],
      [{ initial_processing: { timeout: 5 } }, "MCP_BAD_ARGUMENT"],
      [{ options: { max_files: "many" } }, "MCP_BAD_ARGUMENT"],
      [{ options: { source_version: "BC21" } }, "ENGINE_WRONG_INPUTS"],
      [{}, "ENGINE_WRONG_INPUTS"],
    ];
    for (const [args, code] of wrong)
      expect((await call("workflow_start", { workflow_type: workflow, ...args })).data.error.code).toBe(code);
    expect((await call("workflow_status")).data.runs).toHaveLength(1);
  });
});
