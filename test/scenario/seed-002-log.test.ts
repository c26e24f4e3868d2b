/** Seed 002: the log of a run in `.archon/logs/<uuid>.jsonl`. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { logOf } from "../../src/dialects/prompts/run/index.ts";
import { retry, start } from "../../src/engine/index.ts";
import type { TranscriptEntry } from "../../src/ports/index.ts";
import { openCliBench, type CliBench } from "../process/cli-world.ts";
import { DrivenTime } from "../support/driven-time.ts";
import { chainFiles, chainOf, seedChain } from "../support/prompt-files.ts";
import { SeedRun } from "../support/seed-bench.ts";
import { openTestEngine, type TestEngine } from "../support/test-engine.ts";

let bench: CliBench | undefined;
let engine: TestEngine | undefined;
afterEach(async () => {
  await bench?.close();
  await engine?.close();
  bench = engine = undefined;
});

type Line = Readonly<Record<string, unknown>> & { readonly type: string };

/** Lines of the only log of a workspace. */
function linesIn(workspace: string): readonly Line[] {
  const folder = join(workspace, ".archon/logs");
  const [file = ""] = readdirSync(folder);
  return readFileSync(join(folder, file), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

async function begin(files: Readonly<Record<string, string>>, workflow: string, time = new DrivenTime()): Promise<SeedRun> {
  engine = await openTestEngine(files, {}, time);
  const { context, caller } = engine;
  return new SeedRun(engine, caller, await start(context, caller, { workflow, inputs: { user_message: "dark mode" } }));
}

async function logged({ id }: SeedRun, said: readonly TranscriptEntry[] = []): Promise<readonly Line[]> {
  await engine!.context.transcripts.append(said.map((entry) => ({ ...entry, run: id })));
  return ((await logOf(engine!.context, id))?.lines ?? []).map((line) => JSON.parse(line) as Line);
}

test("a run that completes has exactly the events of the seed, in its fields", async () => {
  bench = await openCliBench(seedChain);
  const { run_id: run } = await bench.json<{ readonly run_id: string }>([
    "start",
    "feature-development",
    "--input",
    "user_message=dark mode",
  ]);
  for (let step = 0; step < 3; step += 1) await bench.run(["done", run, "--result", "ok"]);
  const { workflow_id: id, log } = await bench.json<{ readonly workflow_id: string; readonly log: string }>(["status", run]);
  expect(readdirSync(join(bench.workspace, ".archon/logs"))).toEqual([`${id}.jsonl`]);
  expect(log).toBe(`.archon/logs/${id}.jsonl`);
  const lines = linesIn(bench.workspace);
  const step = (name: string, at: number): object[] =>
    ["step_start", "step_complete"].map((type) => ({
      type,
      workflow_id: id,
      step: name,
      step_index: at,
      ts: expect.any(String) as string,
    }));
  expect(lines).toEqual([
    {
      type: "workflow_start",
      workflow_id: id,
      workflow_name: "feature-development",
      content: "dark mode",
      ts: expect.any(String) as string,
    },
    ...step("plan", 0),
    ...step("implement", 1),
    ...step("create-pr", 2),
    { type: "workflow_complete", workflow_id: id, ts: expect.any(String) as string },
  ]);
  expect(lines.every(({ ts }) => new Date(String(ts)).toISOString() === ts)).toBe(true);
});

test("a failed step is logged before the failed run, and a retry goes into the same log", async () => {
  const run = await begin(seedChain, "feature-development");
  await run.done("planned");
  await run.fail("does not compile");
  expect((await logged(run)).slice(-2)).toMatchObject([
    { type: "step_error", step: "implement", step_index: 1, error: "does not compile" },
    { type: "workflow_error", error: "does not compile" },
  ]);
});

test("members of a parallel entry have lines of their own, whatever is between them, and what their agents say names them", async () => {
  const time = new DrivenTime();
  const run = await begin(chainFiles("  - parallel: [{ step: a }, { step: b }]\n  - step: c", { a: "A", b: "B", c: "C" }), "chain", time);
  await run.next();
  const { standing } = run.position;
  const action = standing.kind === "action" ? standing.action.id : "";
  await time.advance(10);
  const about = { at: time.now(), run: run.id, action, step: "a", strand: "s", agent: "claude" };
  await time.advance(10);
  await run.fail("broken");
  await run.next();
  await run.done("ok");
  run.position = await retry(engine!.context, engine!.caller, { run: run.id, resetCounts: false });
  await run.next();
  await run.done("ok");
  const lines = await logged(run, [{ ...about, event: { type: "message", text: "I look." } }]);
  expect(lines.map(({ type, step, step_index: at, error, content }) => [type, step, at, error ?? content])).toEqual([
    ["workflow_start", undefined, undefined, "dark mode"],
    ["step_start", "a", 0, undefined],
    ["step_start", "b", 1, undefined],
    ["assistant", "a", 0, "I look."],
    ["step_error", "a", 0, "broken"],
    ["step_complete", "b", 1, undefined],
    ["workflow_error", undefined, undefined, "Step `a`: broken"],
    ["step_start", "a", 0, undefined],
    ["step_complete", "a", 0, undefined],
    ["step_start", "c", 2, undefined],
  ]);
});

test("what agents say and which tools they use stands between the steps, each call once", async () => {
  const time = new DrivenTime();
  const run = await begin(seedChain, "feature-development", time);
  const { standing } = run.position;
  const action = standing.kind === "action" ? standing.action.id : "";
  const said = (event: TranscriptEntry["event"]): TranscriptEntry => ({
    at: time.now(),
    run: run.id,
    action,
    step: "plan",
    strand: "main",
    agent: "claude",
    event,
  });
  await time.advance(10);
  const entries = [
    said({ type: "prompt", text: "Plan dark mode." }),
    said({ type: "message", text: "I look at the code." }),
    said({ type: "tool", id: "t1", name: "Read", status: "pending" }),
    said({ type: "tool", id: "t1", name: "Read", status: "running", input: { path: "a.ts" } }),
    said({ type: "tool", id: "t1", name: "Read", status: "done", output: "text" }),
    said({ type: "tool", id: "t2", name: "Bash", status: "failed" }),
    said({ type: "thinking", text: "hm" }),
  ];
  await time.advance(10);
  await run.done("planned");
  expect(
    (await logged(run, entries)).map(({ type, content, tool_name: tool, tool_input: input, step }) => [
      type,
      content ?? tool ?? step,
      input,
    ]),
  ).toEqual([
    ["workflow_start", "dark mode", undefined],
    ["step_start", "plan", undefined],
    ["assistant", "I look at the code.", undefined],
    ["tool", "Read", { path: "a.ts" }],
    ["tool", "Bash", {}],
    ["step_complete", "plan", undefined],
    ["step_start", "implement", undefined],
  ]);
});

test("rounds of a loop are steps that count from 0", async () => {
  const loop = "name: rounds\ndescription: x\nloop: { until: X, max_iterations: 3 }\nprompt: P\n";
  const run = await begin({ ".archon/workflows/rounds.yaml": loop }, "rounds");
  await run.done("more");
  await run.done("<promise>X</promise>");
  expect(
    (await logged(run)).filter(({ type }) => type.startsWith("step")).map(({ type, step_index: at }) => `${type} ${String(at)}`),
  ).toEqual(["step_start 0", "step_complete 0", "step_start 1", "step_complete 1"]);
});

test("what agents say is logged without the signal of the loop, and rounds that are used up are an error of the last one", async () => {
  const time = new DrivenTime();
  const loop = "name: rounds\ndescription: x\nloop: { until: X, max_iterations: 1 }\nprompt: P\n";
  const run = await begin({ ".archon/workflows/rounds.yaml": loop }, "rounds", time);
  await time.advance(10);
  const about = { at: time.now(), run: run.id, action: "a1", step: "loop", strand: "main", agent: "claude" };
  const texts = ["All is done.\n<promise>X</promise>", "<promise>X</promise>", "Almost <promise>Y</promise>"];
  await time.advance(10);
  await run.done("more");
  const lines = await logged(
    run,
    texts.map((text) => ({ ...about, event: { type: "message", text } })),
  );
  expect(lines.map(({ type, content, step, step_index: at, error }) => [type, content ?? step, at, error])).toEqual([
    ["workflow_start", "dark mode", undefined, undefined],
    ["step_start", "loop", 0, undefined],
    ["assistant", "All is done.", undefined, undefined],
    ["assistant", "Almost <promise>Y</promise>", undefined, undefined],
    ["step_complete", "loop", 0, undefined],
    ["step_error", "loop", 0, "1 round without `X`."],
    ["workflow_error", undefined, undefined, "1 round without `X`."],
  ]);
});

test("a step that runs a workflow is one step of the log, and its failure is the step's", async () => {
  const files = {
    ...chainFiles("  - step: a\n  - workflow: inner", { a: "A", b: "B" }, { name: "outer" }),
    ".archon/workflows/inner.yaml": chainOf("inner", "  - step: b"),
  };
  const run = await begin(files, "outer");
  await run.done("ok");
  await run.fail("broken");
  expect((await logged(run)).slice(3)).toMatchObject([
    { type: "step_start", step: "inner", step_index: 1 },
    { type: "step_error", step: "inner", step_index: 1, error: "broken" },
    { type: "workflow_error" },
  ]);
});

test("what a called workflow declares as secret is masked", async () => {
  const inner = `name: inner
description: x
version: "1.0.0"
inputs: { token: { type: string, secret: true } }
steps: [{ id: use, type: user_message, message: Use it. }]
`;
  const files = chainFiles("  - workflow: inner\n    with: { token: tok-4711-geheim }", {});
  const run = await begin({ ...files, ".waymark/workflows/inner.yaml": inner }, "chain");
  await run.fail("tok-4711-geheim was refused");
  const text = JSON.stringify(await logged(run));
  expect(text).toContain("was refused");
  expect(text).not.toContain("tok-4711-geheim");
});

test("lines are only added: what is in the file stays, and no line comes twice", async () => {
  bench = await openCliBench(seedChain);
  const { run_id: run } = await bench.json<{ readonly run_id: string }>(["start", "feature-development", "--input", "user_message=x"]);
  const before = linesIn(bench.workspace);
  const [name = ""] = readdirSync(join(bench.workspace, ".archon/logs"));
  await writeFile(join(bench.workspace, ".archon/logs", name), `${before.map((line) => JSON.stringify(line)).join("\n")}\n{"note":"mine"}`);
  await bench.run(["status", run]);
  await bench.run(["done", run, "--result", "ok"]);
  expect(linesIn(bench.workspace).map(({ type, step }) => [type, step])).toEqual([
    ["workflow_start", undefined],
    ["step_start", "plan"],
    [undefined, undefined],
    ["step_complete", "plan"],
    ["step_start", "implement"],
  ]);
});

test("a log that cannot be written never stops a run", async () => {
  bench = await openCliBench({ ...seedChain, ".archon/logs": "a file" });
  const started = await bench.run(["--log-file", "waymark.log", "start", "feature-development", "--input", "user_message=x"]);
  expect(started.code).toBe(0);
  expect(await bench.read("waymark.log")).toContain("could not be written");
  const [{ run_id: run } = { run_id: "" }] = (await bench.json<{ readonly runs: readonly { readonly run_id: string }[] }>(["runs"])).runs;
  for (let step = 0; step < 3; step += 1) await bench.run(["done", run, "--result", "ok"]);
  expect(await bench.json(["status", run])).toMatchObject({ status: "completed" });
});

test("git is asked once whether logs are ignored, and only then a warning is given", async () => {
  bench = await openCliBench(seedChain);
  const { workspace } = bench;
  execFileSync("git", ["init", "-q", workspace]);
  const start = (log: string): Promise<unknown> =>
    bench!.run(["--log-file", log, "start", "feature-development", "--input", "user_message=x"]);
  await start("first.log");
  expect(await bench.read("first.log")).toContain("Add `.archon/logs/` to .gitignore.");
  await writeFile(join(workspace, ".gitignore"), ".archon/logs/\n");
  await start("second.log");
  expect(await bench.read("second.log").catch(() => "")).not.toContain(".gitignore");
});

test("runs of other dialects have no log", async () => {
  const steps = 'name: hello\ndescription: x\nversion: "1.0.0"\nsteps:\n  - { id: hi, type: user_message, message: Hi. }\n';
  bench = await openCliBench({ ".waymark/workflows/hello.yaml": steps });
  await bench.run(["start", "hello"]);
  expect(() => readdirSync(join(bench!.workspace, ".archon"))).toThrow("ENOENT");
});

test("a run that is removed leaves its log and its artifacts, and they are named", async () => {
  bench = await openCliBench(seedChain);
  const begin = ["start", "feature-development", "--input", "user_message=dark mode"];
  const [first = "", second = ""] = [await bench.json(begin), await bench.json(begin)].map((begun) => String(begun["run_id"]));
  const id = async (run: string): Promise<string> => String((await bench!.json(["status", run]))["workflow_id"]);
  const [one, other] = [await id(first), await id(second)];
  await bench.write(`.archon/artifacts/${one}/plan.md`, "A plan.\n");
  const { stdout } = await bench.run(["rm", first, "--yes"]);
  const named = `.archon/artifacts/${one}, .archon/logs/${one}.jsonl`;
  expect(stdout).toBe(`Removed 1 run.\nLeft in the workspace, since these files are yours: ${named}\n`);
  expect(await bench.read(`.archon/artifacts/${one}/plan.md`)).toBe("A plan.\n");
  expect(existsSync(join(bench.workspace, `.archon/artifacts/${other}`))).toBe(true);
  expect(await bench.json(["rm", second, "--yes"])).toEqual({ removed: [second], left: [`.archon/logs/${other}.jsonl`] });
  // An empty folder is nobody's.
  expect(readdirSync(join(bench.workspace, ".archon/artifacts"))).toEqual([one]);
});

test("a folder for artifacts that holds only folders is named", async () => {
  bench = await openCliBench(seedChain);
  const run = String((await bench.json(["start", "feature-development", "--input", "user_message=x"]))["run_id"]);
  const id = String((await bench.json(["status", run]))["workflow_id"]);
  await mkdir(join(bench.workspace, `.archon/artifacts/${id}/drafts`));
  expect(await bench.json(["rm", run, "--yes"])).toEqual({ removed: [run], left: [`.archon/artifacts/${id}`, `.archon/logs/${id}.jsonl`] });
});
