/** The lines of what is over while a run is driven: one for each try, in the author's words, whatever the workflow is written in. */
import { afterEach, expect, test } from "vitest";
import { openCliBench, type CliBench, type CliResult } from "../../../test/process/cli-world.ts";
import { smallBot } from "../../../test/support/bot-sample.ts";
import { oldCalls } from "../../../test/support/checklist-sample.ts";
import { plan, reported } from "../../../test/support/scripted-team.ts";

let bench: CliBench;
afterEach(() => bench.close());

const ids = '"run_id":"(?<run>[^"]+)","action_id":"(?<action>[^"]+)"';
const report = (given: object) => ({ call: { tool: "workflow_progress", with: { run_id: "$<run>", action_id: "$<action>", ...given } } });
const script = (...turns: object[]): string => JSON.stringify({ turns });

async function drive(files: Record<string, string>, workflow: string, more: readonly string[] = []): Promise<CliResult> {
  bench = await openCliBench(files);
  await bench.run(["allow", workflow], { terminal: true, typed: ["y"] });
  const end = await bench.run(["run", workflow, "--agent", "script:agent.json", "--permission", "edit", ...more]);
  expect(end.stderr).toBe("");
  return end;
}

const over = ({ stdout }: CliResult): readonly string[] => stdout.split("\n").filter((line) => /^[✓✗-] /.test(line));

test("a task is done when its check says so; steps in loops are numbered", async () => {
  const flow = `name: flow
description: A check and a loop
version: "1.0.0"
steps:
  - { id: job, type: agent_task, prompt: Do the job., done_when: "test -f done.txt", on_error: retry, retry_count: 1 }
  - id: each
    type: foreach
    items: [a, b]
    steps: [{ id: spell, type: agent_task, prompt: "Spell {{ item }}." }]
  - { id: last, type: agent_task, prompt: Try., done_when: "exit 3" }
`;
  const agent = script(
    { match: "job[^]*last try failed", do: [{ write: { file: "done.txt", text: "x" } }, { say: "ok" }] },
    { do: [{ say: "ok" }] },
  );
  const end = await drive({ ".waymark/workflows/flow.yaml": flow, "agent.json": agent }, "flow");
  expect(over(end)).toEqual([
    "✗ job failed, trying again: The command of `done_when` ended with exit code 1.",
    "✓ job",
    "✓ each.spell",
    "✓ each.spell (2)",
    "✗ last failed: The command of `done_when` ended with exit code 3.",
  ]);
  expect(end.stdout).not.toMatch(/: ended|nobody works|\$check/);
});

test("steps of tasks are named with their task", async () => {
  const both = `name: both
description: Two tasks
version: "1.0.0"
steps: [{ id: both, type: parallel_foreach, items: [{ id: one }, { id: two }], sub_agent_task: job }]
sub_agent_tasks: { job: { steps: [{ id: do_it, type: agent_task, prompt: "Do {{ item.id }}." }] } }
`;
  const agent = script({ match: "Do two", error: "No." }, { do: [{ say: "ok" }] });
  const lines = over(await drive({ ".waymark/workflows/both.yaml": both, "agent.json": agent }, "both"));
  expect(lines.toSorted()).toEqual(["✓ both.do_it (one)", "✗ both.do_it (two) failed: No."]);
});

test("what is done for the items of a fan_out is named with its place and the item", async () => {
  const child = `name: one-file
description: One file
inputs: { file: { type: string, required: true } }
nodes:
  - { id: size, bash: "test $INPUTS.file != src/b.ts" }
  - { id: look, depends_on: [size], prompt: "Look at $INPUTS.file." }
`;
  const fan = `name: fan
description: All files
nodes:
  - { id: list, bash: 'echo "[\\"src/a.ts\\",\\"src/b.ts\\",\\"src/${"long/".repeat(20)}c.ts\\"]"' }
  - { id: each, depends_on: [list], workflow: one-file, fan_out: { items: "$list.output", as: file } }
`;
  const graphs = { ".archon/workflows/fan.yaml": fan, ".archon/workflows/one-file.yaml": child };
  const end = await drive({ ...graphs, "agent.json": script({ do: [{ say: "ok" }] }) }, "fan", ["--workers", "2"]);
  const long = "3: src/long/long/long/...ong/long/long/c.ts";
  expect(
    over(end)
      .filter((line) => line !== "✓ list")
      .toSorted(),
  ).toEqual([
    "✓ one-file/look (1: src/a.ts)",
    `✓ one-file/look (${long})`,
    "✓ one-file/size (1: src/a.ts)",
    `✓ one-file/size (${long})`,
    "✗ one-file/size (2: src/b.ts) failed: The command of `one-file/size` ended with exit code 1.",
  ]);
});

test("rounds of a loop are numbered, and its limit is the only failure", async () => {
  const until = `name: until
description: Rounds.
loop: { until: GREEN, max_iterations: 3 }
prompt: Fix one test.
`;
  const end = await drive({ ".archon/workflows/until.yaml": until, "agent.json": script({ do: [{ say: "One." }] }) }, "until");
  expect(over(end)).toEqual(["✓ loop", "✓ loop (2)", "✓ loop (3)", "✗ The run failed: 3 rounds without `GREEN`."]);
  expect(end.stdout).toMatch(/\nloop \(task\)\n[^]*\nfailed\n/);
});

test("tasks and roles of a machine", async () => {
  const machine = `machine: notes
description: Writes notes.
inputs: { request: string }
start: FIX
roles: { Writer: { title: Writes., instructions: writer.md, output: plain } }
states:
  FIX:
    do: [{ task: fix, prompt: Fix it., done_when: "test -f done.txt", retries: 1, permission: edit }]
    next: WRITE
  WRITE: { do: [{ dispatch: Writer }, { finish: true }], next: end }
done: { rules: [{ when: machine.roles.Writer > 0, message: Nobody has written. }] }
`;
  const agent = script(
    { match: "Fix it[^]*last try failed", do: [{ write: { file: "done.txt", text: "x" } }, { say: "ok" }] },
    { match: "Fix it", do: [{ say: "ok" }] },
    { do: [{ say: "hm" }] },
  );
  const files = { ".waymark/workflows/notes.machine.yaml": machine, ".waymark/workflows/writer.md": "Write.", "agent.json": agent };
  const end = await drive(files, "notes", ["--input", "request=Now"]);
  const why = "It was asked once more, and still: The step `Writer:meta` is not reported.";
  expect(over(end)).toEqual([
    "✗ fix failed, trying again: The command of `done_when` ended with exit code 1.",
    "✓ fix",
    `✗ Writer:meta failed, trying again: ${why}`,
    `✗ Writer:meta failed, trying again: ${why}`,
    `✗ Writer:meta failed: ${why}`,
  ]);
});

test("every role that worked on a task of a machine is told once", async () => {
  const machine = `machine: parts
description: Makes parts and has them tested.
inputs: { request: string }
start: PLAN
artifacts: { tasks: { form: tasks } }
roles:
  Planner: { title: Plans., instructions: role.md, writes: [tasks] }
  Coder: { title: Codes., instructions: role.md, writes: ["src/**"] }
  Tester: { title: Tests., instructions: role.md }
states:
  PLAN: { do: [{ dispatch: Planner, leaves: [tasks] }, { take_tasks: tasks }], next: LOOP }
  LOOP:
    each: tasks
    start: CODE
    states:
      CODE: { do: [{ dispatch: Coder }], next: TEST }
      TEST: { do: [{ dispatch: Tester }, { promote: task, to: completed }], next: end }
    next: DONE
  DONE: { do: [{ finish: true }], next: end }
done: { tasks: true }
`;
  const tell = (artifacts: object = {}) => report({ result: reported("OK", "Done.", { artifacts: artifacts as never }) });
  const agent = script(
    { match: `You are Planner[^]*"session":"(?<s>[^"]+)"[^]*${ids}`, do: [{ write: { file: "$<s>/tasks.yaml", text: plan() } }, tell()] },
    { match: `You are Coder[^]*${ids}`, do: [tell({ patch_summary: ["made it"] })] },
    { match: ids, do: [tell()] },
  );
  const files = { ".waymark/workflows/parts.machine.yaml": machine, ".waymark/workflows/role.md": "Work.", "agent.json": agent };
  const end = await drive(files, "parts", ["--input", "request=Now"]);
  const roles = ["✓ Coder:T-001", "✓ Tester:T-001", "✓ Coder:T-002", "✓ Tester:T-002"];
  expect(over(end)).toEqual(["✓ Planner:meta", ...roles]);
});

test("entries of a checklist are named by their file and place, and fail once", async () => {
  const convert = `convert_instance (?<file>(?=a)\\S+?):\\d[^]*?\\nold\\((?<args>[^)]*)\\)[^]*${ids}`;
  const claimed = report({ status: "completed" });
  const agent = script(
    { match: convert, do: [{ write: { file: "$<file>", text: "fresh($<args>);\n" } }, claimed] },
    { match: ids, do: [claimed] },
  );
  const workflow = oldCalls.replace(/.*batch_auto.*\n/, "");
  const files = { ".waymark/workflows/old-calls.workflow.yaml": workflow, "a.js": "old(a, 1);\n", "b.js": "old(b, 1);\n" };
  const end = await drive({ ...files, "agent.json": agent }, "old-calls");
  const lines = over(end);
  expect(lines.filter((line) => line.includes(".js"))).toEqual([
    "✓ a.js:1:1",
    "✗ b.js:1:1 is not done, trying again",
    "✗ b.js:1:1 is not done, trying again",
    "✗ b.js:1:1 failed: It is still there after 3 reports that it was converted.",
  ]);
  expect(end.stdout).not.toMatch(/The run failed|\bi[0-9a-f]{12}\b/);
});

test("actions of a bot are done when they are recorded; one that waits for a person is not", async () => {
  const auto = { workflow: true, auto_progress: true };
  const bot = smallBot({
    "base_actions/gather/action_config.json": JSON.stringify({ ...auto, name: "gather", order: 1, next_action: "render" }),
  });
  const agent = script({ match: ids, do: [report({ result: "Did it." })] });
  const end = await drive({ ...bot, "agent.json": agent }, "small_bot", ["--input", "project_area=area"]);
  expect(over(end).filter((line) => line.includes("shape"))).toEqual(["✓ shape.gather", "✓ shape.render"]);
  expect(end.stdout).toContain("? shape.check: Did it. Is it done?");
});
