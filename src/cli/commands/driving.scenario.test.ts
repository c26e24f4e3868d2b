import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { review } from "../../../test/support/checklist-sample.ts";
import { openCliBench, type CliBench } from "../../../test/process/cli-world.ts";

const hello = `name: hello
description: Greets
version: "1.0.0"
inputs:
  name: { type: string }
  times: { type: number, default: 1 }
  extra: { type: any, required: false }
default_state: { raw: { mood: "", log: [], count: 0 } }
state_schema:
  computed:
    shout: { from: raw.mood, transform: "input.toUpperCase()" }
steps:
  - { id: greet, type: user_message, message: "Hello {{ inputs.name }} x{{ inputs.times }}" }
  - { id: mood, type: user_input, prompt: "How are you?", validation: { pattern: "^[a-z]+$", error_message: "Small letters, please." }, state_update: { path: raw.mood } }
  - { id: work, type: agent_shell_command, command: "echo hi", state_update: { path: raw.log } }
  - { id: write, type: state_update, by: agent, path: raw.count, value: 7 }
`;
const gate = `name: gate
description: Asks for authority
version: "1.0.0"
default_state: { raw: { ok: "" } }
steps:
  - { id: approve, type: user_input, answer_by: person, prompt: "Ship it?", options: [{ value: "yes", label: "Ship" }, "no"], state_update: { path: raw.ok } }
  - { id: end, type: user_message, message: "{{ ok }}" }
`;
const phase = "id: analysis, name: Analysis, description: d, required: true";
const gated = review.replace("type: review", "type: gated").replace(phase, `${phase}, hard_stop: true`);
const rounds = `name: rounds
description: Comes to the same gate twice
version: "1.0.0"
steps:
  - id: loop
    type: foreach
    items: [1, 2]
    steps: [{ id: sub, type: include_workflow, workflow: gated, on_error: continue }]
`;
const tasks = `name: tasks
description: Two tasks
version: "1.0.0"
default_state: { raw: { done: {} } }
steps:
  - { id: both, type: parallel_foreach, items: [{ id: one }, { id: two }], sub_agent_task: job }
sub_agent_tasks:
  job:
    steps:
      - { id: do_it, type: agent_shell_command, command: "echo {{ item.id }}", state_update: { path: "raw.done.{{ item.id }}" } }
`;
const shell = `name: shell
description: Runs a command
version: "1.0.0"
default_state: { raw: { out: "" } }
steps:
  - { id: run, type: shell_command, command: "echo built", state_update: { path: raw.out } }
  - { id: bad, type: shell_command, command: "exit 3" }
`;

let bench: CliBench;
beforeEach(async () => {
  bench = await openCliBench({
    ".waymark/workflows/hello.yaml": hello,
    ".waymark/workflows/gate.yaml": gate,
    ".waymark/workflows/gated.workflow.yaml": gated,
    ".waymark/workflows/rounds.yaml": rounds,
    ".waymark/workflows/tasks.yaml": tasks,
    ".waymark/workflows/shell.yaml": shell,
  });
});
afterEach(() => bench.close());

const started = async (workflow: string, ...more: string[]): Promise<string> =>
  String((await bench.json(["start", workflow, ...more]))["run_id"]);

describe("driving a run", () => {
  test("a question can be declined, with the reason on record", async () => {
    const run = await started("hello", "-i", "name=Ada", "-i", "times=2");
    await bench.run(["done", run]);
    const both = await bench.run(["decide", run, "mood", "fine", "--decline", "later"]);
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining("Either an answer is given") });
    const { declined } = await bench.json(["decide", run, "mood", "--decline", "nobody is here"]);
    expect(declined).toBe("nobody is here");
    expect((await bench.run(["journal", run])).stdout).toContain("nobody is here");
  });

  test("from start to end, each answer naming the next command", async () => {
    const first = await bench.run(["start", "hello", "-i", "name=Ada", "-i", "times=2"]);
    expect(first.code, first.stderr).toBe(0);
    expect(first.stdout).toContain("Hello Ada x2");
    const run = /wf-hello-\d{4}-\d\d-\d\d-[a-z0-9]{6}/.exec(first.stdout)?.[0] ?? "";
    expect(first.stdout).toMatch(new RegExp(`^→ waymark done ${run} --action a\\d+$`, "m"));
    expect((await bench.run(["next", run])).stdout).toContain("Hello Ada x2");
    const second = await bench.run(["done", run]);
    expect(second.stdout).toContain("How are you?");
    const third = await bench.run(["decide", run, "mood", "fine"]);
    expect(third.code, third.stderr).toBe(0);
    const fourth = await bench.run(["next", run]);
    expect(fourth.stdout).toContain("echo hi");
    expect(fourth.stdout).toMatch(/^→ waymark done \S+ --action a\d+ --result '<the output of the command as text>'$/m);
    await bench.json(["done", run, "--result", '{"lines": ["hi"]}']);
    const last = await bench.run(["done", run]);
    expect(last.stdout).toContain(`Run ${run} is completed.`);
    const { state } = await bench.json<{ state: Record<string, unknown> }>(["state", run]);
    expect(state).toMatchObject({ mood: "fine", shout: "FINE", log: { lines: ["hi"] }, count: 7 });
  });

  test("inputs are JSON where the workflow does not want text, and a file holds the rest", async () => {
    await bench.write("in.json", '{"name": "Bob", "times": 9}');
    const run = await started("hello", "--inputs", "in.json", "-i", "times=3", "-i", "extra=[1,2]", "-i", "name=42");
    const exported = await bench.json<{ inputs: unknown }>(["export", run]);
    expect(exported.inputs).toEqual({ name: "42", times: 3, extra: [1, 2] });
  });

  test("inputs come from stdin too", async () => {
    const { run_id: run } = await bench.json(["start", "hello", "--inputs", "-"], { typed: ['{"name": "Eve"}'] });
    expect((await bench.run(["next", String(run)])).stdout).toContain("Hello Eve");
  });

  test("wrong inputs are all named, and nothing is started", async () => {
    const { code, stderr } = await bench.run(["start", "hello", "-i", "nam=x", "-i", "times=many"]);
    expect(code).toBe(2);
    expect(stderr).toContain("is not an input (did you mean `name`?);");
    expect(stderr).toContain("`name` (string) is required");
    expect(stderr).toContain("`times` must be a number");
    expect(await bench.json(["runs"])).toEqual({ runs: [] });
  });

  test("an unknown workflow or run is refused with the nearest name", async () => {
    expect((await bench.run(["start", "helo"])).stderr).toContain("Did you mean `hello`");
    const run = await started("gate");
    const { code, stderr } = await bench.run(["status", `${run.slice(0, -1)}_`]);
    expect(code).toBe(2);
    expect(stderr).toContain(run);
  });

  test("a report made twice is recorded once", async () => {
    const { run_id: run, action_id: action } = await bench.json(["start", "hello", "-i", "name=A"]);
    expect(await bench.json(["done", String(run), "--action", String(action)])).toMatchObject({ recorded: "now" });
    const again = await bench.run(["done", String(run), "--action", String(action)]);
    expect(again.code).toBe(0);
    expect(again.stdout).toContain("was reported before; nothing was changed");
  });

  test("a failed step fails the run, which ends with 1 and can be retried", async () => {
    const run = await started("hello", "-i", "name=A");
    await bench.json(["done", run]);
    await bench.json(["decide", run, "mood", "fine"]);
    await bench.json(["next", run]);
    const failed = await bench.json(["fail", run, "--error", "no shell"], { code: 1 });
    expect(failed).toMatchObject({ status: "failed", error_message: "no shell", later_command: `waymark retry ${run}` });
    expect(failed).not.toHaveProperty("next_command");
    expect((await bench.run(["next", run])).code).toBe(1);
    expect((await bench.run(["status", run])).stdout).toContain("no shell");
    const { stdout } = await bench.run(["retry", run]);
    expect(stdout).toContain("echo hi");
  });

  test("commands of the engine are waited for, and a failing one ends the run with 1", async () => {
    await bench.run(["allow", "shell", "--yes"], { terminal: true });
    const { code, stdout, stderr } = await bench.run(["start", "shell"]);
    expect(code).toBe(1);
    expect(stdout).toContain("exit code 3");
    expect(stderr).toContain("Working on `run`...");
    expect((await bench.run(["start", "shell", "--quiet"])).stderr).toBe("");
  });

  test("a budget is asked about before it is exceeded", async () => {
    const run = await started("hello", "-i", "name=A", "--budget", "steps=1");
    const asked = await bench.json(["done", run]);
    expect(asked).toMatchObject({ status: "question" });
    const { code, stderr } = await bench.run(["decide", run, String(asked["action_id"]), "double"]);
    expect(code).toBe(2);
    expect(stderr).toContain("CLI_PERSON_ONLY");
    expect((await bench.run(["decide", run], { terminal: true, typed: ["5"] })).code).toBe(0);
    expect((await bench.run(["next", run])).stdout).toContain("How are you?");
  });

  test("a number alone answers the only open question about a budget, and an old asking is not answered by it", async () => {
    const run = await started("hello", "-i", "name=A", "--budget", "steps=1");
    await bench.json(["done", run]);
    const same = await bench.run(["decide", run, "1"], { terminal: true });
    expect([same.code, same.stdout + same.stderr]).toEqual([2, expect.stringContaining("a number above 1")]);
    expect(await bench.run(["decide", run, "7"], { terminal: true })).toMatchObject({ code: 0 });
    expect((await bench.run(["next", run])).stdout).toContain("How are you?");
    expect((await bench.run(["decide", run, "7"], { terminal: true })).code).toBe(2);
  });

  test("tasks are driven by their id", async () => {
    const run = await started("tasks");
    const { stdout } = await bench.run(["next", run]);
    expect(stdout).toContain(`waymark next ${run} --task one`);
    for (const task of ["one", "two"]) {
      expect((await bench.run(["next", run, "--task", task])).stdout).toContain(`echo ${task}`);
      await bench.json(["done", run, "--task", task, "--text", `${task} done`]);
    }
    expect((await bench.run(["next", run])).stdout).toContain("is completed");
    const ended = await bench.run(["next", run, "--task", "thre"]);
    expect(ended.code).toBe(2);
  });

  test("a definition that is edited or deleted while its run is open changes nothing for it", async () => {
    const run = await started("hello", "-i", "name=A");
    await bench.write(".waymark/workflows/hello.yaml", "name: hello\nsteps: [");
    expect((await bench.run(["done", run])).stdout).toContain("How are you?");
    rmSync(join(bench.workspace, ".waymark/workflows/hello.yaml"));
    await bench.json(["decide", run, "mood", "fine"]);
    expect((await bench.run(["next", run])).stdout).toContain("echo hi");
    expect((await bench.run(["start", "hello"])).code).toBe(2);
  });

  test("a workflow that asks for a new attempt goes on in a linked run, however often it is looked at", async () => {
    await bench.write(
      ".waymark/workflows/again.yaml",
      'name: again\ndescription: d\nversion: "1.0.0"\nerror_handling: { on_error: retry_workflow }\nsteps: [{ id: a, type: agent_shell_command, command: x }]\n',
    );
    const run = await started("again");
    const moved = await bench.json(["fail", run, "--error", "no"]);
    expect(moved).toMatchObject({ retry_of: run, status: "action" });
    expect(await bench.json(["next", run])).toMatchObject({ retry_of: run, run_id: moved["run_id"] });
    expect(await bench.json(["fail", String(moved["run_id"]), "--error", "no"], { code: 1 })).toMatchObject({ status: "failed" });
    expect((await bench.run(["runs", "--ids"])).stdout.trim().split("\n")).toHaveLength(2);
  });

  test("the store and the workspace can be named", async () => {
    const elsewhere = join(bench.home, "runs");
    await bench.json(["--store", elsewhere, "start", "hello", "-i", "name=A"]);
    expect(await bench.json(["runs"])).toEqual({ runs: [] });
    const { runs } = await bench.json<{ runs: unknown[] }>(["runs", "--store", elsewhere, "--workspace", bench.workspace], {
      cwd: bench.home,
    });
    expect(runs).toHaveLength(1);
    expect((await bench.run(["runs", "-C", "none"])).code).toBe(2);
  });

  test("a note is delivered with the next step", async () => {
    const run = await started("hello", "-i", "name=A");
    await bench.json(["done", run]);
    expect((await bench.run(["tell", run, " "])).stderr).toContain("The note is empty.");
    expect((await bench.run(["tell", run, "mind", "the", "gap"])).stdout).toContain("Noted.");
    await bench.json(["decide", run, "mood", "fine"]);
    expect((await bench.run(["next", run])).stdout).toContain("Note: mind the gap");
  });

  test("abort ends it, and says so to who comes later", async () => {
    const run = await started("hello", "-i", "name=A");
    expect((await bench.run(["abort", run, "--reason", "by mistake"])).stdout).toContain("is cancelled");
    const { code, stdout } = await bench.run(["next", run]);
    expect({ code, said: stdout.includes("by mistake") }).toEqual({ code: 1, said: true });
  });

  test("what is for a later step of a run that is over is refused", async () => {
    const run = await started("hello", "-i", "name=A");
    await bench.run(["abort", run, "--as-failed"]);
    expect((await bench.run(["tell", run, "after", "the", "retry"])).code).toBe(0);
    const failed = await bench.run(["checkpoint", run, "--reason", "lunch"]);
    expect([failed.code, failed.stdout, failed.stderr]).toEqual([2, "", expect.stringContaining("(RUN_ENDED)")]);
    const gone = await started("hello", "-i", "name=A");
    await bench.run(["abort", gone]);
    for (const argv of [
      ["tell", gone, "mind"],
      ["checkpoint", gone, "--reason", "lunch"],
    ]) {
      const { code, stdout, stderr } = await bench.run(argv);
      expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining("(RUN_ENDED)")]);
    }
    const report = await bench.run(["report", gone]);
    expect(report.stderr).toContain(`→ To see its state: waymark state ${gone}`);
  });

  test("a checkpoint names a file that exists and the text for the next conversation", async () => {
    const run = await started("hello", "-i", "name=A");
    const mark = await bench.json<{ state_path: string; resume_text: string }>(["checkpoint", run, "--reason", "lunch"]);
    expect(JSON.parse(readFileSync(mark.state_path, "utf8"))).toMatchObject({ run_id: run, reason: "lunch" });
    expect(mark.resume_text).toContain(run);
    expect((await bench.run(["resume", run])).stdout).toContain("Hello A");
  });
});

describe("answering questions", () => {
  test("a wrong answer is refused with the lines that answer, and a broken definition with how to see what is wrong", async () => {
    await bench.write(
      ".waymark/workflows/pick.yaml",
      'name: pick\ndescription: d\nversion: "1.0"\nsteps: [{ id: q, type: user_input, prompt: Which?, choices: [red, blue], state_update: { path: raw.q } }]\n',
    );
    const run = await started("pick");
    const [, id = ""] = / (d\d+) /.exec((await bench.run(["next", run])).stdout) ?? [];
    const line = `→ Answer again: waymark decide ${run} ${id} red, or waymark decide ${run} ${id} blue\n`;
    expect((await bench.run(["decide", run, id, "green"])).stderr).toContain(line);
    expect((await bench.run(["done", run, "--result", "green"])).stderr).toContain(line);
    await bench.write(
      ".waymark/workflows/one.yaml",
      "name: one\ndescription: d\nversion: 1.0\nsteps: [{ id: m, type: user_message, message: x }]\n",
    );
    expect((await bench.run(["start", "one"])).stderr).toContain("`waymark validate one` to see it with its place.");
  });

  test("without a terminal a relayed question is recorded as relayed, and one for a person is refused", async () => {
    const relay = await started("hello", "-i", "name=A");
    await bench.json(["done", relay]);
    expect(await bench.json(["decide", relay, "mood", "fine"])).toMatchObject({ relayed: true });
    const person = await started("gate");
    for (const argv of [
      ["decide", person, "approve", "yes"],
      ["decide", person],
      ["done", person, "--result", "yes"],
      ["done", person, "--step", "approve", "--text", "yes"],
    ]) {
      const { code, stderr } = await bench.run(argv);
      expect({ code, refused: stderr.includes("CLI_PERSON_ONLY") }).toEqual({ code: 2, refused: true });
      expect(stderr).toContain("waymark decide");
    }
    const journal = (await bench.run(["journal", person, "--jsonl"])).stdout;
    expect(journal).not.toContain("decision_closed");
  });

  test("on a terminal the answer is the person's own", async () => {
    const run = await started("gate");
    const { code, stdout } = await bench.run(["decide", run], { terminal: true, typed: ["maybe", "ship"] });
    expect(code).toBe(0);
    expect(stdout).toContain("must be one of `yes`, `no`");
    const records = (await bench.run(["journal", run, "--jsonl"])).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { by: unknown; events: { type: string; by?: unknown; answer?: unknown }[] });
    const closed = records.flatMap((record) => record.events).find((event) => event.type === "decision_closed");
    expect(closed).toMatchObject({ answer: "yes", by: { kind: "person", name: "ada", surface: "cli-terminal", relayed: false } });
  });

  test("a wrong answer is told why and asked again", async () => {
    const run = await started("hello", "-i", "name=A");
    await bench.json(["done", run]);
    const { code, stdout } = await bench.run(["decide", run], { terminal: true, typed: ["WELL", "", "well"] });
    expect(code).toBe(0);
    expect(stdout).toContain("Small letters, please.");
    expect(stdout).toContain('Recorded: "well".');
  });

  test("a line that is run again does not answer the question of the next round, which is named with its revision", async () => {
    const run = await started("rounds", "--wait", "10s");
    const stop = ["decide", run, "enter:analysis", "stop"];
    const terminal = { terminal: true };
    expect((await bench.run(stop, terminal)).stdout).toContain('Recorded: "stop".');
    const asked = await bench.run(["next", run, "--wait", "10s"]);
    expect(asked.stdout).toContain(`waymark decide ${run} enter:analysis --revision 2`);
    for (const unseen of [stop, ["decide", run, "enter:analysis", "go_on"], ["decide", run, "enter:analysis", "--decline", "not now"]])
      expect(await bench.run(unseen, terminal)).toMatchObject({ code: 2, stderr: expect.stringContaining("DECISION_REVISED") as string });
    expect((await bench.run(["done", run, "--result", "stop"], terminal)).stderr).toContain("--revision 2");
    expect((await bench.run(["decide", run, "enter:analysis", "--revision", "x", "stop"], terminal)).stderr).toContain("whole number");
    expect(await bench.json(["status", run])).toMatchObject({ questions: [{ step: "enter.analysis" }] });
    expect((await bench.run([...stop, "--revision", "2"], terminal)).stdout).toContain('Recorded: "stop".');
  });

  test("an input that ends leaves the question open", async () => {
    const run = await started("gate");
    const { code, stderr } = await bench.run(["decide", run], { terminal: true, typed: [] });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("CLI_NO_ANSWER") });
    expect(await bench.json(["status", run])).toMatchObject({ questions: [{ question: "Ship it?" }] });
  });

  test("no open question, and an unknown one, are said", async () => {
    const run = await started("hello", "-i", "name=A");
    expect((await bench.run(["decide", run])).stderr).toContain("has no open question");
    const other = await started("gate");
    expect((await bench.run(["decide", other, "aprove", "yes"])).stderr).toContain("Open: ");
    for (const held of [run, other])
      expect((await bench.run(["decide", held, "", "x"])).stderr).toMatch(/The id of the question is empty\..*\(CLI_NO_QUESTION\)/);
  });
});

describe("waymark run", () => {
  test("drives a workflow with a person, who can leave and come back", async () => {
    const first = await bench.run(["run", "hello", "--by-hand"], { terminal: true, typed: ["Ada", "fine"] });
    expect(first.code, first.stderr).toBe(0);
    expect(first.stdout).toContain("name (string)");
    expect(first.stdout).toContain("Hello Ada x1");
    const run = /waymark run (wf-\S+)/.exec(first.stdout)?.[1] ?? "";
    const second = await bench.run(["run", run, "--by-hand"], { terminal: true, typed: ["hi there", ""] });
    expect(second.code, second.stderr).toBe(0);
    expect(second.stdout).toContain("is completed");
    expect(await bench.json(["state", run, "log", "count"])).toMatchObject({ state: { log: "hi there", count: 7 } });
  });

  test("goes through sub-agent tasks, and a failure is said with an exclamation mark", async () => {
    const done = await bench.run(["run", "tasks", "--by-hand"], { terminal: true, typed: ["a", "b"] });
    expect(done.code, done.stderr).toBe(0);
    const failed = await bench.run(["run", "tasks", "--by-hand"], { terminal: true, typed: ["! no hands"] });
    expect(failed.code).toBe(1);
    expect(failed.stdout).toContain("no hands");
  });

  test("needs a terminal", async () => {
    for (const argv of [
      ["run", "hello", "--by-hand"],
      ["run", "hello", "--by-hand", "--json"],
    ]) {
      const { code, stderr } = await bench.run(argv, { terminal: argv.includes("--json") });
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("CLI_NO_TERMINAL") });
    }
  });
});
