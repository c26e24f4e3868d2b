import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../../test/process/cli-world.ts";
import { oldCalls } from "../../../test/support/checklist-sample.ts";
import { filledIn, isAsking, wordsOf } from "../../../test/support/literal-lines.ts";
import { shapeBot } from "../../../test/support/seed-003-bench.ts";

const head = (name: string): string => `name: ${name}\ndescription: d\nversion: "1.0.0"\n`;
const job = `{ id: do, type: agent_shell_command, command: x, state_update: { path: raw.out } }`;
const files = {
  ".waymark/workflows/do.yaml": `${head("do")}default_state: { raw: { out: "" } }\nsteps: [${job}, { id: end, type: user_message, message: bye }]`,
  ".waymark/workflows/ask.yaml": `${head("ask")}steps: [{ id: q, type: user_input, prompt: "Who?", state_update: { path: raw.who } }, ${job}]`,
  ".waymark/workflows/asking.yaml": `${head("asking")}default_state: { raw: {} }
steps: [{ id: both, type: parallel_foreach, items: [{ id: one }], sub_agent_task: job }]
sub_agent_tasks: { job: { steps: [{ id: q, type: user_input, prompt: "Who?", state_update: { path: raw.who } }, ${job}] } }`,
  ".waymark/workflows/o.workflow.yaml": oldCalls,
  "a.js": "old(x);\n",
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
}
const start = (workflow: string): Promise<Shown> => bench.json<Shown>(["start", workflow]);
const next = (run: string): Promise<Shown> => bench.json<Shown>(["next", run]);
const refused = async (line: readonly string[], code: string): Promise<string> => {
  const done = await bench.run(line);
  expect(done, line.join(" ")).toMatchObject({ code: 2, stderr: expect.stringContaining(`(${code})`) });
  return done.stderr;
};

describe("waymark report", () => {
  test.each([
    [["--result", '{"n": 1}', "--task", "one"], `waymark done RUN --result '{"n": 1}' --task one`],
    [["--done", "--action", "a3"], "waymark done RUN --action a3"],
    [["--skip", "not mine", "--identical"], "waymark skip RUN --reason 'not mine' --identical"],
    [["--failed"], "waymark fail RUN"],
    [["--error", "it's down", "--blocked-until", "30m"], `waymark fail RUN --error 'it'\\''s down' --blocked-until 30m`],
  ])("given %j names the line that reports the step", async (given, line) => {
    const { run_id: run, action_id } = await start("do");
    const said = await refused(["report", run, ...given], "CLI_OTHER_COMMAND");
    expect(said).toContain(`: ${line.replace("RUN", run)}\n`);
    expect((await next(run)).action_id).toBe(action_id);
  });

  test("of a run that has no report names the line too", async () => {
    const { run_id: run } = await start("do");
    expect(await refused(["report", run], "ENGINE_NOT_A_CHECKLIST")).toContain(`waymark done ${run}`);
  });

  test("shows nothing of steps in its help, nor does completion", async () => {
    expect((await bench.run(["report", "--help"])).stdout).not.toMatch(/--(?:result|done|skip|error)\b/);
    const { stdout } = await bench.run(["completion", "bash"]);
    expect(stdout).toMatch(/^ +report\) words="--format --min-severity --baseline --update-baseline --fail-on --out --version /m);
    expect(stdout).toMatch(/^ +done\) words="--result /m);
  });
});

describe("without a run id", () => {
  test("it is said that none is open", async () => {
    for (const line of [["done"], ["fail"], ["skip", "--reason", "x"]])
      expect(await refused(line, "CLI_WHICH_RUN")).toContain("No run is open in this workspace.");
  });

  test("an ended run is not the one that is meant", async () => {
    const { run_id: ended } = await start("do");
    await bench.run(["abort", ended]);
    const { run_id: run } = await start("do");
    expect(await bench.json(["done", "--result", "x"])).toMatchObject({ run_id: run, recorded: "now" });
  });
});

describe("a line that is not filled in", () => {
  test.each([
    ["done", "--result", "<the result>"],
    ["done", "--text", " <text> "],
    ["done", "--result", '{"summary": "<what was done>"}'],
    ["done", "--result", "x", "--action", "<id>"],
    ["fail", "--error", "<why>"],
    ["skip", "--reason", "<why>"],
  ])("%s %s %s closes nothing", async (command, ...given) => {
    const { run_id: run, action_id } = await start("do");
    expect(await refused([command, run, ...given], "CLI_NOT_FILLED_IN")).toMatch(/Run the line again with .* in its place\./);
    expect((await next(run)).action_id).toBe(action_id);
  });

  test("is told from a result that has such marks in it, or comes from a file", async () => {
    const { run_id: run } = await start("do");
    await bench.write("out.txt", "<b>");
    expect(await bench.json(["done", run, "--result", '["<html>"]'])).toMatchObject({ recorded: "now" });
    const { run_id: other } = await start("do");
    expect(await bench.json(["done", other, "--result-file", "out.txt"])).toMatchObject({ recorded: "now" });
    expect(await bench.json(["state", other, "out"])).toMatchObject({ state: { out: "<b>" } });
  });

  test("is read from a file without its byte order mark", async () => {
    const { run_id: run } = await start("do");
    await bench.write("out.json", '\uFEFF{ "words": 2 }');
    expect(await bench.json(["done", run, "--result-file", "out.json"])).toMatchObject({ recorded: "now" });
    expect(await bench.json(["state", run, "out"])).toMatchObject({ state: { out: { words: 2 } } });
  });

  test.each(["--text", "--result"])("is told from %s with a text between such marks that no line prints", async (option) => {
    const { run_id: run } = await start("do");
    expect(await bench.json(["done", run, option, "<b>"])).toMatchObject({ recorded: "now" });
    expect(await bench.json(["state", run, "out"])).toMatchObject({ state: { out: "<b>" } });
  });

  test("names a way to give the very text", async () => {
    const { run_id: run, action_id: id } = await start("ask");
    const literally = `waymark done ${run} --action ${id} --result-file`;
    expect(await refused(["decide", run, id, "<answer>"], "CLI_NOT_FILLED_IN")).toContain(literally);
    expect(await refused(["decide", run, id, "<answer>"], "CLI_NOT_FILLED_IN")).toContain("with your answer in its place.");
    await bench.write("out.txt", "<answer>");
    expect(await bench.json(["done", run, "--action", id, "--result-file", "out.txt"])).toMatchObject({ recorded: "now" });
    const { run_id: other } = await start("do");
    expect(await refused(["fail", other, "--error", "<why>"], "CLI_NOT_FILLED_IN")).toMatch(
      /with your reason in its place\. .*add a word to it/,
    );
    expect((await bench.run(["fail", other, "--error", "<div>"])).stderr).not.toContain("CLI_NOT_FILLED_IN");
  });

  test("answers no question", async () => {
    const { run_id: run, next_command } = await start("ask");
    expect(next_command).toMatch(/^waymark decide \S+ d\d+ '<answer>'$/);
    await refused(wordsOf(next_command).slice(1), "CLI_NOT_FILLED_IN");
    expect((await next(run)).next_command).toBe(next_command);
  });
});

describe("a step that returns something", () => {
  test("is refused without its result, with the lines that report it", async () => {
    const { run_id: run, action_id: action } = await start("do");
    const said = await refused(["done", run], "ENGINE_NO_RESULT");
    expect(said).toContain(`waymark done ${run} --action ${action} --result '<the result>'`);
    expect(said).toContain(`waymark fail ${run} --action ${action} --error '<why>'`);
  });

  test("is done when its result was written since it was handed out", async () => {
    const { run_id: run } = await start("do");
    await bench.json(["state", run, "--set", "raw.out=written"]);
    expect(await bench.json(["done", run])).toMatchObject({ recorded: "now" });
    expect(await bench.json(["state", run, "out"])).toMatchObject({ state: { out: "written" } });
  });

  test("asks again on a terminal until it has one", async () => {
    const done = await bench.run(["run", "do", "--by-hand"], { terminal: true, typed: ["", "at last"] });
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining("is not done without its result") });
    expect(done.stdout).toContain("is completed");
  });

  test("that is not open any more, or never was, is refused with how to see what is", async () => {
    const { run_id: run } = await start("do");
    expect(await refused(["done", run, "--action", "a99", "--result", "x"], "ENGINE_WRONG_STEP")).toContain(`waymark next ${run}\n`);
  });
});

describe("a question", () => {
  test("is not done without an answer, cannot fail, and says how to answer or decline it", async () => {
    const { run_id: run, action_id: id, next_command } = await start("ask");
    expect(await refused(["done", run], "CLI_NO_ANSWER")).toContain(next_command);
    for (const line of [
      ["fail", run, "--error", "no"],
      ["skip", run, "--reason", "no"],
    ])
      expect(await refused(line, "CLI_USAGE")).toContain(`waymark decide ${run} ${id} --decline '<why>'`);
    expect((await next(run)).action_id).toBe(id);
  });

  test("that is answered again with its line says so and changes nothing", async () => {
    const { run_id: run, next_command } = await start("ask");
    const line = filledIn(wordsOf(next_command).slice(1), "Ada");
    expect(await bench.json(line)).toMatchObject({ recorded: "now", next_command: `waymark next ${run}` });
    expect(await bench.json(line)).toMatchObject({ recorded: "before", answer: "Ada" });
    const other = await bench.run([...line.slice(0, -1), "Eve"]);
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('was answered before with "Ada", which counts') });
    expect(await bench.json(["state", run, "who"])).toMatchObject({ state: { who: "Ada" } });
  });

  test("of a task leads back to the task", async () => {
    const { run_id: run } = await start("asking");
    const asked = await bench.json<Shown>(["next", run, "--task", "one"]);
    const answered = await bench.json<Shown>(filledIn(wordsOf(asked.next_command).slice(1), "Ada"));
    expect(answered.next_command).toBe(`waymark next ${run} --task one`);
    expect((await bench.json<Shown>(wordsOf(answered.next_command).slice(1))).next_command).toContain("--task one --action a");
  });
});

describe("what failed or is blocked", () => {
  test("names the retry for when the cause is fixed, and no next command", async () => {
    const { run_id: run } = await start("do");
    const failed = await bench.run(["fail", run, "--error", "no"]);
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining(`When the cause is fixed: waymark retry ${run}\n`) });
    expect(failed.stdout).not.toContain("→");
    const { stdout } = await bench.run(["status", run]);
    expect(stdout).toContain(`When the cause is fixed: waymark retry ${run}\n`);
    expect(stdout).not.toContain("→");
  });

  test("until a time names the line for then", async () => {
    const { run_id: run, action_id } = await start("do");
    const shown = await bench.json(["fail", run, "--action", action_id, "--error", "down", "--blocked-until", "1h"]);
    expect(shown).toMatchObject({ status: "blocked", later_command: `waymark next ${run}` });
    expect(shown).not.toHaveProperty("next_command");
    expect((await bench.run(["runs"])).stdout).toMatch(/ blocked until 20\S+Z /);
    expect((await bench.run(["status", run])).stdout).toMatch(/ blocked until 20\S+Z: down /);
  });
});

describe("the printed lines of a checklist", () => {
  test("run again close nothing more, up to the end of the run", async () => {
    const first = await start("old-calls");
    const ran: string[][] = [];
    let shown = await bench.json<Shown>(["decide", first.run_id, first.action_id, "review_by_file"]);
    while (shown.next_command !== `waymark report ${first.run_id}` && ran.length < 20) {
      const line = wordsOf(shown.next_command).slice(1);
      if (line[0] === "done") await bench.write("a.js", "fresh(x);\n");
      shown = await bench.json<Shown>(line);
      ran.push(line);
      for (const again of ran.filter(([command]) => command === "done"))
        expect(await bench.json(again)).toMatchObject({ recorded: "before", next_command: shown.next_command });
    }
    expect(shown).toMatchObject({ status: "completed" });
    expect(ran.filter(([command]) => command === "done")).toHaveLength(2);
  });

  test("offer a skip that needs its reason", async () => {
    const { run_id: run, action_id } = await start("old-calls");
    await bench.run(["decide", run, action_id, "review_by_file"]);
    const { stdout } = await bench.run(["next", run]);
    const line = wordsOf(/^→ waymark (skip .*)$/m.exec(stdout)?.[1] ?? "");
    expect(isAsking(line)).toBe(true);
    await refused(line, "CLI_NOT_FILLED_IN");
    expect((await bench.run(filledIn(line, "meant so"))).code).toBe(0);
    expect((await bench.run(filledIn(line, "meant so"))).stdout).toContain("was reported before; nothing was changed");
  });
});

test("the printed line of a bot's action closes that action and no other", async () => {
  const bot = await openCliBench(shapeBot());
  try {
    await bot.write("docs/x.md", "");
    const { next_command } = await bot.json<Shown>(["bot", "story_bot", "--area", "docs"]);
    const line = wordsOf(next_command).slice(1);
    expect(await bot.run(line, { terminal: true })).toMatchObject({ code: 2, stderr: expect.stringContaining("CLI_NOT_FILLED_IN") });
    const filled = line.map((word) => word.replaceAll("<what was done>", "Chose docs.").replaceAll("<folder>", "docs"));
    for (let time = 0; time < 3; time += 1)
      expect(await bot.json(filled, { terminal: true })).toMatchObject({ completed_action: "initialize_project" });
    expect(await bot.json(["bot", "story_bot"])).toMatchObject({ action: "gather_context" });
  } finally {
    await bot.close();
  }
});
