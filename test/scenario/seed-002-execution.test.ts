/** Seed 002: steps one after the other, with their contexts, artifacts, retries and failures. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { lineOfRun, next, retry, start, updateState, whatItRuns, type TurnWish } from "../../src/engine/index.ts";
import { runLine } from "../../src/views/index.ts";
import { DrivenTime } from "../support/driven-time.ts";
import { chainFiles, seedChain } from "../support/prompt-files.ts";
import { SeedRun, subAgent } from "../support/seed-bench.ts";
import { openTestEngine, type TestEngine } from "../support/test-engine.ts";

let engine: TestEngine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

async function begin(files: Readonly<Record<string, string>>, workflow = "chain", time?: DrivenTime): Promise<SeedRun> {
  engine = await openTestEngine(files, {}, time);
  const { context, caller } = engine;
  return new SeedRun(engine, caller, await start(context, caller, { workflow, inputs: { user_message: "dark mode" } }));
}

/** What a runner would give to an agent for the open step. */
async function wish({ position }: SeedRun): Promise<TurnWish | undefined> {
  const { context } = engine!;
  if (position.standing.kind !== "action") return undefined;
  const handle = await context.runs.open(position.run);
  const { action } = position.standing;
  const { at, leaf } = context.leaves.ofAction(context, handle, action);
  return leaf.turn?.(at, { action });
}

async function wishes(run: SeedRun): Promise<readonly TurnWish[]> {
  const found: TurnWish[] = [];
  for (let turn = await wish(run); turn !== undefined; turn = await wish(run)) {
    found.push(turn);
    await run.done("ok");
    // Behind a task that was shared out the run is asked for what is open next.
    if (run.at === "task_ended") await run.next();
  }
  return found;
}

const besideFiles = chainFiles("  - step: a\n  - parallel: [{ step: b }, { command: c }]\n  - step: d", { a: "A", b: "B", c: "C", d: "D" });

const folderOf = (run: SeedRun): string => `.archon/artifacts/${run.position.state.options.uuid ?? ""}`;

describe("steps", () => {
  test("run in order, each handed out with its prompt, until the run is completed", async () => {
    const run = await begin(seedChain, "feature-development");
    expect(run.step?.definition["prompt"]).toBe("Plan dark mode.");
    expect(await run.toEnd("ok")).toEqual(["plan", "implement", "create-pr"]);
    expect(run.status).toBe("completed");
  });

  test("the first one and those with clearContext begin fresh, others continue the last session", async () => {
    const turns = await wishes(await begin(seedChain, "feature-development"));
    expect(turns.map(({ context }) => context)).toEqual(["fresh", "fresh", "last"]);
    expect(turns.every(({ endIsReport }) => endIsReport)).toBe(true);
  });

  test("members of a parallel entry are fresh, and so is the step after them", async () => {
    const steps = "  - step: a\n  - parallel: [{ step: b }, { command: c }]\n  - step: d\n  - step: e";
    const run = await begin(chainFiles(steps, { a: "A", b: "B", c: "C", d: "D", e: "E" }));
    expect((await wishes(run)).map(({ prompt, context }) => `${prompt} ${context}`)).toEqual([
      "A fresh",
      "B fresh",
      "C fresh",
      "D fresh",
      "E last",
    ]);
  });

  test("members of a parallel entry are open at once, for several agents; the next step waits for all of them", async () => {
    const run = await begin(besideFiles);
    await run.done("ok");
    const { caller } = engine!;
    const other = new SeedRun(engine!, subAgent(caller, "other"), run.position);
    expect([(await run.next()).at, (await other.next()).at]).toEqual(["agent_task b", "agent_task c"]);
    expect((await run.done("b")).at).toBe("task_ended");
    expect((await run.next({ waitMs: 0 })).at).toBe("joining");
    await other.done("c");
    expect((await run.next()).at).toBe("agent_task d");
    expect(await wish(run)).toMatchObject({ context: "fresh" });
  });

  test("a member that fails stops no other one; the run fails behind them, and a retry does that one again alone", async () => {
    const run = await begin(besideFiles);
    await run.done("ok");
    await run.next();
    await run.fail("does not compile");
    expect(run.status).toBe("running");
    await run.next();
    expect(run.at).toBe("agent_task c");
    await run.done("ok");
    expect(run.status).toBe("failed");
    expect(run.error).toMatchObject({ code: "TASKS_FAILED", message: "Step `b`: does not compile" });
    run.position = await retry(engine!.context, engine!.caller, { run: run.id, resetCounts: false });
    await run.next();
    expect(run.at).toBe("agent_task b");
    await run.done("ok");
    await run.next();
    expect(run.at).toBe("agent_task d");
  });

  test("members of a parallel entry count as the steps that they are", async () => {
    const run = await begin(besideFiles);
    const line = (): object => {
      const { label, done, total, counts } = runLine(run.position.state, run.position.program);
      return { label, done, total, counts };
    };
    await run.done("ok");
    await run.next();
    expect(line()).toEqual({ label: "Steps 2-3/4: b, c", done: 1, total: 4, counts: "steps" });
    await run.done("ok");
    expect(line()).toMatchObject({ done: 2, total: 4 });
    await run.next();
    await run.done("ok");
    await run.next();
    expect(line()).toEqual({ label: "Step 4/4: d", done: 3, total: 4, counts: "steps" });
    await run.done("ok");
    expect(line()).toMatchObject({ done: 4, total: 4 });
  });

  test("provider, model, tools, permission and idle time reach the agent, a step's own before the workflow's", async () => {
    const steps = `  - step: a
  - step: b
    provider: codex
    model: large
    permission: { level: edit, commands: [npm test] }
    allowed_tools: []
    denied_tools: [WebSearch]
    idle_timeout: 60000
provider: claude
model: sonnet
permission: read`;
    const [first, second] = await wishes(await begin(chainFiles(steps, { a: "A", b: "B" })));
    const usual = { agent: "claude", model: "sonnet", permission: { level: "read" } };
    expect(first).toMatchObject({ usual });
    expect(first).not.toHaveProperty("agent");
    expect(second).toMatchObject({
      usual,
      agent: "codex",
      model: "large",
      permission: { level: "edit", commands: ["npm test"] },
      tools: { allowed: [], denied: ["WebSearch"] },
      idleMs: 60_000,
    });
  });

  test("the same step twice keeps its name", async () => {
    const run = await begin(chainFiles("  - step: a\n  - step: a", { a: "A" }));
    expect(await run.toEnd("ok")).toEqual(["a", "a"]);
  });

  test("prompts are shown before a person allows them, and a person's own agent needs no permission", async () => {
    const run = await begin(seedChain, "feature-development");
    expect(whatItRuns(engine!.context, run.position.program).map(lineOfRun)).toEqual([
      "agent: Plan $USER_MESSAGE.",
      "agent: Implement it for $WORKFLOW_ID.",
      "agent: Open the pull request.",
    ]);
  });
});

describe("artifacts", () => {
  test("their folder is there before the first step", async () => {
    const run = await begin(seedChain, "feature-development");
    expect(existsSync(join(engine!.folder, folderOf(run)))).toBe(true);
  });

  test("a step that names them is not done without them, whoever reports it; an empty file is none", async () => {
    const run = await begin(
      chainFiles("  - step: plan\n    artifacts: [plan.md, notes/open.md]\n  - step: build", { plan: "P", build: "B" }),
    );
    const { context } = engine!;
    const write: TestEngine["write"] = (path, text) => engine!.write(path, text);
    await write(`${folderOf(run)}/plan.md`, "# Plan");
    await write(`${folderOf(run)}/notes/open.md`, "");
    await expect(run.done("done")).rejects.toMatchObject({
      code: "ENGINE_TASK_FILES",
      message: expect.stringContaining(`${folderOf(run)}/notes/open.md is missing or empty`) as string,
    });
    const person = { ...engine!.caller, holder: { kind: "person" as const, name: "ada", session: "p" } };
    const taken = await next(context, person, { run: run.id, takeOver: true });
    await expect(new SeedRun(engine!, person, taken).done(undefined, { status: "success" })).rejects.toMatchObject({
      code: "ENGINE_TASK_FILES",
    });
    await write(`${folderOf(run)}/notes/open.md`, "none");
    expect((await new SeedRun(engine!, person, taken).done("done")).step?.id).toBe("build");
  });

  test("a runner is told which files must be there", async () => {
    const run = await begin(chainFiles("  - step: plan\n    artifacts: [plan.md]", { plan: "P" }));
    const turn = await wish(run);
    expect(turn?.artifacts).toEqual([`${folderOf(run)}/plan.md`]);
    expect(turn?.prompt).toBe(`P\n\n## Files to leave\n\nThe task is done only when these files are there:\n\n- ${folderOf(run)}/plan.md`);
  });
});

describe("failures", () => {
  test("a failed step fails the run, later ones do not run, and a retry continues with it", async () => {
    const run = await begin(seedChain, "feature-development");
    await run.done("planned");
    await run.fail("does not compile");
    expect(run.status).toBe("failed");
    expect(run.error).toMatchObject({ code: "STEP_FAILED", message: "does not compile" });
    run.position = await retry(engine!.context, engine!.caller, { run: run.id, resetCounts: false });
    expect(await run.toEnd("ok")).toEqual(["implement", "create-pr"]);
    expect(run.status).toBe("completed");
  });

  test("a second retry still knows what is finished", async () => {
    const run = await begin(seedChain, "feature-development");
    await run.done("planned");
    for (const reason of ["one", "two"]) {
      await run.fail(reason);
      run.position = await retry(engine!.context, engine!.caller, { run: run.id, resetCounts: false });
    }
    expect(run.step?.id).toBe("implement");
  });

  test("retry: what passes by itself is tried again after a delay that doubles, and the prompt says why", async () => {
    const time = new DrivenTime();
    const steps = "  - step: a\n    retry: { max_attempts: 2, delay_ms: 1000 }";
    const run = await begin(chainFiles(steps, { a: "A" }), "chain", time);
    for (const ms of [1000, 2000]) {
      await run.done(undefined, { status: "failed", error: "connection reset", waitMs: 0 });
      expect(run.at).toBe("working");
      await time.advance(ms - 1);
      expect((await run.next({ waitMs: 0 })).at).toBe("working");
      await time.advance(1);
      expect((await run.next()).at).toBe("agent_task a");
      expect(run.step?.instructions).toContain("It was tried before and failed: connection reset");
    }
    await run.done(undefined, { status: "failed", error: "connection reset" });
    expect(run.status).toBe("failed");
  });

  test.each([
    ["transient", "the tests do not pass"],
    ["transient", "401 unauthorized after a timeout"],
    ["all", "403 forbidden"],
  ])("retry on %s is not used for: %s", async (on, error) => {
    const run = await begin(chainFiles(`  - step: a\n    retry: { max_attempts: 3, on_error: ${on} }`, { a: "A" }));
    await run.fail(error);
    expect(run.status).toBe("failed");
  });

  test("retry on all is used for what does not pass by itself", async () => {
    const time = new DrivenTime();
    const run = await begin(
      chainFiles("  - step: a\n    retry: { max_attempts: 1, delay_ms: 1000, on_error: all }", { a: "A" }),
      "chain",
      time,
    );
    await run.done(undefined, { status: "failed", error: "the tests do not pass", waitMs: 0 });
    await time.advance(1000);
    expect((await run.next()).at).toBe("agent_task a");
  });

  test("agents cannot write the state of a chain", async () => {
    const run = await begin(seedChain, "feature-development");
    const updates = [{ path: "raw.artifacts_dir", value: "/tmp" }];
    await expect(updateState(engine!.context, engine!.caller, { run: run.id, updates })).rejects.toMatchObject({
      code: "PROMPTS_STATE_FIXED",
    });
  });

  test("a folder for artifacts that cannot be made stops the run before the first step", async () => {
    const run = await begin({ ...seedChain, ".archon/artifacts": "a file" }, "feature-development");
    expect(run.status).toBe("failed");
    expect(run.error?.code).toBe("PROMPTS_FOLDER");
  });
});
