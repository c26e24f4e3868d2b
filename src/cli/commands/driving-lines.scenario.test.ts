import { afterEach, beforeEach, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../../test/process/cli-world.ts";

const chain = `name: chain
description: Says and does
version: "1.0.0"
steps:
  - { id: hello, type: user_message, message: Hello. }
  - { id: plan, type: agent_task, prompt: Plan it. }
  - { id: between, type: user_message, message: Half of it. }
  - { id: work, type: agent_task, prompt: Do it. }
  - { id: report, type: agent_shell_command, command: make, state_update: { path: raw.made } }
  - { id: bye, type: user_message, message: Bye. }
`;
const agent = String.raw`turns:
  - { match: Plan, do: [{ say: Planned. }] }
  - { match: Do it, do: [{ say: Did it. }] }
  - match: '"run_id":"(?<run>[^"]+)","action_id":"(?<action>[^"]+)"'
    do:
      - { say: Made it. }
      - { call: { tool: workflow_progress, with: { run_id: $<run>, action_id: $<action>, result: made } } }
`;

const failing = "name: failing\ndescription: Fails.\nnodes: [{ id: boom, bash: 'exit 3' }]\n";

let bench: CliBench;
beforeEach(async () => {
  bench = await openCliBench({ ".waymark/workflows/chain.yaml": chain, ".archon/workflows/failing.yaml": failing, "agent.yaml": agent });
  await bench.run(["allow", "chain"], { terminal: true, typed: ["y"] });
});
afterEach(() => bench.close());

const happened = [
  "Hello.",
  "✓ hello",
  "script:agent.yaml: Planned.",
  "✓ plan",
  "Half of it.",
  "✓ between",
  "script:agent.yaml: Did it.",
  "✓ work",
  "script:agent.yaml: Made it.",
  "✓ report",
  "Bye.",
  "✓ bye",
];

test.each([[[]], [["--jsonl"]]])("lines come in the order of what happened, without a terminal (%j)", async (flags) => {
  const { code, stdout } = await bench.run([...flags, "run", "chain", "--agent", "script:agent.yaml", "--permission", "edit"]);
  const lines = stdout.split("\n").map((line) => (line.startsWith("{") ? ((JSON.parse(line) as { text?: string }).text ?? "") : line));
  expect([code, lines.filter((line) => happened.includes(line))]).toEqual([0, happened]);
});

const one = "name: one\ndescription: One.\nnodes: [{ id: look, bash: '[ $ARGUMENTS = good ] || { echo is bad >&2; exit 3; }' }]\n";
const fan = (items: string): string =>
  `name: fan\ndescription: Several.\nnodes:\n  - { id: each, workflow: one, fan_out: { items: '${items}' } }\n  - { id: sum, depends_on: [each], bash: echo over }\n`;

const lostOf = [
  ['["good","bad","worse"]', "2 of 3 items of `each` failed", "2 of 3 failed: item 2: "],
  ['["bad","worse"]', "all 2 items of `each` failed", "2 of 2 failed: item 1: "],
] as const;

test("items that a fan_out lost are named with their reasons at the end and in the status, and counted in the items", async () => {
  for (const [items, text, why] of lostOf) {
    await bench.write(".archon/workflows/one.yaml", one);
    await bench.write(".archon/workflows/fan.yaml", fan(items));
    await bench.run(["allow", "fan", "--yes"], { terminal: true });
    const { code, stdout } = await bench.run(["run", "fan"]);
    const run = /wf-fan-[\w-]+/.exec(stdout)?.[0] ?? "";
    expect(code).toBe(1);
    const [, ending = ""] = stdout.split("Run wf-fan");
    expect(`Run wf-fan${ending}`).toContain(`Run ${run} is complete, but not everything is done: ${text}.\n`);
    expect(ending).toMatch(/\n {2}item \d of `each` \(bad\): .*is bad.*\n {2}item \d of `each` \(worse\): .*is bad/);
    expect(ending).toContain(`→ waymark status ${run}\n`);
    expect(ending).toContain("A run that is complete has no retry. A new run does all of it again: waymark run fan\n");
    const status = (await bench.run(["status", run])).stdout;
    expect(status).toContain(`2 of 2 nodes done, ${text}.\n`);
    expect(status).toMatch(/\n {2}item \d of `each` \(worse\): .*is bad/);
    expect((await bench.run(["items", run])).stdout).toContain(why);
  }
});

test("a command that fails: the lines show where it is seen, the retry, and what a change of the workflow needs", async () => {
  await bench.run(["allow", "failing", "--yes"], { terminal: true });
  const { code, stdout } = await bench.run(["run", "failing"]);
  const run = /wf-failing-[\w-]+/.exec(stdout)?.[0] ?? "";
  const lines = [`→ waymark items ${run}`, `→ when the cause is fixed: waymark retry ${run}, then waymark drive ${run}`];
  expect([code, stdout.split("\n").filter((line) => line.startsWith("→"))]).toEqual([1, lines]);
  expect((await bench.run(["items", run])).stdout).toMatch(/boom.*failed/);
  const changed = (line: string): string =>
    `\nThis run keeps the file that it began with. When you changed the workflow, start a new one: ${line}\n`;
  expect(stdout).toContain(changed("waymark run failing"));
  // Whether its driver ever held it depends on how fast the command is.
  expect((await bench.run(["status", run])).stdout.replace("waymark run failing", "waymark start failing")).toContain(
    changed("waymark start failing"),
  );
});

test("an answer leads to the line that drives the run with all options of its driver", async () => {
  const steps = "[{ id: sure, type: user_input, prompt: Sure? }, { id: plan, type: agent_task, prompt: Plan it. }]";
  const asking = `name: asking\ndescription: Asks\nversion: "1.0.0"\nsteps: ${steps}\n`;
  await bench.write(".waymark/workflows/asking.yaml", asking);
  await bench.run(["allow", "asking", "--yes"], { terminal: true });
  const options = ["--agent", "script:agent.yaml", "--permission", "edit", "--workers", "3"];
  const { code, stdout } = await bench.run(["run", "asking", ...options]);
  expect(code).toBe(3);
  const run = /wf-asking-[\w-]+/.exec(stdout)?.[0] ?? "";
  const drives = `→ waymark drive ${run} ${options.join(" ")}\n`;
  expect((await bench.run(["decide", run, "sure", "yes"])).stdout).toContain(drives);
  const status = (await bench.run(["status", run])).stdout;
  expect([status, status]).toEqual([expect.stringContaining(drives), expect.not.stringContaining("waymark next")]);
});

/** Words of the engine's own blocks and effects. */
const internal = /\$[a-z]|\b(?:begin|inventory|summarise|refresh|guides|prompts_\w+|bot_\w+|machine_\w+)\b/;

test("no line about a graph or a checklist has a name that Waymark gave to its own work", async () => {
  const nodes = [
    { id: "list", bash: "echo '[1,2]'" },
    { id: "each", depends_on: ["list"], workflow: "child", fan_out: { items: "$list.output", as: "one" } },
    {
      id: "talk",
      loop: { prompt: "Plan it.", until: "NEVER", until_bash: "exit 1", max_iterations: 2, interactive: true, gate_message: "More?" },
    },
    { id: "group", loop_group: { until_bash: "true", max_iterations: 2, nodes: [{ id: "inner", bash: "true" }] } },
    { id: "ok", depends_on: ["group"], approval: { message: "Good?", on_reject: { prompt: "Plan it.", reopens: ["group"] } } },
  ];
  await bench.write(".archon/workflows/child.yaml", "name: child\ndescription: x\nnodes: [{ id: one, prompt: Plan it. }]\n");
  await bench.write(".archon/workflows/whole.yaml", `name: whole\ndescription: x\nnodes: ${JSON.stringify(nodes)}\n`);
  await bench.write(
    ".waymark/workflows/look.workflow.yaml",
    `type: look\nname: Look\ndescription: d\nfile_patterns: ["*.txt"]\nphases:\n  - { id: files, name: I }\n  - { id: review, name: R, mode: guided }\nper_file_checklist:\n  - { id: read, type: custom, description: "Read it", by: agent }\ntopic_discovery: { enabled: false }\n`,
  );
  await bench.write("a.txt", "a\n");
  await bench.run(["allow", "whole", "look", "--yes"], { terminal: true });
  const options = ["--agent", "script:agent.yaml", "--permission", "edit"];
  const seen: string[] = [];
  const see = async (...argv: string[]): Promise<string> => {
    const { stdout, stderr } = await bench.run(argv, { terminal: false });
    seen.push(...`${stdout}${stderr}`.split("\n"));
    return stdout;
  };
  for (const workflow of ["whole", "look"]) {
    const run = /wf-[\w-]+/.exec(await see("run", workflow, ...options))?.[0] ?? "";
    if (workflow === "whole") {
      await bench.run(["decide", run, "ok", "reject"], { terminal: true, typed: ["no"] });
      await bench.run(["decide", run, "talk", "more"], { terminal: true });
      await see("drive", run, ...options);
    }
    for (const command of ["status", "items", "journal", "next"]) await see(command, run);
  }
  // The journal also has the names of values.
  const shown = seen.map((line) => line.replaceAll(/wf-[\w-]+/g, "")).filter((line) => !/^\d+ +\d{4}-/.test(line) || line.includes("$"));
  expect(shown.filter((line) => internal.test(line))).toEqual([]);
  expect(seen.filter((line) => /^✓ (.*) \(\1\)$/.test(line))).toEqual([]);
});
