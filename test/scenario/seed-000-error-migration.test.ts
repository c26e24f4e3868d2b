import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { TestClient, ToolReply } from "../process/mcp-client.ts";
import { costOf, openChecklistWorld, type ChecklistWorld } from "../support/checklist-world.ts";

const workflow = "error-to-errorinfo-migration";
let world: ChecklistWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

async function begin(): Promise<{ opened: ChecklistWorld; call: TestClient["call"]; started: ToolReply; session: string }> {
  const opened = await openChecklistWorld({ workflows: [workflow], sample: "sample-al-app" });
  world = opened;
  const { call } = await opened.client();
  const started = await call("workflow_start", {
    workflow_type: workflow,
    initial_processing: { run_autonomous_phases: true, scan_all_patterns: true },
  });
  return { opened, call, started, session: started.data.session_id };
}

/** The reply as it is when chance gives the run an id of which every character is a token. */
function withCostlyId({ text, data, ...rest }: ToolReply, session: string): ToolReply {
  const costly = (held: string): string => held.replaceAll(session, session.replace(/[a-z0-9]{6}$/, "9x8z7q"));
  return { ...rest, text: costly(text), data: JSON.parse(costly(JSON.stringify(data))) };
}

/** Skips what is left, one instance at a time; answers how many there were and the last reply. */
async function skipAll(
  call: TestClient["call"],
  session: string,
): Promise<{ seen: number; last: ToolReply; costs: number[]; contexts: number; guidance: string[] }> {
  const costs: number[] = [];
  const guidance: string[] = [];
  let contexts = 0;
  let last = await call("workflow_next", { session_id: session });
  for (let seen = 0; ; seen += 1) {
    if (last.data.next_action.action !== "convert_instance") return { seen, last, costs, contexts, guidance };
    const { context, specialist_guidance: told, instance_type, precise_type: type = instance_type } = last.data.next_action;
    costs.push(costOf(withCostlyId(last, session)));
    if (context !== undefined) contexts += 1;
    if (told !== undefined) guidance.push(type);
    last = await call("workflow_progress", {
      session_id: session,
      completed_action: {
        action: "convert_instance",
        file: last.data.next_action.file,
        checklist_item_id: last.data.next_action.checklist_item_id,
        status: "skipped",
        skip_reason: "Reviewed; it stays as it is.",
      },
    });
    expect(last.isError, last.text).toBe(false);
  }
}

describe("the conversation of an error migration", () => {
  test("start, decision, dry run, confirmation, manual cases, report, undo", async () => {
    const { opened, call, started, session } = await begin();
    const before = await opened.sources();
    expect(session).toMatch(/^wf-error-to-errorinfo-migration-\d{4}-\d\d-\d\d-[a-z0-9]{6}$/);
    expect(started.data).toMatchObject({
      session_id: session,
      run_id: session,
      workflow_type: workflow,
      status: "analysis_complete",
      autonomous_processing: { completed: true, phases_run: ["inventory", "scan"], duration_ms: expect.any(Number) },
      file_inventory: { total: 41, with_matches: 23, by_type: { Codeunit: 17, Page: 6, Table: 6 } },
      analysis_summary: {
        total_instances: 57,
        by_type: { getlasterror: { count: 1, auto_fixable: false, needs: "manual" } },
        batch_options: [
          { action: "apply_all_auto", instances: 18, files: 14 },
          expect.anything(),
          { action: "flag_manual", instances: 10, files: 4 },
        ],
      },
      next_action: {
        type: "user_decision",
        action: "batch_decision",
        instruction: expect.stringContaining("brings nothing documented"),
        recommended: "apply_auto_first",
      },
      agent_instructions: expect.stringContaining("ask for a choice"),
    });
    const { by_type: types } = started.data.analysis_summary;
    expect(Object.values<{ count: number }>(types).reduce((sum, { count }) => sum + count, 0)).toBe(57);
    expect(started.data.phases.map(({ id }: { id: string }) => id)).toEqual([
      "inventory",
      "scan",
      "batch_auto",
      "manual_review",
      "verification",
      "summary",
    ]);
    const options = started.data.next_action.options as { id: string; label: string; description: string }[];
    expect(options.map(({ id }) => id)).toEqual(["apply_auto_first", "label_route", "review_by_file", "review_by_type"]);
    expect(options[0]?.label).toContain("18 auto-fixes");
    expect(costOf(started)).toBeLessThan(1500);

    const chosen = await call("workflow_progress", { ...started.data.next_call.arguments, answer: "apply_auto_first" });
    expect(chosen.data.next_action).toMatchObject({
      action: "batch_apply",
      tool_call: {
        tool: "workflow_batch",
        args: { session_id: session, operation: "apply_fixes", filter: { auto_fixable_only: true }, dry_run: true },
      },
    });

    const { tool, args } = chosen.data.next_action.tool_call;
    const dry = await call(tool, args);
    expect(dry.data).toMatchObject({
      session_id: session,
      operation: "apply_fixes",
      dry_run: true,
      preview: { instances_affected: 18, files_affected: 14, by_instance_type: { literal: 10, strsubstno: 8 } },
      confirmation_required: true,
      confirmation_token: expect.stringMatching(/^batch-[a-z0-9]{6}-18-/),
      confirmation_prompt: expect.stringContaining(dry.data.confirmation_token),
    });
    expect(dry.data.sample_changes).toHaveLength(5);
    expect(dry.data.sample_changes[0]).toEqual({
      file: "src/Codeunits/LoyaltyCleanup.Codeunit.al",
      line: 9,
      before: "Error('A date is needed.')",
      after: "Error(ErrorInfo.Create('A date is needed.'))",
    });
    expect(await opened.sources()).toEqual(before);

    const token = dry.data.confirmation_token;
    const done = await call("workflow_batch", {
      session_id: session,
      operation: "apply_fixes",
      filter: { auto_fixable_only: true },
      confirmation_token: token,
    });
    expect(done.data).toMatchObject({
      session_id: session,
      operation: "apply_fixes",
      dry_run: false,
      result: { instances_modified: 18, instances_failed: 0, files_modified: 14, files_failed: 0 },
      failures: [],
      found_by_second_scan: 0,
      next_action: { action: "review_remaining", instruction: expect.stringContaining("37 instances remain (27 to review + 10 by hand)") },
    });
    expect(await opened.text("src/Codeunits/LoyaltyCleanup.Codeunit.al")).toContain("Error(ErrorInfo.Create('A date is needed.'))");
    const twice = await call("workflow_batch", { session_id: session, confirmation_token: token });
    expect(twice.data.error.code).toBe("ENGINE_TOKEN_USED");

    const early = await call("workflow_complete", { session_id: session });
    expect(early.data.error.code).toBe("RUN_NOT_DONE");
    expect(early.data.error.message).toContain("`convert_instance`");

    const { seen, last, costs, contexts, guidance } = await skipAll(call, session);
    expect(seen).toBe(37);
    expect(contexts).toBe(37);
    expect(new Set(guidance).size).toBe(guidance.length);
    expect(guidance).toContain("label");
    expect(Math.max(...costs)).toBeLessThanOrEqual(400);
    expect(last.data).toMatchObject({
      status: "ready_for_completion",
      progress: { files_completed: 41, files_total: 41, percent_complete: 100 },
      next_action: {
        action: "complete_workflow",
        tool_call: { tool: "workflow_complete", args: { session_id: session, generate_report: true } },
      },
    });

    const finished = await call("workflow_complete", { session_id: session, generate_report: true });
    expect(finished.data).toMatchObject({
      session_id: session,
      status: "completed",
      completed_at: expect.stringMatching(/^\d{4}-/),
      duration_minutes: expect.any(Number),
      summary: { files_processed: 41, instances_converted: 18, instances_skipped: 39, auto_fixed: 18, manually_reviewed: 0 },
      report: expect.stringContaining("# Error to ErrorInfo Migration Report"),
      recommendations: expect.arrayContaining([expect.stringContaining("37 skipped")]),
      top_issues: [],
    });
    expect(await readFile(finished.data.report_path, "utf8")).toContain("Reviewed; it stays as it is.");

    const undone = await call("workflow_batch", { session_id: session, operation: "undo" });
    expect(undone.data).toMatchObject({
      operation: "undo",
      batch_id: "b1",
      result: { completed: true, files_restored: 14, files_not_restored: 0 },
    });
    expect(await opened.sources()).toEqual(before);
  });

  test("as written: the batch is confirmed at the decision, which answers it", async () => {
    const { call, session } = await begin();
    const dry = await call("workflow_batch", {
      session_id: session,
      operation: "apply_all",
      filter: { auto_fixable: true },
      dry_run: true,
    });
    const done = await call("workflow_batch", {
      session_id: session,
      operation: "apply_fixes",
      confirmation_token: `confirm ${dry.data.confirmation_token}`,
    });
    expect(done.data.note).toContain("apply_auto_first");
    const next = await call("workflow_next", { session_id: session });
    expect(next.data).toMatchObject({
      session_id: session,
      status: "in_progress",
      progress: { phase: "manual_review", files_total: 41 },
      next_action: {
        action: "convert_instance",
        file: "src/Codeunits/LoyaltyCleanup.Codeunit.al",
        line: 38,
        column: 13,
        instance_type: "text_constant",
        precise_type: "label",
        match_text: "Error(NotTemporaryErr)",
        suggested_fix: "Error(ErrorInfo.Create(NotTemporaryErr))",
        specialist_guidance: expect.stringContaining("Error"),
        checklist_item_id: expect.stringMatching(/^i[0-9a-f]{12}$/),
      },
      next_call: { tool: "workflow_progress", arguments: { run_id: session, action_id: expect.any(String) } },
      fill_in: { status: expect.stringContaining("skip_reason") },
    });
  });
});

describe("what is converted by hand", () => {
  test("the file tells: a report without a change comes back and says so, a real one is taken", async () => {
    const { opened, call, session } = await begin();
    await call("workflow_progress", {
      session_id: session,
      completed_action: { action: "batch_decision", status: "completed", choice: "review_by_file" },
    });
    const first = (await call("workflow_next", { session_id: session })).data.next_action;
    expect(first).toMatchObject({
      match_text: "Error('A date is needed.')",
      specialist_guidance: expect.stringContaining("errors/errorinfo-basics"),
    });
    const claimed = await call("workflow_progress", {
      session_id: session,
      completed_action: { action: "convert_instance", checklist_item_id: first.checklist_item_id, status: "completed" },
    });
    expect(claimed.data.next_action.checklist_item_id).toBe(first.checklist_item_id);
    expect(claimed.data.next_action.instruction).toContain("still there");
    expect(claimed.data.next_action).not.toHaveProperty("specialist_guidance");

    const path = join(opened.folder, first.file);
    await writeFile(path, (await readFile(path, "utf8")).replace(first.match_text, first.suggested_fix));
    const real = await call("workflow_progress", { ...claimed.data.next_call.arguments, status: "completed" });
    expect(real.data.next_action.checklist_item_id).not.toBe(first.checklist_item_id);
    const repeated = await call("workflow_progress", {
      session_id: session,
      completed_action: { action: "convert_instance", checklist_item_id: first.checklist_item_id, status: "completed" },
    });
    expect(repeated.data).toMatchObject({
      recorded: "before",
      next_action: { checklist_item_id: real.data.next_action.checklist_item_id },
    });
    expect((await call("workflow_status", { session_id: session })).data).toMatchObject({
      last_completed: { action: "convert_instance", file: first.file, checklist_item_id: first.checklist_item_id, status: "completed" },
      next_action: { checklist_item_id: real.data.next_action.checklist_item_id },
      progress: { instances_completed: 1, files_in_progress: 1 },
    });
  });

  test("wrong files, items and actions, skips and failures without a reason are refused with what is open, and counted", async () => {
    const { call, session } = await begin();
    await call("workflow_progress", { session_id: session, result: "review_by_file" });
    const { next_action: open } = (await call("workflow_next", { session_id: session })).data;
    const right = { action: "convert_instance", checklist_item_id: open.checklist_item_id };
    const wrong: readonly [Record<string, unknown>, string][] = [
      [{ ...right, file: "src/Codeunits/LoyaltyPost.Codeunit.al", checklist_item_id: undefined, status: "completed" }, open.file],
      [{ action: "convert_instance", checklist_item_id: "i000000000000", status: "completed" }, open.checklist_item_id],
      [{ action: "analyze_file", status: "completed" }, "convert_instance"],
      [{ ...right, status: "skipped" }, "reason"],
      [{ ...right, status: "failed" }, "reason"],
    ];
    for (const [completed_action, said] of wrong) {
      const reply = await call("workflow_progress", { session_id: session, completed_action });
      expect(reply.data.error.code).toBe("ENGINE_OFF_COURSE");
      expect(reply.text).toContain(said);
      expect(costOf(reply)).toBeLessThan(250);
      expect((await call("workflow_next", { session_id: session })).data.next_action.checklist_item_id).toBe(open.checklist_item_id);
    }
    const outside = await call("workflow_progress", {
      session_id: session,
      completed_action: { ...right, status: "completed" },
      findings: [{ file: "elsewhere/Other.al", severity: "error", description: "x" }],
    });
    expect(outside.data.left_out).toEqual([{ part: "findings[0]", why: "`elsewhere/Other.al` is not a file of this run" }]);
    const { metrics } = (await call("workflow_status", { session_id: session })).data;
    expect(metrics.drift).toBeCloseTo(wrong.length / (wrong.length + 1), 3);
    expect(metrics.instruction_compliance).toBeCloseTo(1 / (wrong.length + 1), 3);
  });
});

describe("batches", () => {
  test("a file changed between dry run and confirmation kills the token, and nothing is written", async () => {
    const { opened, call, session } = await begin();
    const dry = await call("workflow_batch", { session_id: session, operation: "apply_fixes", filter: { auto_fixable_only: true } });
    await opened.engine.write(
      "src/Codeunits/LoyaltyCleanup.Codeunit.al",
      `${await opened.text("src/Codeunits/LoyaltyCleanup.Codeunit.al")}\n`,
    );
    const before = await opened.sources();
    const dead = await call("workflow_batch", {
      session_id: session,
      operation: "apply_fixes",
      confirmation_token: dry.data.confirmation_token,
    });
    expect(dead.data.error).toMatchObject({ code: "ENGINE_TOKEN_DEAD", message: expect.stringContaining("LoyaltyCleanup") });
    expect(dead.data.next_call).toMatchObject({ tool: "workflow_batch", arguments: { dry_run: true } });
    expect(await opened.sources()).toEqual(before);
  });

  test("another operation, another filter, an invented token and dry_run false without one are refused", async () => {
    const { call, session } = await begin();
    const filter = { instance_types: ["literal"], file_patterns: "src/Codeunits/**" };
    const { confirmation_token: token } = (await call("workflow_batch", { session_id: session, operation: "apply_fixes", filter })).data;
    const codes: string[] = [];
    for (const args of [
      { operation: "flag_for_review", confirmation_token: token },
      { operation: "apply_fixes", filter: { instance_types: ["literal_args"] }, confirmation_token: token },
      { operation: "apply_fixes", confirmation_token: "batch-abc123-1879-confirm" },
      { operation: "apply_fixes", dry_run: false },
      { operation: "apply_fixes", filter: { instance_typ: ["literal"] } },
      { operation: "rename_all" },
      { operation: "skip_instances" },
    ])
      codes.push((await call("workflow_batch", { session_id: session, ...args })).data.error.code);
    expect(codes).toEqual([
      "ENGINE_TOKEN_DEAD",
      "ENGINE_TOKEN_DEAD",
      "ENGINE_TOKEN_UNKNOWN",
      "MCP_BAD_ARGUMENT",
      "MCP_BAD_ARGUMENT",
      "MCP_BAD_ARGUMENT",
      "MCP_BAD_ARGUMENT",
    ]);
    const same = await call("workflow_batch", {
      session_id: session,
      operation: "apply_fixes",
      filter: { file_pattern: ["src/Codeunits/**"], instance_type: "literal" },
      confirmation_token: token,
    });
    expect(same.data.result.instances_modified).toBeGreaterThan(0);
  });

  test("a dry run again, a filter that matches nothing, and a whole difference that applies", async () => {
    const { call, session } = await begin();
    const nothing = await call("workflow_batch", {
      session_id: session,
      operation: "apply_fixes",
      filter: { instance_type: "no_such_type" },
    });
    expect(nothing.data).toMatchObject({ preview: { instances_affected: 0, files_affected: 0 }, confirmation_required: false });
    expect(nothing.data).not.toHaveProperty("confirmation_token");
    expect(nothing.text).toContain("Nothing matches");
    const few = await call("workflow_batch", { session_id: session, filter: { file_patterns: ["**/LoyaltyCleanup*"] }, full_diff: true });
    expect(few.data.diff.split("\n").slice(0, 2)).toEqual([
      "--- a/src/Codeunits/LoyaltyCleanup.Codeunit.al",
      "+++ b/src/Codeunits/LoyaltyCleanup.Codeunit.al",
    ]);
    expect(few.data.diff).toContain("-            Error('A date is needed.');\n+            Error(ErrorInfo.Create('A date is needed.'));");
    const all = await call("workflow_batch", { session_id: session, filter: { auto_fixable: true }, full_diff: true });
    const diff = await readFile(all.data.diff_path, "utf8");
    expect(diff.match(/^\+ .*ErrorInfo\.Create/gm)).toHaveLength(18);
    const again = await call("workflow_batch", {
      session_id: session,
      dry_run: true,
      confirmation_token: all.data.confirmation_token,
      filter: { auto_fixable: true },
    });
    expect(again.data).toMatchObject({ dry_run: true, preview: { instances_affected: 18 } });
  });

  test("a file that cannot be written fails alone and stays listed", async () => {
    const { opened, call, session } = await begin();
    const dry = await call("workflow_batch", { session_id: session, filter: { auto_fixable_only: true } });
    const path = join(opened.folder, "src/Codeunits/LoyaltyCleanup.Codeunit.al");
    await chmod(path, 0o444);
    const done = await call("workflow_batch", { session_id: session, confirmation_token: dry.data.confirmation_token });
    await chmod(path, 0o644);
    const { result, failures } = done.data;
    expect(result.instances_modified + result.instances_failed + result.instances_left_out).toBe(18);
    expect(failures).toEqual([{ file: "src/Codeunits/LoyaltyCleanup.Codeunit.al", line: 9, error: expect.stringMatching(/read-only/i) }]);
    const failed = await call("workflow_batch", { session_id: session, operation: "group_by_type", filter: { status: "failed" } });
    expect(failed.data).toMatchObject({ total_instances: 1, groups: [{ text: "Error('A date is needed.')" }] });
    const retried = await call("workflow_retry", { session_id: session });
    expect(retried.data.reopened).toBeGreaterThanOrEqual(1);
  });

  test("skips and flags with a reason, groups of identical instances in pages", async () => {
    const { call, session } = await begin();
    const all = await call("workflow_batch", { session_id: session, operation: "group_by_type" });
    expect(all.data.total_instances).toBe(55);
    const seen = [...all.data.groups];
    for (let page = all; page.data.next_call !== undefined;) {
      page = await call("workflow_batch", page.data.next_call.arguments);
      seen.push(...page.data.groups);
    }
    expect(seen).toHaveLength(all.data.total_groups);
    expect(seen.reduce((sum, { count }) => sum + count, 0)).toBe(55);
    const labels = await call("workflow_batch", {
      session_id: session,
      operation: "group_by_type",
      filter: { instance_types: ["text_constant"] },
    });
    expect(labels.data.groups[0]).toMatchObject({
      instance_type: "text_constant",
      precise_type: "label",
      text: "Error(NotActiveErr)",
      count: 2,
      files: 1,
    });

    const skip = await call("workflow_batch", {
      session_id: session,
      operation: "skip_all",
      filter: { instance_type: "system_function" },
      reason: "It passes the text on.",
    });
    expect(skip.data).toMatchObject({
      operation: "skip_instances",
      preview: { instances_affected: 1 },
      sample_instances: [{ instance_type: "getlasterror" }],
    });
    expect(
      (await call("workflow_batch", { session_id: session, operation: "skip_all", confirmation_token: skip.data.confirmation_token })).data,
    ).toMatchObject({
      operation: "skip_instances",
      result: { instances_modified: 1 },
    });
    const flag = await call("workflow_batch", {
      session_id: session,
      operation: "flag_for_review",
      filter: { instance_types: ["literal"] },
      reason: "A person looks at it.",
    });
    await call("workflow_batch", { session_id: session, operation: "flag_for_review", confirmation_token: flag.data.confirmation_token });
    const auto = await call("workflow_batch", { session_id: session, operation: "apply_fixes", filter: { auto_fixable_only: true } });
    expect(auto.data.preview.by_instance_type).toEqual({ strsubstno: 8 });
  });
});
