/** Tasks of machines: prompts for agents without a role, over MCP. */
import { afterEach, describe, expect, test } from "vitest";
import { openClient, serverParts, type TestClient, type ToolReply } from "../../../../test/process/mcp-client.ts";
import { person } from "../../../../test/support/machine-world.ts";
import { triage } from "../../../../test/support/task-samples.ts";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";
import { answer, lineOfRun, note, whatItRuns } from "../../../engine/index.ts";
import { mainScope } from "../../../kernel/index.ts";

let engine: TestEngine;
let client: TestClient;
afterEach(async () => {
  await client.close();
  await engine.close();
});

const file = ".waymark/workflows/triage.machine.yaml";

async function begin(change: (text: string) => string = (text) => text) {
  engine = await openTestEngine({ [file]: change(triage[file] ?? "") });
  await engine.allow("triage");
  client = await openClient({ context: engine.context, ...serverParts });
  const started = await client.call("workflow_start", { workflow: "triage", inputs: { request: "the shop" } });
  const run_id = String(started.data.run_id);
  const report = (reply: ToolReply, more: object): Promise<ToolReply> =>
    client.call("workflow_progress", { run_id, action_id: reply.data.action_id, ...more });
  return { started, run_id, report };
}

const worst = { bug: "the crash", severity: "high" };

test("the prompt is the step, its result is read by conditions and later prompts, and a check that fails hands it out again", async () => {
  const { started, run_id, report } = await begin();
  expect(started.data.step).toMatchObject({ type: "agent_task", id: expect.stringContaining("find-worst") as string });
  expect(started.data.step.definition.prompt).toMatch(/^Which bug of the shop is the worst\? The session is \d{4}-\d\d-\d\d_/);
  expect(started.data.step.definition).not.toHaveProperty("state_update");
  const wrong = await report(started, { result: { bug: "the crash" } });
  expect(wrong.data.error).toMatchObject({ code: "ENGINE_TASK_RESULT" });
  const fix = await report(started, { result: worst });
  expect(fix.data.step.definition).toMatchObject({ prompt: "Fix the crash and write fix.md.", give: { bug: "the crash" } });
  const missing = await report(fix, { result: "Done." });
  expect(missing.data.error).toMatchObject({ code: "ENGINE_TASK_FILES", details: { missing: ["fix.md"] } });
  await engine.write("fix.md", "half");
  const again = await report(fix, { result: "Done." });
  expect(again.data.step.instructions).toContain("It was tried before and failed: ");
  expect(again.data.step.instructions).toContain("not fixed yet. Then report what you did.");
  await engine.write("fix.md", "fixed");
  await report(again, { result: "Repaired." });
  expect((await client.call("workflow_status", { run_id })).data).toMatchObject({ status: "completed" });
  expect((await engine.context.runs.open(run_id)).state.scopes[mainScope]?.raw).toMatchObject({ worst, changed_files: 1 });
});

test("an outcome is chosen by the result", async () => {
  const { started, run_id, report } = await begin();
  await report(started, { result: { ...worst, severity: "low" } });
  expect((await client.call("workflow_status", { run_id })).data).toMatchObject({ status: "completed" });
});

test("when its tries are used up a person decides: `retry` begins it again, `stop` ends the run", async () => {
  const { started, run_id, report } = await begin((text) => text.replace("retries: 1", "retries: 0"));
  const fix = await report(started, { result: worst });
  const asked = await report(fix, { status: "failed", error: "no idea" });
  const { context } = engine;
  const ask = async (given: string): Promise<void> => {
    const decision = Object.values((await context.runs.open(run_id)).state.decisions).find(({ status }) => status === "pending");
    expect(decision?.question).toBe("Nothing can continue: no idea\nAnswer one of `retry`, `stop`.");
    await answer(context, person, { run: run_id, decision: decision?.id ?? "", answer: given, relayed: false });
  };
  expect(asked.text).toContain("no idea");
  await ask("retry");
  const once = await client.call("workflow_next", { run_id });
  expect(once.data.step.definition.prompt).toBe("Fix the crash and write fix.md.");
  await report(once, { status: "failed", error: "no idea" });
  await ask("stop");
  expect((await client.call("workflow_next", { run_id })).data).toMatchObject({ status: "failed", error_message: "no idea" });
});

test("a person's note reaches a task by its name", async () => {
  const { started, run_id, report } = await begin();
  await note(engine.context, person, { run: run_id, text: "Look at the log first.", target: "fix" });
  expect((await client.call("workflow_next", { run_id })).text).not.toContain("Look at the log first.");
  const fix = await report(started, { result: worst });
  expect(fix.text).toContain("Look at the log first.");
});

test("what it would start is shown before it is allowed", async () => {
  await begin();
  const { program } = await engine.context.catalog.load("triage");
  expect(whatItRuns(engine.context, program!).map(lineOfRun)).toEqual([
    "agent (permission read): Which bug of {{ inputs.request }} is the worst? The session is {{ session }}.",
    "agent (permission edit): Fix {{ worst.bug }} and write fix.md.",
    "command: grep -q fixed fix.md || { echo 'not fixed yet'; exit 1; }",
  ]);
});

describe("problems of a definition", () => {
  test.each([
    ["into: worst", "into: mode", "MACHINE_RESERVED_NAME: `mode` is a name of the machine itself."],
    ["into: worst", "into: not-good", "MACHINE_BAD_NAME: `not-good` cannot be read in a condition."],
    ["task: fix", 'task: "fix it"', "MACHINE_BAD_NAME: `fix it` cannot be a name."],
    ["Fix {{ worst.bug }}", "Fix {{ wurst.bug }}", "MACHINE_UNKNOWN_NAME: Nothing is called `wurst` here."],
    ['done_when: "grep', 'done_when: "{{ nothing }} grep', "MACHINE_UNKNOWN_NAME: Nothing is called `nothing` here."],
    [
      "returns: { type: object,",
      "returns: { oneOf: [], type: object,",
      "MACHINE_BAD_VALUE: `returns` uses `oneOf`, which Waymark does not check.",
    ],
    ['        prompt: "Fix {{ worst.bug }} and write fix.md."\n', "", "MACHINE_MISSING_KEY: The step `task` needs `prompt`."],
    ["retries: 1", "retrys: 1", "MACHINE_UNKNOWN_KEY: `retrys` is not a key of the step `task`."],
    [
      "    do: [{ finish: true }]",
      "    do: [{ ask: way, question: Which?, options: { a: A }, into: worst }, { finish: true }]",
      "MACHINE_RESERVED_NAME: `worst` is what a person answers, and a task would overwrite it.",
    ],
  ])("%s as %s", async (from, to, problem) => {
    engine = await openTestEngine({ [file]: (triage[file] ?? "").replace(from, to) });
    client = await openClient({ context: engine.context, ...serverParts });
    const { diagnostics } = await engine.context.catalog.load("triage");
    expect(diagnostics.map(({ code, message }) => `${code}: ${message}`)).toContain(problem);
  });
});
