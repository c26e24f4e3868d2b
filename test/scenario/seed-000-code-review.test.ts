import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { afterEach, describe, expect, test } from "vitest";
import type { TestClient, ToolReply } from "../process/mcp-client.ts";
import { costOf, openChecklistWorld, type ChecklistWorld } from "../support/checklist-world.ts";

let world: ChecklistWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

type Call = TestClient["call"];

async function begin(
  options: Record<string, unknown> = {},
): Promise<{ opened: ChecklistWorld; call: Call; started: ToolReply; session: string }> {
  const opened = await openChecklistWorld({ workflows: ["code-review"], sample: "sample-al-app" });
  world = opened;
  const { call } = await opened.client();
  const started = await call("workflow_start", {
    workflow_type: "code-review",
    scope: "directory",
    path: "src/Codeunits",
    options: { bc_version: "BC26", priority_patterns: ["**/LoyaltyPost.*"], max_files: 2, ...options },
  });
  return { opened, call, started, session: started.data.session_id };
}

/** Does what every reply asks for, as the engine leads, until something else than a file comes. */
async function drive(
  call: Call,
  reply: ToolReply,
  extra: (action: Record<string, string>) => Record<string, unknown> = () => ({}),
): Promise<ToolReply> {
  let last = reply;
  while (last.data.next_action?.file !== undefined) {
    const { tool_call: tool } = last.data.next_action;
    const looked = tool === undefined ? undefined : await call(tool.tool, tool.args);
    expect(looked?.isError ?? false).toBe(false);
    expect(last.data.fill_in.status).toMatch(/^completed, skipped/);
    const done = { ...last.data.next_call.arguments, status: "completed", result: "read" };
    last = await call(last.data.next_call.tool, { ...done, ...extra(last.data.next_action) });
    expect(last.isError, last.text).toBe(false);
  }
  return last;
}

describe("the conversation of a code review", () => {
  test("start, analysis by path, topics, findings and proposed changes, report", async () => {
    const { opened, call, started, session } = await begin();
    expect(started.data).toMatchObject({
      session_id: session,
      workflow_type: "code-review",
      status: "in_progress",
      autonomous_processing: { completed: true, phases_run: ["inventory"] },
      file_inventory: {
        total: 2,
        out_of_scope: 14,
        by_type: { Codeunit: 2 },
        files: [
          { path: "src/Codeunits/LoyaltyPost.Codeunit.al", size: expect.any(Number), priority: 1 },
          { path: "src/Codeunits/LoyaltyCleanup.Codeunit.al", priority: 2 },
        ],
      },
      next_action: {
        action: "analyze_file",
        file: "src/Codeunits/LoyaltyPost.Codeunit.al",
        checklist_item_id: "analyze",
        instruction: expect.stringContaining("REQUIRED"),
        tool_call: {
          tool: "analyze_al_code",
          args: { file_path: "src/Codeunits/LoyaltyPost.Codeunit.al", analysis_type: "comprehensive", bc_version: "BC26" },
        },
      },
      agent_instructions: expect.stringContaining("exactly"),
    });
    const { tool_call: tool, file } = started.data.next_action;
    const analysed = await call(tool.tool, tool.args);
    expect(analysed.data).toMatchObject({
      issues: expect.arrayContaining([
        expect.objectContaining({ check: "manual_summation", line: expect.any(Number), severity: "warning" }),
      ]),
      suggested_topics: expect.arrayContaining([expect.objectContaining({ topic_id: "performance/calcsums-and-sift" })]),
      workflow_integration: { instruction: expect.stringContaining("expand_checklist"), expand_checklist_payload: expect.any(Array) },
    });
    expect(analysed.text).not.toContain("codeunit 50");

    const reported = await call("workflow_progress", {
      session_id: session,
      completed_action: { action: "analyze_file", status: "completed", result: "read" },
      findings: [
        {
          line: 40,
          severity: "warning",
          category: "performance",
          description: "A loop adds up.",
          suggestion: "CalcSums",
          related_topic: "performance/calcsums-and-sift",
        },
      ],
      expand_checklist: [
        { topic_id: "performance/calcsums-and-sift", relevance: 0.95 },
        { topic_id: "performance/setloadfields", relevance_score: 0.87 },
        { topic_id: "errors/silent-abort", relevance: 0.2 },
      ],
    });
    expect(reported.data.expanded).toEqual(["performance/calcsums-and-sift", "performance/setloadfields"]);
    expect(reported.data.dropped).toEqual([{ topic_id: "errors/silent-abort", why: "relevance 0.2 is below 0.6" }]);
    expect(reported.data).toMatchObject({
      progress: { phase: "topic_application", files_completed: 0, files_total: 2, percent_complete: 0 },
      current_file: { path: file, status: "in_progress" },
      next_action: {
        action: "apply_topic",
        file,
        topic_id: "performance/calcsums-and-sift",
        checklist_item_id: "topic-calcsums-and-sift",
        tool_call: { tool: "retrieve_bc_knowledge", args: { topic_id: "performance/calcsums-and-sift", include_related: false } },
      },
      agent_instructions: expect.stringContaining("proposed_changes"),
    });
    const checklist = reported.data.current_file.checklist as { id: string; status: string }[];
    expect(checklist[0]).toMatchObject({ id: "analyze", status: "completed" });
    expect(checklist.at(-1)?.id === "review_complete" || reported.data.current_file.checklist_total > checklist.length).toBe(true);

    const topic = await call("retrieve_bc_knowledge", reported.data.next_action.tool_call.args);
    expect(topic.data).toMatchObject({
      topic_content: expect.stringContaining("CalcSums"),
      workflow_integration: { finding_template: { related_topic: "performance/calcsums-and-sift" } },
    });
    const source = await opened.text(file);
    const line = source.split(/\r?\n/).findIndex((each) => each.includes("Error('")) + 1;
    const original = source.split(/\r?\n/)[line - 1] ?? "";
    const proposed = original.replace("Error('", "Error('Really: ");
    const proposal = await call("workflow_progress", {
      session_id: session,
      completed_action: { action: "apply_topic", checklist_item_id: "topic-calcsums-and-sift", status: "completed" },
      findings: [{ line: 45, severity: "critical", description: "Rows are read one by one." }],
      proposed_changes: [
        {
          line_start: line,
          line_end: line,
          original_code: original,
          proposed_code: proposed,
          rationale: "Clearer.",
          impact: "high",
          auto_applicable: true,
        },
        { line_start: 1, line_end: 1, original_code: "not there", proposed_code: "x", impact: "low", auto_applicable: true },
        { line_start: 2, line_end: 2, original_code: "", proposed_code: "y", auto_applicable: false },
      ],
    });
    const ready = await drive(call, proposal);
    expect(ready.data).toMatchObject({
      status: "ready_for_completion",
      progress: { files_completed: 2, files_total: 2, percent_complete: 100 },
      next_action: { action: "complete_workflow", tool_call: { tool: "workflow_complete", args: { generate_report: true } } },
    });
    expect((await call("workflow_status", { session_id: session })).data).toMatchObject({
      status: "ready_for_completion",
      summary: { total_findings: 2, findings_by_severity: { critical: 1, error: 0, warning: 1, info: 0 }, total_proposed_changes: 3 },
      metrics: { coverage: 1, drift: 0, instruction_compliance: 1 },
    });
    const finished = await call("workflow_complete", { session_id: session, apply_changes: true });
    expect(finished.data).toMatchObject({
      status: "completed",
      summary: { files_reviewed: 2, total_findings: 2, proposed_changes: 3, changes_applied: 1 },
      apply_changes: { instances_modified: 1, batch_id: "b1" },
      top_issues: [{ file, severity: "critical", description: "Rows are read one by one." }, { severity: "warning" }],
      recommendations: expect.arrayContaining([expect.stringMatching(/critical/i)]),
    });
    expect(finished.data.apply_changes.left_as_proposals + finished.data.apply_changes.instances_failed).toBe(1);
    expect(await opened.text(file)).toBe(source.replace(original, proposed));
    const undone = await call("workflow_batch", { session_id: session, operation: "undo", batch: "b1" });
    expect(undone.data.result).toMatchObject({ files_restored: 1 });
    expect(await opened.text(file)).toBe(source);
  });

  test("the end of a run with a blocked file counts what it lists, and does not send anybody back to the run", async () => {
    const { call, started, session } = await begin();
    const { action, file } = started.data.next_action;
    const topics = ["performance/calcsums-and-sift", "performance/setloadfields"].map((topic_id) => ({ topic_id, relevance: 0.9 }));
    await call("workflow_progress", {
      session_id: session,
      completed_action: { action, file, status: "completed", result: "read" },
      expand_checklist: topics,
    });
    const failed = await call("workflow_progress", {
      session_id: session,
      completed_action: {
        action: "apply_topic",
        file,
        checklist_item_id: "topic-calcsums-and-sift",
        status: "failed",
        error: "cannot read",
      },
    });
    await drive(call, failed);
    const { recommendations, report } = (await call("workflow_complete", { session_id: session })).data;
    const skipped = String(report)
      .split("\n")
      .filter((line) => line.endsWith("| the file is blocked: cannot read |")).length;
    expect(skipped).toBeGreaterThan(1);
    expect(recommendations).toContainEqual(expect.stringMatching(new RegExp(`^Review ${skipped} skipped items `)));
    expect(recommendations).toContain("Look at 1 failed topic; the reasons are listed.");
    expect(recommendations).toContain("Repair what blocks 1 file, then start another run.");
    expect((await call("workflow_retry", { session_id: session })).data.error).toMatchObject({ code: "RUN_ENDED" });
  });

  test("a failed file is blocked, does not stop the others, and workflow_retry opens it again", async () => {
    const { call, started, session } = await begin();
    const { file } = started.data.next_action;
    const failed = await call("workflow_progress", {
      session_id: session,
      completed_action: { action: "analyze_file", file, status: "failed", error: "File contains syntax errors that prevent analysis" },
    });
    expect(failed.data.next_action.file).not.toBe(file);
    const rest = await drive(call, failed);
    expect(rest.data.next_action.action).toBe("complete_workflow");
    const listed = await call("workflow_status", { session_id: session, include_all_files: true });
    expect(listed.data.files).toEqual([
      { path: file, status: "blocked", findings_count: 1, proposed_changes_count: 0, checklist_complete: false },
      expect.objectContaining({ path: "src/Codeunits/LoyaltyCleanup.Codeunit.al", status: "completed", checklist_complete: true }),
    ]);
    const retried = await call("workflow_retry", { session_id: session });
    expect(retried.data.next_action).toMatchObject({ action: "analyze_file", file });
    const done = await drive(call, retried);
    expect((await call("workflow_complete", { session_id: session })).data.status).toBe("completed");
    expect(done.data.status).toBe("ready_for_completion");
  });

  test("when every file failed the run is blocked, with its files and ways out", async () => {
    const { call, started, session } = await begin({ max_files: 1 });
    const { file } = started.data.next_action;
    const blocked = await call("workflow_progress", {
      session_id: session,
      completed_action: { action: "analyze_file", status: "failed", error: "cannot be read" },
    });
    expect(blocked.data).toMatchObject({
      status: "blocked",
      blocked_reason: expect.stringContaining("1 file"),
      blocked_files: [file],
      resolution_options: [
        expect.stringContaining("workflow_retry"),
        expect.stringContaining("skip_reason"),
        expect.stringContaining("workflow_abort"),
      ],
      later: { when: "when the cause is fixed", tool: "workflow_retry", arguments: { run_id: session } },
    });
    expect(blocked.data).not.toHaveProperty("next_call");
    expect((await call("workflow_status", { session_id: session })).data).toMatchObject({ status: "blocked", blocked_files: [file] });
  });

  test("an unknown topic is named with the nearest, and the analysis is recorded", async () => {
    const { call, session } = await begin();
    const reported = await call("workflow_progress", {
      session_id: session,
      completed_action: { action: "analyze_file", status: "completed", result: "read" },
      expand_checklist: [{ topic_id: "performance/setloadfield", relevance_score: 0.9 }],
    });
    expect(reported.data.dropped).toEqual([
      { topic_id: "performance/setloadfield", why: "there is no such topic; did you mean `performance/setloadfields`?" },
    ]);
    expect((await call("workflow_next", { session_id: session })).data.next_action.action).toBe("apply_topic");
  });
});

describe("an agent without memory", () => {
  test("learns from the status what was done last and what is open, and goes on; reports come in three formats", async () => {
    const { opened, started, session } = await begin();
    const first = await opened.client();
    const { call } = first;
    await call("workflow_status", { session_id: session });
    const { next_call: next } = started.data;
    const other = await opened.client();
    const seen = await other.call("workflow_status", { session_id: session });
    expect(seen.data).toMatchObject({
      status: "in_progress",
      next_action: { action: "analyze_file", checklist_item_id: "analyze" },
      next_call: { tool: "workflow_next" },
    });
    const resumed = await other.call("workflow_resume", { session_id: session });
    expect(resumed.isError).toBe(false);
    expect(resumed.data.next_action.action).toBe("analyze_file");
    expect(next.tool).toBe("workflow_progress");

    const interim = await other.call("workflow_complete", { session_id: session, interim: true, report_format: "html" });
    expect(interim.data).toMatchObject({
      interim: true,
      status: "in_progress",
      report_path: expect.stringMatching(/interim-report\.html$/),
    });
    expect(await readFile(interim.data.report_path, "utf8")).toMatch(/^<!doctype html>[\s\S]*<\/html>\s*$/i);
    const json = await other.call("workflow_complete", { session_id: session, interim: true, report_format: "json" });
    expect(JSON.parse(await readFile(json.data.report_path, "utf8"))).toMatchObject({ session_id: session, interim: true });
    expect((await other.call("workflow_complete", { session_id: session, interim: true, apply_changes: true })).data.error.code).toBe(
      "MCP_BAD_ARGUMENT",
    );
    expect(costOf(seen)).toBeLessThan(800);
  });
});

test("whoever was not told of an entry's tool is told how to do without it", async () => {
  const { opened, session } = await begin();
  const { call } = await opened.client({ toolsets: [] });
  const first = await call("workflow_resume", { session_id: session });
  expect(JSON.stringify(first.data)).toContain("REQUIRED: call analyze_al_code if your client offers it");
  await call("workflow_progress", {
    session_id: session,
    completed_action: { action: "analyze_file", status: "completed", result: "read" },
    expand_checklist: [{ topic_id: "performance/setloadfields", relevance_score: 0.9 }],
  });
  const topic = await call("workflow_next", { session_id: session });
  expect(topic.data.next_action.action).toBe("apply_topic");
  const [, file = ""] = /REQUIRED: read (\S+\.md) and apply/.exec(topic.data.next_action.instruction) ?? [];
  expect(existsSync(file)).toBe(true);
  const knowing = await opened.client({ toolsets: ["knowledge"] });
  const again = await knowing.call("workflow_resume", { session_id: session });
  expect(JSON.stringify(again.data)).not.toContain("if your client offers it");
});

describe("several sub-agents on one connection", () => {
  test("hold different files, keep their names in every call, and are told when nothing is left", async () => {
    const { call, session } = await begin({ max_files: 3 });
    const [one, two] = [
      await call("workflow_next", { session_id: session, worker: "w1" }),
      await call("workflow_next", { session_id: session, worker: "w2" }),
    ];
    const files = new Set([
      one.data.next_action.file,
      two.data.next_action.file,
      (await call("workflow_next", { session_id: session })).data.next_action.file,
    ]);
    expect(files.size).toBe(3);
    expect(one.data.next_call.arguments).toMatchObject({ run_id: session, worker: "w1" });
    const third = await call("workflow_next", { session_id: session, worker: "w3" });
    expect(third.data.next_action).toMatchObject({
      action: "wait",
      instruction: expect.stringContaining("Other agents hold all open items"),
    });
    expect(third.data.next_action.instruction).toContain(`they run: waymark resume ${session} --task `);
    const stolen = await call("workflow_progress", {
      session_id: session,
      worker: "w2",
      completed_action: { action: "analyze_file", file: one.data.next_action.file, status: "completed", result: "read" },
    });
    expect(stolen.data.error.code).toBe("ENGINE_OFF_COURSE");
    await drive(call, two);
    await drive(call, one);
    const main = await drive(call, await call("workflow_next", { session_id: session }));
    expect(main.data.next_action.action).toBe("complete_workflow");
    const late = await call("workflow_next", { session_id: session, worker: "w1" });
    expect(late.data).toMatchObject({ status: "task_done", instruction: expect.stringContaining("worker w1") });
    expect((await call("workflow_next", { session_id: session, worker: "a b" })).data.error.code).toBe("MCP_BAD_ARGUMENT");
  });
});
