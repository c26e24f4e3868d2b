/** Reports and replies in the forms that the seed prints, also where one part of them does not fit. */
import { readFile } from "node:fs/promises";
import { afterEach, describe, expect, test } from "vitest";
import { checklistRows, gatherFacts, withMatchContext } from "../../src/dialects/checklist/run/index.ts";
import { sessionJson } from "../../src/dialects/checklist/views/index.ts";
import type { TestClient, ToolReply } from "../process/mcp-client.ts";
import { openChecklistWorld, type ChecklistWorld } from "../support/checklist-world.ts";
import { wholeData } from "../support/whole-data.ts";

let world: ChecklistWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const review = (tool: string): string => `type: printed
name: Printed
description: Looks at every file.
file_patterns: ["src/**/*.al"]
phases:
  - { id: inventory, name: Inventory, required: true }
  - { id: analysis, name: Analysis, required: true, available_actions: [analyze_file, expand_checklist] }
  - { id: topics, name: Topics, required: true, available_actions: [apply_topic, record_finding] }
  - { id: summary, name: Summary, required: true }
per_file_checklist:
  - { id: analyze, type: analysis, description: "Run the analysis.", required: true }
  - { id: review_complete, type: validation, description: "Mark review complete.", required: true }
topic_discovery: { enabled: true, tool: ${tool}, auto_expand_checklist: false, min_relevance_score: 0.6 }
completion_rules: { require_all_files: true, require_all_checklist_items: true, allow_skip_with_reason: true }
`;

interface Opened {
  readonly call: TestClient["call"];
  readonly data: ToolReply["data"];
  readonly named: Record<string, unknown>;
  readonly session: string;
}

async function open(tool = "analyze_al_code"): Promise<Opened> {
  world = await openChecklistWorld({
    workflows: [],
    definitions: { ".waymark/workflows/printed.workflow.yaml": review(tool) },
    files: { "src/A.Codeunit.al": "codeunit 1 A {}\n", "src/B.Codeunit.al": "codeunit 2 B {}\n" },
  });
  const { call } = await world.client();
  const { data, text, isError } = await call("workflow_start", { workflow_type: "printed" });
  expect(isError, text).toBe(false);
  return { call, data, named: data.next_call.arguments, session: data.session_id };
}

describe("topics of a report", () => {
  test("that the knowledge does not have are kept with their description", async () => {
    const { call, named } = await open();
    const reported = await call("workflow_progress", {
      ...named,
      status: "completed",
      expand_checklist: [
        { topic_id: "dean-debug/sift-patterns", relevance_score: 0.95, description: "SIFT optimization patterns" },
        { topic_id: "performance/setloadfields", relevance: "0.87" },
      ],
    });
    expect(reported.data.expanded).toEqual(["dean-debug/sift-patterns", "performance/setloadfields"]);
    expect(reported.data.next_action).toMatchObject({
      action: "apply_topic",
      topic_id: "dean-debug/sift-patterns",
      instruction: expect.stringContaining("Apply topic: SIFT optimization patterns"),
      tool_call: { tool: "retrieve_bc_knowledge", args: { topic_id: "dean-debug/sift-patterns" } },
    });
    expect(reported.data.dropped).toBeUndefined();
  });

  test("one that is unknown, without an id or not relevant enough is named, and the rest is recorded", async () => {
    const { call, named } = await open();
    const reported = await call("workflow_progress", {
      ...named,
      status: "completed",
      findings: [{ line: 1, severity: "warning", description: "Odd." }],
      expand_checklist: [
        { topic_id: "performance/setloadfeilds", relevance_score: 0.9 },
        { relevance_score: 0.9 },
        { topic_id: "errors/silent-abort", relevance_score: 0.2 },
        { topic_id: "performance/setloadfields", relevance_score: 0.87 },
      ],
    });
    expect(reported.isError, reported.text).toBe(false);
    expect(reported.data.expanded).toEqual(["performance/setloadfields"]);
    expect(reported.data.dropped).toEqual([
      { topic_id: "performance/setloadfeilds", why: "there is no such topic; did you mean `performance/setloadfields`?" },
      { topic_id: "", why: "it has no `topic_id`" },
      { topic_id: "errors/silent-abort", why: "relevance 0.2 is below 0.6" },
    ]);
    expect(reported.data.next_action).toMatchObject({ action: "apply_topic", topic_id: "performance/setloadfields" });
  });

  test("are those of any configured tool, which brings them too", async () => {
    const { call, data, named } = await open("review_server.find_topics");
    expect(data.next_action.tool_call).toEqual({ tool: "review_server.find_topics", args: { file_path: "src/A.Codeunit.al" } });
    expect(data.next_action.available_actions).toEqual(["analyze_file", "expand_checklist"]);
    const reported = await call("workflow_progress", { ...named, status: "completed", expand_checklist: [{ topic_id: "house/rule-7" }] });
    expect(reported.data.expanded).toEqual(["house/rule-7"]);
    expect(reported.data.next_action).toMatchObject({
      available_actions: ["apply_topic", "record_finding"],
      tool_call: { tool: "review_server.find_topics", args: { topic_id: "house/rule-7" } },
    });
  });
});

test("a finding, severity, line or path that cannot be read is named, and the rest of the report is recorded", async () => {
  const { call, named, session } = await open();
  const reported = await call("workflow_progress", {
    ...named,
    status: "completed",
    findings: [
      { line: 45, severity: "warning", description: "Manual summation." },
      { line: 46, severity: "blocker", description: "Grave in other words." },
      { severity: "info" },
      { file: "src/Other.al", severity: "info", description: "Not of the run." },
      { file: ".\\src\\B.Codeunit.al", line: "78", severity: "Info", description: "Of another file." },
      { line: "45-52", description: "A span." },
    ],
    proposed_changes: [
      { line_start: 45, proposed_code: "x", impact: "huge", auto_applicable: "yes" },
      { line_start: 1, original_code: "y" },
    ],
  });
  expect(reported.isError, reported.text).toBe(false);
  expect(reported.data.left_out.map(({ part }: { part: string }) => part)).toEqual([
    "findings[1].severity",
    "findings[2]",
    "findings[3]",
    "findings[5].line",
    "proposed_changes[0].impact",
    "proposed_changes[0].auto_applicable",
    "proposed_changes[1]",
  ]);
  expect(reported.text).toContain("`src/Other.al` is not a file of this run");
  expect(reported.data.next_action).toMatchObject({ action: "validate_file" });
  const { data } = await call("workflow_status", { session_id: session, include_all_files: true });
  expect(data.summary).toMatchObject({
    total_findings: 4,
    findings_by_severity: { critical: 0, error: 0, warning: 2, info: 2 },
    total_proposed_changes: 1,
  });
  expect(data.files.map(({ findings_count }: { findings_count: number }) => findings_count)).toEqual([3, 1]);
});

test("a report of which nothing can be read says so, and the analysis stays open", async () => {
  const { call, named, session } = await open();
  const reported = await call("workflow_progress", { ...named, status: "completed", findings: [{ severity: "info" }] });
  expect(reported).toMatchObject({ isError: true, data: { error: { code: "ENGINE_NO_RESULT" } } });
  expect(reported.text).toContain("findings[0]: it has no `description`");
  expect((await call("workflow_next", { session_id: session })).data.next_action.action).toBe("analyze_file");
});

test.each([
  ["json", /^\{[^]*"workflow_type":\s*"error-to-errorinfo-migration"[^]*\}\s*$/],
  ["html", /^<!doctype html>[^]*<\/html>\s*$/i],
])("a report in %s comes with the reply, in pages when it is large", async (report_format, whole) => {
  world = await openChecklistWorld({ workflows: ["error-to-errorinfo-migration"], sample: "sample-al-app" });
  const { call } = await world.client();
  const { data } = await call("workflow_start", { workflow_type: "error-to-errorinfo-migration" });
  const { session_id } = data;
  const dry = await call("workflow_batch", { session_id, operation: "skip_instances", reason: "stays as it is" });
  await call("workflow_batch", dry.data.later.arguments);
  const done = await call("workflow_complete", { session_id, report_format });
  expect(done.data).toMatchObject({ status: "completed", report_format });
  expect(done.data.truncated, "one reply has no room for it").toBeDefined();
  const { report } = (await wholeData(call, done)) as { readonly report: string };
  expect(report).toMatch(whole);
  expect(report, "what is in the file").toBe(await readFile(String(done.data.report_path), "utf8"));
});

test("an instance has one type name in every reply and file, with the precise one beside it", async () => {
  const text =
    "codeunit 1 A\n{\n    procedure Run()\n    begin\n        Error(MissingErr);\n    end;\n\n    var\n        MissingErr: Label 'Missing';\n}\n";
  world = await openChecklistWorld({
    workflows: ["error-to-errorinfo-migration"],
    files: { "app.json": '{ "runtime": "13.0" }', "src/A.Codeunit.al": text },
  });
  const { call } = await world.client();
  const started = await call("workflow_start", { workflow_type: "error-to-errorinfo-migration" });
  const { session_id } = started.data;
  const named = { instance_type: "text_constant", precise_type: "label" };
  expect(Object.keys(started.data.analysis_summary.by_type)).toEqual(["text_constant"]);
  const groups = await call("workflow_batch", { session_id, operation: "group_by_type" });
  expect(groups.data.groups).toMatchObject([named]);
  for (const type of Object.values(named)) {
    const dry = await call("workflow_batch", { session_id, operation: "skip_instances", reason: "r", filter: { instance_type: type } });
    expect(dry.data).toMatchObject({ preview: { by_instance_type: { text_constant: 1 } }, sample_instances: [named] });
  }
  const next = await call("workflow_progress", { ...started.data.next_call.arguments, result: "review_by_file" });
  expect(next.data.next_action).toMatchObject(named);
  const last = await call("workflow_progress", { ...next.data.next_call.arguments, status: "skipped", skip_reason: "stays" });
  expect(last.data.status, last.text).toBe("ready_for_completion");
  const { context } = world.engine;
  const handle = await context.runs.open(session_id);
  const pieces: string[] = [];
  for await (const piece of sessionJson(
    await gatherFacts(context, session_id),
    withMatchContext(context, handle, checklistRows(context, handle)),
  ))
    pieces.push(piece);
  const [file] = JSON.parse(pieces.join("")).file_inventory;
  expect(file.checklist.find(({ type }: { type: string }) => type === "pattern_instance").pattern_match).toMatchObject({
    ...named,
    match_context: text.split("\n").slice(2, 7).join("\n"),
  });
  const report = JSON.parse((await call("workflow_complete", { session_id, report_format: "json" })).data.report);
  expect(report.skipped).toMatchObject([named]);
});
