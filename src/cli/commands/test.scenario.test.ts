import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../../test/process/cli-world.ts";

const flow = `name: flow
description: Everything a test can touch
version: "1.0.0"
inputs: { files: { type: array, default: [a.ts, b.ts] } }
default_state: { raw: { out: [], seen: [], mood: "", tool: null, checks: {}, errors: [] } }
state_schema: { computed: { count: { from: raw.seen, transform: "input.length" } } }
steps:
  - { id: scan, type: shell_command, command: "scan --fast", output_format: lines, state_update: { path: raw.out }, on_error: retry, retry_count: 2 }
  - { id: pause, type: wait, seconds: 3600 }
  - id: each
    type: foreach
    items: "{{ inputs.files }}"
    steps:
      - { id: look, type: agent_shell_command, command: "cat {{ item }}", state_update: { path: raw.seen, operation: append } }
  - { id: tool, type: mcp_call, mcp: { method: hints.get, params: { n: 1 } }, state_update: { path: raw.tool } }
  - { id: mood, type: user_input, prompt: "How?", validation: { pattern: "^[a-z]+$" }, state_update: { path: raw.mood } }
  - id: branch
    type: conditional
    condition: "mood == 'fine'"
    then: [{ id: yay, type: user_message, message: "Glad, {{ count }} files" }]
    else: [{ id: stop, type: exit, status: failed, message: "Not in the mood" }]
  - { id: fan, type: parallel_foreach, items: [{ id: x }, { id: y }], sub_agent_task: check }
sub_agent_tasks:
  check:
    steps: [{ id: judge, type: agent_shell_command, command: "judge {{ item.id }}", state_update: { path: "raw.checks.{{ item.id }}" } }]
`;
const whole = `workflow: flow
commands: { "scan *": "a\\nb\\n" }
tools: { hints.get: { result: [1, 2] } }
tests:
  - name: all is well
    steps:
      - { step: look, expect: { command: cat a.ts }, answer: A }
      - { step: each.look, expect: { command: "/b\\\\.ts$/" }, answer: B }
      - { step: mood, expect: { prompt: "How?" }, answer: BAD }
      - { step: mood, answer: fine }
      - { type: agent_shell_command, task: x, answer: good }
      - { step: judge, task: y, answer: bad }
    messages: ["Glad, 2 files"]
    ran: [scan --fast]
    state: { seen: [A, B], out: [a, b], tool: [1, 2], checks: { x: good }, checks.y: bad, mood: fine }
  - name: no mood
    answers: { look: ok, mood: bad }
    status: failed
    error: Not in the mood
`;

let bench: CliBench;
beforeEach(async () => {
  bench = await openCliBench({ ".waymark/workflows/flow.yaml": flow });
});
afterEach(() => bench.close());

const file = ".waymark/workflows/flow.waymark-test.yaml";
interface Report {
  readonly passed: number;
  readonly failed: number;
  readonly files: readonly {
    readonly tests: readonly { readonly problems: readonly string[] }[];
    readonly coverage: {
      readonly percent: number;
      readonly ways: readonly { readonly block: string; readonly way: string; readonly taken: boolean }[];
    };
  }[];
}
/** Problems of the only test of the file. */
const problemsOf = async (text: string): Promise<readonly string[]> => {
  await bench.write(
    file,
    `workflow: flow\ncommands: { "scan *": "a" }\ntools: { hints.get: { result: 1 } }\nanswers: { look: x, mood: fine, judge: ok }\ntests:\n  - name: it\n    ${text}\n`,
  );
  const report = JSON.parse((await bench.run(["test", "--json"])).stdout) as Report;
  return report.files[0]?.tests[0]?.problems ?? [];
};

describe("waymark test", () => {
  test("plays a workflow with scripted answers, commands, tools and no waiting", async () => {
    await bench.write(file, whole);
    const { code, stdout, stderr } = await bench.run(["test"]);
    expect(code, stdout + stderr).toBe(0);
    expect(stdout).toContain("✓ all is well");
    expect(stdout).toContain("✓ no mood");
    expect(stdout).toContain("4 of 4 branches and loops (100 %), 0 of 1 error paths");
    expect(stdout).toContain("not taken: scan retry");
    expect(stdout).toContain("2 tests, 2 passed, 0 failed.");
    expect(await bench.json(["runs"])).toEqual({ runs: [] });
  });

  test("says which branches were not taken, and can demand a share", async () => {
    await bench.write(file, whole.slice(0, whole.indexOf("  - name: no mood")));
    const { code, stdout } = await bench.run(["test", "--min-coverage", "80"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/not taken: branch else {2}.*flow\.yaml:\d+/);
    expect(stdout).toContain("75 % of its branches were taken, 80 % are demanded");
    expect((await bench.run(["test", "--min-coverage", "75"])).code).toBe(0);
  });

  test("of a graph it counts nodes, rules and conditions as they are written, each with its line", async () => {
    const graph = `name: graph
description: A graph
nodes:
  - { id: size, bash: "echo small" }
  - id: small
    depends_on: [size]
    when: "$size.output == 'small'"
    bash: "echo a"
  - { id: big, depends_on: [size], when: "$size.output == 'big'", bash: "echo b" }
  - { id: all, depends_on: [small, big], trigger_rule: none_failed_min_one_success, bash: "echo c" }
  - id: again
    loop_group:
      until_bash: "true"
      max_iterations: 2
      nodes: [{ id: inner, bash: "echo d" }]
`;
    await bench.write(".archon/workflows/graph.yaml", graph);
    const commands = 'commands: { "echo small": small, "*": x }';
    await bench.write(".archon/workflows/graph.waymark-test.yaml", `workflow: graph\n${commands}\ntests: [{ name: small }]\n`);
    const { stdout, stderr } = await bench.run(["test", ".archon/workflows/graph.waymark-test.yaml"]);
    const counted = stdout.split("\n").flatMap((line) => (line.includes("taken: ") ? line.trim().replace(/ {2}\/.*\//, " ") : []));
    expect([counted, stderr]).toEqual([
      [
        "taken: 6 of 9 branches and loops (66 %)",
        "not taken: small condition does not hold graph.yaml:5",
        "not taken: all rule does not hold graph.yaml:10",
        "not taken: big runs graph.yaml:9",
      ],
      "",
    ]);
  });

  test("a retry is an error path, replies come in turn, and delays take no time", async () => {
    await bench.write(
      file,
      `workflow: flow\ncommands: { "scan *": [{ exit_code: 1, stderr: flaky }, { timeout: true }, "a"] }\ntools: { hints.get: { result: 1 } }\nanswers: { look: x, mood: fine, judge: ok }\nran: [scan --fast, scan --fast, scan --fast]`,
    );
    const report = await bench.json<Report>(["test"]);
    expect(report.files[0]?.coverage.ways).toContainEqual(expect.objectContaining({ block: "scan", way: "retry", taken: true }));
  });

  test.each([
    ["status: failed", "the run should be failed, but is completed"],
    ["state: { mood: sad }", 'mood should be "sad", but is "fine"'],
    ["state: { nothing: 1 }", "nothing should be 1, but is"],
    ["messages: []", "messages should have 0 entries, but has 1"],
    ["ran: [other]", 'ran[0] should be "other", but is "scan --fast"'],
    ["error: anything", "the run should have failed with anything"],
    ["steps: [{ step: late }]", "`late` was never handed out"],
    ["steps: [{ step: look, expect: { command: dog a.ts }, answer: x }]", 'each.look.command should be "dog a.ts", but is "cat a.ts"'],
    ["inputs: { files: 7 }", "`files` must be an array"],
    ["strict: true", "`branch.yay` (user_message) was handed out, but nothing more is scripted"],
    ["steps: [{ step: look, fail: no disk }]", "the run should be completed, but is failed: no disk"],
    ["tools: { hints.get: { error: no network } }", "no network"],
  ])("%s is judged", async (text, problem) => {
    expect((await problemsOf(text)).join("\n")).toContain(problem);
  });

  describe("with an agent", () => {
    const task = `name: task
description: d
version: "1.0.0"
default_state: { raw: { said: "" } }
steps:
  - { id: ask, type: user_input, prompt: "How?", state_update: { path: raw.said } }
  - { id: note, type: agent_task, prompt: Note it., artifacts: [note.md], permission: read }
`;
    const played = async (text: string): Promise<{ readonly code: number; readonly said: string }> => {
      await bench.write(".waymark/workflows/task.yaml", task);
      await bench.write(".waymark/workflows/task.waymark-test.yaml", text);
      const { code, stdout, stderr } = await bench.run(["test", ".waymark/workflows/task.waymark-test.yaml"]);
      return { code, said: stdout + stderr };
    };
    const turns = (what: string): string => `answers: { ask: fine }\nagent: { turns: [{ do: [${what}] }] }\n`;

    test.each([
      ["its turn fails when a file is missing", turns("{ say: Done. }"), 1, "note.md is missing or empty"],
      [
        "it keeps to the permission of the step",
        turns("{ write: { file: other.md, text: x } }"),
        1,
        "It was not allowed: write: other.md.",
      ],
      [
        "a prompt that no turn is for fails",
        turns("{ say: x }").replace("do:", "match: other, do:"),
        1,
        "The script has no turn for this prompt.",
      ],
      [
        "an answer of the test comes first",
        `${turns("{ say: x }").replace("fine }", "fine, note: { x: 1 } }")}status: failed\n`,
        1,
        "note.md is missing or empty",
      ],
      ["a script that cannot be used is refused", "agent: { turn: [] }\n", 2, "it needs a list `turns`"],
      ["a script that is not there is refused", "agent: none.yaml\n", 2, "none.yaml"],
      ["a folder that is not there is refused", "folder: none\n", 2, "cannot be copied"],
      ["an agent is a path or a map", "agent: 7\n", 2, "`agent` must be the path of a script, or a map with `turns`."],
      ["files need a folder", "files: { a: b }\n", 2, "`files` are those of the folder of a test with `agent` or `folder`."],
    ])("%s", async (_title, text, code, problem) => {
      const ended = await played(text);
      expect(ended.said).toContain(problem);
      expect(ended.code).toBe(code);
    });

    test("files of the folder are compared at the end, and the workspace stays as it is", async () => {
      await bench.write(".waymark/workflows/code/note.md", "kept");
      const copied = `${turns("{ say: Done. }")}folder: code\n`;
      expect(await played(`${copied}files: { note.md: kept, other.md: null }\n`)).toMatchObject({ code: 0 });
      expect((await played(`${copied}files: { note.md: other }\n`)).said).toContain('files.note.md should be "other", but is "kept"');
    });
  });

  test("a command without a reply is not run and fails the test", async () => {
    await bench.write(
      ".waymark/workflows/touch.yaml",
      'name: touch\ndescription: d\nversion: "1.0.0"\nsteps: [{ id: t, type: shell_command, command: "touch made.txt" }]\n',
    );
    await bench.write(".waymark/workflows/touch.waymark-test.yaml", "status: failed\n");
    const { code, stdout } = await bench.run(["test", ".waymark/workflows/touch.waymark-test.yaml"]);
    expect(code).toBe(1);
    expect(stdout).toContain("no reply is scripted for the command: touch made.txt");
    await expect(bench.read("made.txt")).rejects.toThrow("ENOENT");
  });

  test("execute runs commands for real, and only those that are allowed", async () => {
    await bench.write(
      ".waymark/workflows/touch.yaml",
      'name: touch\ndescription: d\nversion: "1.0.0"\nsteps: [{ id: t, type: shell_command, command: "touch made.txt" }]\n',
    );
    await bench.write(".waymark/workflows/touch.waymark-test.yaml", "execute: true\n");
    const argv = ["test", ".waymark/workflows/touch.waymark-test.yaml"];
    expect((await bench.run(argv)).stdout).toContain("ENGINE_NOT_ALLOWED");
    await bench.run(["allow", "touch", "--yes"], { terminal: true });
    const { code, stdout } = await bench.run(argv);
    expect(code, stdout).toBe(0);
    expect(await bench.read("made.txt")).toBe("");
  });

  test("a workflow that lies beside its test and nowhere else is tested too", async () => {
    await bench.write(
      "drafts/new.yaml",
      'name: "drafts:new"\ndescription: d\nversion: "1.0.0"\nsteps: [{ id: m, type: user_message, message: hi }]\n',
    );
    await bench.write("drafts/new.waymark-test.yaml", "messages: [hi]\n");
    const { code, stdout } = await bench.run(["test", "drafts/new.waymark-test.yaml"]);
    expect(code, stdout).toBe(0);
  });

  test("only the tests with a text in their name are run", async () => {
    await bench.write(file, whole);
    expect(await bench.json(["test", "--only", "mood"])).toMatchObject({ passed: 1, failed: 0 });
    expect((await bench.run(["test", "--only", "nothing"])).code).toBe(2);
  });
});

describe("a test that stops before the end", () => {
  const opening = `workflow: flow\ncommands: { "scan *": "a" }\ntools: { hints.get: { result: 1 } }\nstatus: running\n`;
  const result = async (text: string): Promise<readonly string[]> => {
    await bench.write(file, opening + text);
    const { files } = JSON.parse((await bench.run(["test", "--json"])).stdout) as Report;
    return files[0]?.tests[0]?.problems ?? ["no test"];
  };

  test.each([
    ["a step", "steps: [{ step: look, answer: A }]\nstate: { seen: [A] }\n"],
    ["a question", "steps: [{ step: look, answer: A }, { step: look, answer: B }]\nstate: { seen: [A, B], mood: '' }\n"],
  ])("passes at %s", async (_where, text) => {
    expect(await result(text)).toEqual([]);
  });

  test("fails where the script is not done, or the run is", async () => {
    expect(await result("steps: [{ step: mood, answer: fine }]\n")).toEqual([
      "`each.look` (agent_shell_command) was handed out, but `mood` was expected; give it an entry in `steps` or `answers`",
    ]);
    expect(await result("answers: { look: x, mood: fine, judge: ok }\n")).toEqual(["the run should be running, but is completed"]);
  });
});

describe("a test file", () => {
  test("is found in every folder of the project in which workflows are looked for", async () => {
    const chain = "name: chain\ndescription: x\nsteps: [{ step: plan }]\n";
    const played = "steps: [{ step: plan, answer: ok }]\n";
    for (const folder of [".archon", ".claude", ".agents"]) {
      await bench.write(`${folder}/workflows/deep/chain.yaml`, chain);
      await bench.write(`${folder}/steps/plan.md`, "Plan.");
      await bench.write(`${folder}/workflows/deep/chain.waymark-test.yaml`, played);
    }
    await bench.write(".waymark/config.yaml", "workflows: { folders: [.mine/flows] }\n");
    await bench.write(".mine/flows/other.yaml", flow.replace("name: flow", "name: other"));
    await bench.write(".mine/flows/other.waymark-test.yaml", whole.replace("workflow: flow", "workflow: other"));
    const { stdout } = await bench.run(["test", "--json"]);
    expect((JSON.parse(stdout) as { files: readonly { file: string }[] }).files.map((each) => each.file)).toEqual([
      ".agents/workflows/deep/chain.waymark-test.yaml",
      ".archon/workflows/deep/chain.waymark-test.yaml",
      ".claude/workflows/deep/chain.waymark-test.yaml",
      ".mine/flows/other.waymark-test.yaml",
    ]);
  });

  test("is refused with every problem and its place", async () => {
    await bench.write(
      file,
      `workflow: flow\ntests:\n  - nmae: x\n    status: done\n    steps: [{ anser: 1 }]\n    commands: { a: { exit_code: x } }\n    tools: { t: 1 }\n    serial: yes please\n`,
    );
    const { code, stderr } = await bench.run(["test"]);
    expect(code).toBe(2);
    for (const part of [
      ":3:",
      "Did you mean `name`?",
      "It is one of completed, failed, cancelled, running.",
      "must name a `step` or a `type`",
      "Did you mean `answer`?",
      "`exit_code` is not a whole number",
      "`tests.0.tools.t` must be a map",
      "`serial` must be true or false",
    ]) {
      expect(stderr).toContain(part);
    }
  });

  test("that is no YAML is refused with its place", async () => {
    await bench.write(file, "tests: [\n  {");
    const { code, stderr } = await bench.run(["test"]);
    expect({ code, place: /flow\.waymark-test\.yaml:\d+:\d+/.test(stderr) }).toEqual({ code: 2, place: true });
  });

  test("none at all, or none for a workflow, is said", async () => {
    expect((await bench.run(["test"])).stderr).toContain("There is no test file");
    await bench.write("lone.waymark-test.yaml", "name: x\n");
    expect((await bench.run(["test"])).stderr).toContain("names no workflow, and none is beside it");
  });
});
