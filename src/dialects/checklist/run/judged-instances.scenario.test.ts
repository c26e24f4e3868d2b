import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { TestClient, ToolReply } from "../../../../test/process/mcp-client.ts";
import { openCliBench, type CliBench } from "../../../../test/process/cli-world.ts";
import { parseChecklist } from "../definition/index.ts";
import { openChecklistWorld, type ChecklistWorld } from "../../../../test/support/checklist-world.ts";

let world: ChecklistWorld | undefined;
let bench: CliBench | undefined;
afterEach(async () => {
  await world?.close();
  await bench?.close();
  [world, bench] = [undefined, undefined];
});

const judging = `type: judging
name: "Judging"
description: "Looks for calls of eval."
file_patterns: ["**/*.js"]
phases:
  - { id: inventory, name: Inventory, description: d, required: true }
  - { id: scan, name: Scan, description: d, required: true }
  - { id: review, name: Review, description: d, required: true, available_actions: [judge_instance, record_finding] }
  - { id: summary, name: Summary, description: d, required: true }
per_file_checklist:
  - { id: scan, type: analysis, description: "Scan", required: true, by: engine }
  - { id: review_complete, type: validation, description: "All judged", required: true, by: engine }
topic_discovery: { enabled: false }
pattern_discovery:
  instances: confirm
  patterns:
    - id: evil
      name: "Code from text"
      description: "A text is run as code."
      regex: "eval\\\\([^)]*\\\\)"
      severity: error
      category: security
      instance_classifier:
        rules: [{ name: call, pattern: "eval", suggested_action: "Parse the data." }]
completion_rules: { require_all_files: true, require_all_checklist_items: true, allow_skip_with_reason: false }
`;

const source = "run(eval(a));\nrun(eval(b));\nrun(eval(c));\n";
type Call = TestClient["call"];

async function begun(options?: object): Promise<{ readonly call: Call; readonly session: string; readonly started: ToolReply }> {
  const definitions = { ".waymark/workflows/judging.workflow.yaml": judging };
  world = await openChecklistWorld({ workflows: [], definitions, files: { "a.js": source } });
  const { call } = await world.client();
  const started = await call("workflow_start", { workflow: "judging", ...(options === undefined ? {} : { options }) });
  return { call, session: started.data.session_id, started };
}

const finding = { description: "Anybody can run code here." };
const confirm = { completed_action: { action: "judge_instance", status: "confirmed" }, findings: [finding] };
const dismiss = { completed_action: { status: "dismissed", skip_reason: "The text is a constant." } };
const idOf = ({ data }: ToolReply): string => data.next_call.arguments.action_id;
const fileOf = (): string => join(world?.folder ?? "", "a.js");

test("an instance is confirmed as a finding or dismissed with a reason; nothing asks for an edit, and nothing is still there", async () => {
  const { call, session, started } = await begun();
  const first = started.data.next_action;
  expect(first).toMatchObject({ action: "judge_instance", file: "a.js", line: 1, match_text: "eval(a)" });
  expect(started.text).toContain("Is this a real finding? Judge it, change no file. Code from text: A text is run as code.");
  expect(started.data.fill_in.status).toBe("confirmed + findings [{severity, description}], or dismissed + skip_reason");
  expect(`${started.text}${JSON.stringify(started.data)}`).not.toMatch(/convert|Parse the data/);
  const second = await call("workflow_progress", { session_id: session, ...confirm });
  expect(second.data.next_action).toMatchObject({ action: "judge_instance", line: 2 });
  const third = await call("workflow_progress", { session_id: session, ...dismiss });
  expect(third.data.next_action).toMatchObject({ action: "judge_instance", line: 3 });
  // In the words of every entry.
  const last = await call("workflow_progress", {
    session_id: session,
    status: "completed",
    findings: [{ ...finding, severity: "critical" }],
  });
  expect(last.data.next_action).toMatchObject({ action: "complete_workflow" });
  for (const { text } of [second, third, last]) expect(text).not.toMatch(/still there|convert/);
  expect(await readFile(fileOf(), "utf8")).toBe(source);
  const { data } = await call("workflow_status", { session_id: session });
  expect(data.progress).toMatchObject({ instances_confirmed: 2, instances_dismissed: 1, instances_failed: 0, instances_remaining: 0 });
  expect(data.metrics.confirmed_rate).toBe(0.667);
  const done = await call("workflow_complete", { session_id: session, report_format: "json" });
  expect(done.data.summary).toMatchObject({
    instances_confirmed: 2,
    instances_dismissed: 1,
    findings_by_severity: { critical: 1, error: 1 },
  });
  expect(done.data.summary).not.toHaveProperty("instances_converted");
  expect(done.text).toContain("2 of 3 instances confirmed, 1 dismissed");
  const { findings, summary, skipped } = JSON.parse(done.data.report ?? (await readFile(done.data.report_path, "utf8")));
  expect(summary).toMatchObject({ instances_confirmed: 2, instances_dismissed: 1, instances_fixed: 0 });
  expect(findings).toContainEqual(
    expect.objectContaining({ file: "a.js", line: 1, severity: "error", category: "security", suggestion: "Parse the data.", ...finding }),
  );
  expect(skipped).toMatchObject([{ file: "a.js", line: 2, reason: "The text is a constant." }]);
});

test("a judgement without its finding or its reason is refused and changes nothing", async () => {
  const { call, session } = await begun();
  const bare = await call("workflow_progress", { session_id: session, status: "confirmed" });
  expect(bare.isError).toBe(true);
  expect(bare.text).toContain("A confirmed instance needs its finding.");
  const without = await call("workflow_progress", { session_id: session, status: "dismissed" });
  expect(without.text).toContain("A dismissed instance needs its reason.");
  const converted = await call("workflow_progress", {
    session_id: session,
    completed_action: { action: "convert_instance", status: "completed" },
  });
  expect(converted.text).toContain("`convert_instance` is not what is open");
  const { data } = await call("workflow_status", { session_id: session });
  expect(data.progress).toMatchObject({ instances_confirmed: 0, instances_dismissed: 0, instances_remaining: 3 });
  expect(data.metrics.confirmed_rate).toBeNull();
});

test("a confirmed place stays confirmed when its file changes, and is not handed out again", async () => {
  const { call, session } = await begun();
  await call("workflow_progress", { session_id: session, ...confirm });
  await call("workflow_progress", { session_id: session, ...dismiss });
  await writeFile(fileOf(), `// A line more.\n${source}run(eval(d));\n`);
  const added = await call("workflow_progress", {
    session_id: session,
    completed_action: { ...dismiss.completed_action, skip_reason: "c" },
  });
  expect(added.data.next_action).toMatchObject({ action: "judge_instance", line: 5, match_text: "eval(d)" });
  const end = await call("workflow_progress", { session_id: session, ...confirm, action_id: idOf(added) });
  expect(end.data.next_action.action).toBe("complete_workflow");
  const { data } = await call("workflow_status", { session_id: session });
  expect(data.progress).toMatchObject({ instances_total: 4, instances_confirmed: 2, instances_dismissed: 2, files_completed: 1 });
});

test("with options.fix what is confirmed is converted afterwards and settled by the file", async () => {
  const { call, session, started } = await begun({ fix: true });
  expect(started.data.next_action.action).toBe("judge_instance");
  const fix = await call("workflow_progress", { session_id: session, ...confirm });
  expect(fix.data.next_action).toMatchObject({ action: "convert_instance", line: 1, instruction: "Parse the data." });
  expect(fix.text).not.toContain("still there");
  const lie = await call("workflow_progress", { session_id: session, status: "completed" });
  expect(lie.data.next_action).toMatchObject({ action: "convert_instance", line: 1 });
  expect(lie.text).toContain("still there");
  await writeFile(fileOf(), source.replace("eval(a)", "parse(a)"));
  const second = await call("workflow_progress", { session_id: session, status: "completed", action_id: idOf(lie) });
  expect(second.data.next_action).toMatchObject({ action: "judge_instance", line: 2 });
  const third = await call("workflow_progress", { session_id: session, ...dismiss });
  const end = await call("workflow_progress", { session_id: session, ...dismiss, action_id: idOf(third) });
  expect(end.data.next_action.action).toBe("complete_workflow");
  const { data } = await call("workflow_status", { session_id: session });
  expect(data.progress).toMatchObject({ instances_confirmed: 1, instances_dismissed: 2 });
  const done = await call("workflow_complete", { session_id: session });
  expect(done.text).toContain("1 of 3 instances confirmed (1 fixed), 2 dismissed");
});

test("fix is refused where nothing is judged, and where it is no yes or no", async () => {
  const { call } = await begun();
  const wrong = await call("workflow_start", { workflow: "judging", inputs: { options: { fix: "yes" } } });
  expect(wrong.text).toContain("it is true or false");
});

test("confirmed and dismissed are words for judgements alone", async () => {
  const definitions = { ".waymark/workflows/judging.workflow.yaml": judging.replace("  instances: confirm\n", "") };
  world = await openChecklistWorld({ workflows: [], definitions, files: { "a.js": source } });
  const { call } = await world.client();
  const idle = await call("workflow_start", { workflow: "judging", options: { fix: true } });
  expect(idle.text).toContain("`judging` judges nothing");
  const { data } = await call("workflow_start", { workflow: "judging" });
  expect(data.next_action.action).toBe("convert_instance");
  const refused = await call("workflow_progress", { session_id: data.session_id, ...dismiss });
  expect(refused.isError).toBe(true);
  expect(refused.text).toContain("`dismissed` is for an instance that is judged.");
});

test("instances that are judged and a batch that fixes them exclude each other", () => {
  const batch = judging.replace(
    "  - { id: review,",
    "  - { id: batch_auto, name: Batch, description: d, required: false }\n  - { id: review,",
  );
  const parsed = parseChecklist({ path: "judging.workflow.yaml", text: batch }, { source: "project" });
  const errors = parsed.diagnostics.filter(({ severity }) => severity === "error");
  expect(errors).toMatchObject([{ code: "CHECKLIST_CONFLICTING_KEYS", fix: expect.stringContaining("instances: convert") }]);
});

test("what the team has settled by a comment is counted in start, status and report, and never handed out", async () => {
  const definitions = {
    ".waymark/workflows/judging.workflow.yaml": judging.replace(
      "      severity: error\n",
      "      severity: error\n      same_as: [eslint/no-eval]\n",
    ),
  };
  const files = {
    "a.js": "run(eval(a)); // eslint-disable-line no-eval\nrun(eval(b)); // waymark-ignore evil b is a constant\nrun(eval(c));\n",
  };
  world = await openChecklistWorld({ workflows: [], definitions, files });
  const { call } = await world.client();
  const started = await call("workflow_start", { workflow: "judging" });
  expect(started.data.analysis_summary).toMatchObject({ total_instances: 1, instances_suppressed: 2 });
  expect(started.text).toContain("2 suppressed by the team");
  expect(started.data.next_action).toMatchObject({ line: 3 });
  const session = started.data.session_id;
  // The agent settles the last one by a comment of its own while it holds it: a later look at the file counts that too.
  await writeFile(fileOf(), files["a.js"].replace("(c));", "(c)); // waymark-ignore evil c is checked"));
  await call("workflow_progress", { session_id: session, ...dismiss });
  const { data } = await call("workflow_status", { session_id: session });
  expect(data.progress).toMatchObject({ instances_total: 1, instances_suppressed: 3, instances_dismissed: 1 });
  const done = await call("workflow_complete", { session_id: session, report_format: "json" });
  expect(done.data.summary).toMatchObject({ instances_suppressed: 3 });
  expect(done.text).toContain("3 suppressed by the team");
});

test("on the command line a judgement is reported by done with a finding, or by skip; status and report say confirmed and dismissed", async () => {
  bench = await openCliBench({ ".waymark/workflows/judging.workflow.yaml": judging, "a.js": source });
  const run = String((await bench.json(["start", "judging"]))["run_id"]);
  const shown = await bench.run(["next", run]);
  expect(shown.stdout).toContain("Do    judge_instance: call");
  expect(shown.stdout).toContain(`--result '{"findings":[{"severity":"error","description":"<what is wrong>"}]}'`);
  expect(shown.stdout).not.toMatch(/convert|Parse the data/);
  const bare = await bench.run(["done", run]);
  expect(bare.stderr).toContain("A confirmed instance needs its finding.");
  await bench.run(["done", run, "--result", JSON.stringify({ findings: [finding] })]);
  await bench.run(["skip", run, "--reason", "A constant."]);
  await bench.run(["skip", run, "--reason", "A constant too."]);
  const status = await bench.run(["status", run]);
  expect(status.stdout).toContain("1 of 3 confirmed, 2 dismissed");
  const report = await bench.run(["report", run]);
  expect(report.stdout).toMatch(/Confirmed\W+1/);
  expect(report.stdout).toMatch(/Dismissed \(with reasons\)\W+2/);
});

test("a comment that settles the place in hand does not count as a conversion", async () => {
  const definitions = { ".waymark/workflows/judging.workflow.yaml": judging.replace("  instances: confirm\n", "") };
  world = await openChecklistWorld({ workflows: [], definitions, files: { "a.js": "run(eval(a));\n" } });
  const { call } = await world.client();
  const { data } = await call("workflow_start", { workflow: "judging" });
  await writeFile(fileOf(), "run(eval(a)); // waymark-ignore evil a is checked\n");
  const end = await call("workflow_progress", { session_id: data.session_id, status: "completed" });
  expect(end.data.next_action.action).toBe("complete_workflow");
  const done = await call("workflow_complete", { session_id: data.session_id });
  expect(done.data.summary).toMatchObject({ instances_suppressed: 1, manually_reviewed: 0, auto_fixed: 0 });
});
