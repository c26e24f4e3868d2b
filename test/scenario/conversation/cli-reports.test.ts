/** `waymark done`, `fail` and `skip` report a step; a printed line means what it says when it is run again; `report` writes reports. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../process/cli-world.ts";
import { oldCalls } from "../../support/checklist-sample.ts";
import { filledIn, isAsking, wordsOf } from "../../support/literal-lines.ts";

const head = (name: string): string => `name: ${name}\ndescription: d\nversion: "1.0.0"\n`;
const files = {
  ".waymark/workflows/say.yaml": `${head("say")}steps: [{ id: each, type: foreach, items: [a, b, c, d], steps: [{ id: say, type: user_message, message: "{{ item }}" }] }]`,
  ".waymark/workflows/do.yaml": `${head("do")}default_state: { raw: { log: [] } }\nsteps: [{ id: each, type: foreach, items: [a, b, c, d], steps: [{ id: do, type: agent_shell_command, command: "{{ item }}", state_update: { path: raw.log, operation: append } }] }]`,
  ".waymark/workflows/ask.yaml": `${head("ask")}steps: [{ id: q1, type: user_input, prompt: "First?", state_update: { path: raw.a } }, { id: q2, type: user_input, prompt: "Second?", state_update: { path: raw.b } }]`,
  ".waymark/workflows/tasks.yaml": `${head("tasks")}default_state: { raw: { done: {} } }
steps: [{ id: both, type: parallel_foreach, items: [{ id: one }, { id: two }], sub_agent_task: job }]
sub_agent_tasks: { job: { steps: [{ id: do_it, type: agent_shell_command, command: "{{ item.id }}", state_update: { path: "raw.done.{{ item.id }}" } }] } }`,
  ".waymark/workflows/o.workflow.yaml": oldCalls,
  "a.js": "old(x);\nold(y);\n",
};

let bench: CliBench;
beforeEach(async () => {
  bench = await openCliBench(files);
});
afterEach(() => bench.close());

interface Shown {
  readonly run_id: string;
  readonly action_id: string;
  readonly next_command: string;
  readonly step: { readonly id: string; readonly definition: Record<string, unknown> } | null;
}
const start = (workflow: string): Promise<Shown> => bench.json<Shown>(["start", workflow]);
const next = (run: string): Promise<Shown> => bench.json<Shown>(["next", run]);
const stateOf = async (run: string): Promise<unknown> => (await bench.json(["state", run]))["state"];
const printed = ({ next_command }: Shown): string[] => wordsOf(next_command).slice(1);

test("the line to run at a batch makes its dry run; the one that closes the step without a batch is for later", async () => {
  await bench.write("b.js", "old('x');\n");
  const { run_id } = await start("old-calls");
  const { action_id: question } = await next(run_id);
  const decided = await bench.run(["decide", run_id, question, "apply_auto_first"], { terminal: true });
  expect(decided.code, decided.stderr).toBe(0);
  const { next_command, later_command, action_id } = await bench.json<Record<string, string>>(["next", run_id]);
  expect({ next_command, later_command }).toEqual({
    next_command: `waymark batch ${run_id} apply_fixes --auto-only`,
    later_command: `waymark done ${run_id} --action ${action_id}`,
  });
});

describe("a printed line that is run again", () => {
  test("closes no second message", async () => {
    const shown = await start("say");
    for (let time = 0; time < 3; time += 1) await bench.run(printed(shown));
    expect((await next(shown.run_id)).step?.definition).toEqual({ message: "b" });
  });

  test("closes no second item with its result", async () => {
    const shown = await start("do");
    const line = filledIn(printed(shown), "did a");
    for (let time = 0; time < 3; time += 1) await bench.run(line);
    expect(await stateOf(shown.run_id)).toEqual({ log: ["did a"] });
    expect((await next(shown.run_id)).step?.definition).toMatchObject({ command: "b" });
  });

  test("answers no second question", async () => {
    const shown = await start("ask");
    const line = printed(shown);
    const answered = isAsking(line) ? filledIn(line, "one") : [...line, "one"];
    await bench.run(answered);
    await bench.run(answered);
    expect(await stateOf(shown.run_id)).toEqual({ a: "one" });
  });
});

describe("a report", () => {
  test("that names no step counts for the open one, and says which that was", async () => {
    const { run_id: run, action_id: first } = await start("do");
    const [one, two] = [await bench.run(["done", run, "--result", "did"]), await bench.run(["done", run, "--result", "did"])];
    expect(one.stdout).toContain(`Recorded \`each.do@${first}\` as done.`);
    expect(two.stdout).toMatch(/^Recorded `each.do@a\d+` as done\.$/m);
    expect(two.stdout).not.toContain(`each.do@${first}`);
    for (const { stdout } of [one, two]) expect(stdout).toContain("You named no step, so the open one was reported.");
    expect(await stateOf(run)).toEqual({ log: ["did", "did"] });
  });

  test("that names its step says so in few words, and to programs by the id of the hand-out", async () => {
    const shown = await start("do");
    const line = filledIn(printed(shown), "did a");
    const { stdout } = await bench.run(line);
    expect(stdout).toContain(`Recorded \`each.do@${shown.action_id}\` as done.`);
    expect(stdout).not.toContain("named no step");
    expect(await bench.json(line)).toMatchObject({ recorded: "before", reported: shown.action_id });
    expect((await bench.run(line)).stdout).toContain(`\`${shown.action_id}\` was reported before; nothing was changed.`);
  });

  test("that answers a question says so once", async () => {
    const { run_id: run, action_id: question } = await start("ask");
    const line = ["done", run, "--action", question, "--result", "one"];
    expect((await bench.run(line)).stdout).toContain(`Recorded the answer to \`q1@${question}\`.`);
    expect((await bench.run(line)).stdout).toContain(`\`${question}\` was reported before; nothing was changed.`);
    expect(await stateOf(run)).toEqual({ a: "one" });
  });
});

describe("a printed line", () => {
  test("of a step that asks marks what to fill in, and as it is closes nothing", async () => {
    const shown = await start("do");
    expect(isAsking(printed(shown))).toBe(true);
    await bench.run(printed(shown));
    expect(await stateOf(shown.run_id)).toEqual({ log: [] });
    expect((await next(shown.run_id)).action_id).toBe(shown.action_id);
  });

  test("of a message reports it with `waymark done`", async () => {
    const shown = await start("say");
    const line = printed(shown);
    expect(line[0]).toBe("done");
    expect(isAsking(line)).toBe(false);
    expect((await bench.run(line)).code).toBe(0);
    expect((await next(shown.run_id)).step?.definition).toEqual({ message: "b" });
  });
});

describe("waymark done", () => {
  test("reports a step with its result and shows the next one", async () => {
    const { run_id, action_id } = await start("do");
    const shown = await bench.json<Shown>(["done", run_id, "--action", action_id, "--result", "did a"]);
    expect(shown.step?.definition).toMatchObject({ command: "b" });
    expect(await stateOf(run_id)).toEqual({ log: ["did a"] });
  });

  test("finds the run when only one is open", async () => {
    const { run_id, action_id } = await start("do");
    await bench.json(["done", "--action", action_id, "--result", "did a"]);
    expect(await stateOf(run_id)).toEqual({ log: ["did a"] });
  });

  test("is refused without a run when several are open, and reports none of them", async () => {
    const runs = [await start("do"), await start("do")];
    const refused = await bench.run(["done", "--result", "did a"]);
    expect(refused.code).not.toBe(0);
    for (const { run_id } of runs) {
      expect(refused.stderr).toContain(run_id);
      expect(await stateOf(run_id)).toEqual({ log: [] });
    }
  });

  test("reports the step of a task", async () => {
    const { run_id } = await start("tasks");
    const { action_id } = await bench.json<Shown>(["next", run_id, "--task", "one"]);
    await bench.json(["done", run_id, "--task", "one", "--action", action_id, "--result", "did one"]);
    expect(await stateOf(run_id)).toEqual({ done: { one: "did one" } });
  });

  test("without the result that a step asks for reports nothing", async () => {
    const { run_id, action_id } = await start("do");
    expect((await bench.run(["done", run_id, "--action", action_id])).code).not.toBe(0);
    expect((await next(run_id)).action_id).toBe(action_id);
  });

  test("repeated says that it was reported before and changes nothing", async () => {
    const { run_id, action_id } = await start("do");
    const line = ["done", run_id, "--action", action_id, "--result", "did a"];
    expect((await bench.run(line)).stdout).not.toContain("before");
    const again = await bench.run(line);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("reported before") });
    expect(await stateOf(run_id)).toEqual({ log: ["did a"] });
  });
});

describe("waymark fail", () => {
  test("fails a step with its reason", async () => {
    const { run_id, action_id } = await start("do");
    const shown = await bench.json(["fail", run_id, "--action", action_id, "--error", "no luck"], { code: 1 });
    expect(shown).toMatchObject({ status: "failed", error_message: "no luck" });
  });
});

describe("waymark skip", () => {
  const openEntry = async (): Promise<string> => {
    const { run_id } = await start("old-calls");
    const { action_id } = await next(run_id);
    await bench.run(["decide", run_id, action_id, "review_by_file"]);
    await next(run_id);
    return run_id;
  };

  test("says in its help that it takes a reason", async () => {
    expect((await bench.run(["skip", "--help"])).stdout).toMatch(/--reason <\w+>/);
  });

  test("leaves an entry of a checklist as it is, for a reason", async () => {
    const run = await openEntry();
    expect((await bench.run(["skip", run, "--reason", "fine as it is"])).code).toBe(0);
    const exported = await bench.run(["--jsonl", "items", run, "--status", "skipped"]);
    expect(exported.stdout).toContain("fine as it is");
  });

  test("of a plain step is refused and changes nothing", async () => {
    const { run_id, action_id } = await start("do");
    expect((await bench.run(["skip", run_id, "--reason", "not needed"])).code).not.toBe(0);
    expect((await next(run_id)).action_id).toBe(action_id);
  });
});

describe("waymark report", () => {
  test.each([["--result", "did a"], ["--done"], ["--error", "no luck"]])("reports no step (%s)", async (...given) => {
    const { run_id, action_id } = await start("do");
    const refused = await bench.run(["report", run_id, ...given]);
    expect(refused.code).not.toBe(0);
    expect((await next(run_id)).action_id).toBe(action_id);
    expect(await stateOf(run_id)).toEqual({ log: [] });
  });

  test("writes the report of a checklist", async () => {
    const { run_id } = await start("old-calls");
    const written = await bench.run(["report", run_id]);
    expect(written).toMatchObject({ code: 0, stdout: expect.stringContaining("Old calls") });
  });
});
