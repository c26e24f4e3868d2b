/** Numbers of replies are true, whatever became of files, entries and instances: read over MCP, as an agent reads them. */
import { afterEach, describe, expect, test } from "vitest";
import type { TestClient, ToolReply } from "../process/mcp-client.ts";
import { openChecklistWorld, type ChecklistWorld } from "../support/checklist-world.ts";

let world: ChecklistWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

type Call = TestClient["call"];

const review = (rules: string): string => `type: plain-review
name: Plain review
description: Looks at every file.
file_patterns: ["src/**/*.al"]
phases:
  - { id: inventory, name: Inventory, required: true }
  - { id: review, name: Review, required: true, available_actions: [validate_file] }
  - { id: summary, name: Summary, required: true }
per_file_checklist:
  - { id: style, type: custom, description: "Look at the style.", required: true }
  - { id: review_complete, type: validation, description: "Say that it is done.", required: true }
completion_rules: ${rules}
`;
const all = "{ require_all_files: true, require_all_checklist_items: true, allow_skip_with_reason: true }";
const few = "{ require_all_files: false, require_all_checklist_items: false, allow_skip_with_reason: true }";
const two = { "src/A.Codeunit.al": "codeunit 1 A {}\n", "src/B.Codeunit.al": "codeunit 2 B {}\n" };

async function begin(rules: string): Promise<{ readonly call: Call; readonly session: string; readonly started: ToolReply }> {
  world = await openChecklistWorld({
    workflows: [],
    definitions: { ".waymark/workflows/plain-review.workflow.yaml": review(rules) },
    files: two,
  });
  const { call } = await world.client();
  const started = await call("workflow_start", { workflow_type: "plain-review" });
  return { call, session: started.data.session_id, started };
}

/** Reports whatever is open until no file is: each entry as `said` says. */
async function reportAll(call: Call, first: ToolReply, said: (file: string) => Record<string, unknown>): Promise<ToolReply> {
  let last = first;
  for (let calls = 0; last.data.next_action?.file !== undefined && calls < 200; calls += 1) {
    last = await call("workflow_progress", { ...last.data.next_call.arguments, ...said(last.data.next_action.file) });
    expect(last.isError, last.text).toBe(false);
  }
  return last;
}

const skip = { status: "skipped", skip_reason: "no time" };

describe("what was skipped", () => {
  test("a file of which every entry was skipped is skipped, in every reply and in the report", async () => {
    const { call, session, started } = await begin(all);
    const end = await reportAll(call, started, (file) => (file === "src/A.Codeunit.al" ? skip : { status: "completed" }));
    expect(end.data).toMatchObject({
      status: "ready_for_completion",
      progress: { files_completed: 1, files_skipped: 1, files_total: 2, percent_complete: 100 },
    });
    const listed = await call("workflow_status", { session_id: session, include_all_files: true });
    expect(listed.data.files.map(({ path, status }: Record<string, string>) => [path, status])).toEqual([
      ["src/A.Codeunit.al", "skipped"],
      ["src/B.Codeunit.al", "completed"],
    ]);
    expect(listed.data.metrics.coverage).toBe(0.5);
    const done = await call("workflow_complete", { session_id: session });
    expect(done.data.summary).toMatchObject({ files_reviewed: 1, files_skipped: 1 });
    expect(done.text).toContain("1 of 2 files completed, 1 skipped");
    expect(done.data.report).toContain("| no time |");
  });

  test("a run in which everything was skipped has no phase that was completed by an agent", async () => {
    const { call, session, started } = await begin(all);
    await reportAll(call, started, () => skip);
    const done = await call("workflow_complete", { session_id: session });
    expect(done.data.summary).toMatchObject({ files_reviewed: 0, files_skipped: 2 });
    expect(done.data.report).toContain("| Review | guided | yes | skipped |");
  });
});

test("an early end with nothing done reports nothing as done", async () => {
  const { call, session } = await begin(few);
  const done = await call("workflow_complete", { session_id: session });
  expect(done.data).toMatchObject({ status: "completed", summary: { files_reviewed: 0, files_skipped: 2 } });
  expect(done.text).toContain("0 of 2 files completed, 2 skipped");
  expect(done.data.report).toContain("| Review | guided | yes | skipped |");
  expect(done.data.report).toMatch(/\| Coverage \| 0 % \|/);
  const status = await call("workflow_status", { session_id: session, include_all_files: true });
  expect(status.data).toMatchObject({
    progress: { files_completed: 0, files_skipped: 2, percent_complete: 0 },
    metrics: { coverage: 0 },
    files: [{ status: "skipped" }, { status: "skipped" }],
  });
});

test("an early end keeps what was done, and a file that waits for its end is not opened again", async () => {
  const { call, session, started } = await begin(few);
  const { arguments: named } = started.data.next_call;
  const second = await call("workflow_progress", { ...named, status: "completed" });
  await call("workflow_progress", { ...second.data.next_call.arguments, status: "completed" });
  const done = await call("workflow_complete", { session_id: session });
  expect(done.data.summary).toMatchObject({ files_reviewed: 1, files_skipped: 1 });
  const status = await call("workflow_status", { session_id: session });
  expect(status.data.progress).toMatchObject({ files_completed: 1, files_skipped: 1, percent_complete: 50 });
});

test("a blocked file has no complete checklist", async () => {
  const { call, session, started } = await begin(all);
  await reportAll(call, started, (file) =>
    file === "src/A.Codeunit.al" ? { status: "failed", error: "It cannot be parsed." } : { status: "completed" },
  );
  const listed = await call("workflow_status", { session_id: session, include_all_files: true });
  expect(listed.data.files).toMatchObject([
    { path: "src/A.Codeunit.al", status: "blocked", checklist_complete: false },
    { path: "src/B.Codeunit.al", status: "completed", checklist_complete: true },
  ]);
});

test("the reply names the file in hand in its progress too", async () => {
  const { call, session } = await begin(all);
  const next = await call("workflow_next", { session_id: session });
  expect(next.data.progress.current_file).toBe("src/A.Codeunit.al");
});

const calls = (...lines: readonly string[]): string =>
  `codeunit 1 A\n{\n    procedure Run(Amount: Decimal)\n    begin\n${lines.map((line) => `        ${line}\n`).join("")}    end;\n\n    var\n        MissingErr: Label 'Customer is missing';\n}\n`;

async function migrate(files: Readonly<Record<string, string>>, processing: Record<string, unknown> = {}) {
  world = await openChecklistWorld({
    workflows: ["error-to-errorinfo-migration"],
    files: { "app.json": '{ "runtime": "13.0" }', ...files },
  });
  const { call } = await world.client();
  const started = await call("workflow_start", { workflow_type: "error-to-errorinfo-migration", initial_processing: processing });
  return { call, started, session: started.data.session_id as string };
}

describe("a migration", () => {
  test("without a match counts zero, and calls nothing done that nobody did", async () => {
    const { started } = await migrate(two);
    expect(started.data.file_inventory).toMatchObject({ total: 2, with_matches: 0 });
    expect(started.data.analysis_summary).toMatchObject({ files_scanned: 2, files_with_matches: 0, total_instances: 0, batch_options: [] });
    expect(started.data.autonomous_processing.phases_run).toEqual(["inventory", "scan", "verification"]);
    expect(started.data.phases).toContainEqual(expect.objectContaining({ id: "batch_auto", status: "skipped" }));
  });

  test("batch options say what they are about", async () => {
    const { started } = await migrate({
      "src/A.Codeunit.al": calls("Error('No date');", "Error(MissingErr);", "Error(GetLastErrorText());"),
    });
    expect(started.data.analysis_summary.batch_options).toEqual([
      { action: "apply_all_auto", description: "Apply auto-fixes to literal", instances: 1, files: 1 },
      { action: "review_text_constants", description: "Review text_constant", instances: 1, files: 1 },
      { action: "flag_manual", description: "Flag getlasterror", instances: 1, files: 1 },
    ]);
  });

  test("that scans each file when it is handed out counts what was scanned so far, and all of it at the end", async () => {
    const { call, started, session } = await migrate(
      { ...two, "src/A.Codeunit.al": calls("Error('No date');"), "src/C.Codeunit.al": calls("Error('No name');") },
      { scan_all_patterns: false },
    );
    expect(started.data.file_inventory).toMatchObject({ total: 3, with_matches: 1 });
    expect(started.data.analysis_summary).toMatchObject({ files_scanned: 1, files_with_matches: 1, total_instances: 1 });
    expect(started.data.analysis_summary.batch_options).toMatchObject([{ action: "apply_all_auto", instances: 1, files: 1 }]);
    expect(started.data.autonomous_processing.phases_run).toEqual(["inventory"]);
    expect(started.data.phases).toContainEqual(expect.objectContaining({ id: "scan", status: "skipped" }));
    await reportAll(call, started, () => skip);
    const done = await call("workflow_complete", { session_id: session });
    expect(done.data.report).toContain("- Files with matches: 2\n- Total instances: 2\n");
    expect(done.data.report).toContain("| Pattern Scan | autonomous | yes | completed |");
    expect(done.data.summary).toMatchObject({ files_processed: 3, instances_skipped: 2 });
  });

  test("of which a batch left nothing does not ask which way to go", async () => {
    const { call, session } = await migrate({ "src/A.Codeunit.al": calls("Error(MissingErr);", "Error('');") });
    const dry = await call("workflow_batch", { session_id: session, operation: "skip_instances", reason: "stays as it is" });
    const confirmed = await call("workflow_batch", { ...dry.data.later.arguments });
    expect(confirmed.data.note).toContain("the question which way to go is closed");
    const next = await call("workflow_next", { session_id: session });
    expect(next.data).toMatchObject({ status: "ready_for_completion", next_action: { action: "complete_workflow" } });
  });
});

test("an upgrade lists its guides, with what each looks for and has found", async () => {
  world = await openChecklistWorld({ workflows: ["bc-version-upgrade"], sample: "sample-al-app" });
  const { call } = await world.client();
  const started = await call("workflow_start", {
    workflow_type: "bc-version-upgrade",
    options: { source_version: "BC22", target_version: "BC24" },
  });
  const guides: Record<string, unknown>[] = started.data.conversion_guides;
  expect(guides).toHaveLength(started.data.version_upgrade.guides_total);
  expect(guides).toContainEqual({
    id: "bc24-no-series-conversion-guide",
    title: expect.any(String),
    source_version: "BC23",
    target_version: "BC24",
    patterns: expect.any(Number),
    instances: expect.any(Number),
  });
  const found = guides.reduce((sum, { instances }) => sum + Number(instances), 0);
  expect(found).toBe(started.data.analysis_summary.total_instances);
});

describe("an entry that asks for an analysis", () => {
  const analysis = review(all).replace("type: custom", "type: analysis");

  async function open(): Promise<{ readonly call: Call; readonly named: Record<string, unknown>; readonly session: string }> {
    world = await openChecklistWorld({
      workflows: [],
      definitions: { ".waymark/workflows/plain-review.workflow.yaml": analysis },
      files: two,
    });
    const { call } = await world.client();
    const { data } = await call("workflow_start", { workflow_type: "plain-review" });
    expect(data.fill_in.result).toContain("found nothing");
    return { call, named: data.next_call.arguments, session: data.session_id };
  }

  test("is not done by a bare completed: the answer says what is missing, and one more call with it is enough", async () => {
    const { call, named, session } = await open();
    const bare = await call("workflow_progress", { ...named, status: "completed" });
    expect(bare).toMatchObject({ isError: true, data: { error: { code: "ENGINE_NO_RESULT" } } });
    expect(bare.text).toContain("what you found, or that you found nothing");
    const { later: again, fill_in: wanted } = bare.data;
    expect(Object.keys(wanted)).toEqual(["status", "result"]);
    const done = await call(again.tool, { ...again.arguments, status: "completed", result: "Nothing was found." });
    expect(done.data.next_action).toMatchObject({ action: "validate_file", file: "src/A.Codeunit.al" });
    const { data } = await call("workflow_status", { session_id: session });
    expect(data.metrics.drift, "what is missing is not a departure from the course").toBe(0);
  });

  test.each([
    ["a finding", { findings: [{ severity: "info", description: "Odd." }] }],
    ["topics, also where there are none", { expand_checklist: [] }],
    ["a result", { result: { summary: "It is fine." } }],
    ["a proposed change", { proposed_changes: [{ proposed_code: "codeunit 3 A {}" }] }],
  ])("is done with %s", async (_what, said) => {
    const { call, named } = await open();
    const done = await call("workflow_progress", { ...named, status: "completed", ...said });
    expect(done.data.next_action, done.text).toMatchObject({ action: "validate_file" });
  });

  test("is done when something was added to it before, and an empty list of findings says nothing", async () => {
    const { call, named } = await open();
    expect((await call("workflow_progress", { ...named, status: "completed", findings: [], result: " " })).isError).toBe(true);
    await call("workflow_progress", { ...named, findings: [{ severity: "info", description: "Odd." }] });
    const done = await call("workflow_progress", { ...named, status: "completed" });
    expect(done.data.next_action, done.text).toMatchObject({ action: "validate_file" });
  });

  test("may be skipped or fail with its reason alone", async () => {
    const { call, named } = await open();
    const skipped = await call("workflow_progress", { ...named, ...skip });
    expect(skipped.data.next_action, skipped.text).toMatchObject({ action: "validate_file" });
  });
});
