/** Every small workflow of the seed, completed into a file of `examples/gallery`, runs to its end. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkpoint, resume, start } from "../../src/engine/index.ts";
import type { Json, JsonObject } from "../../src/base/index.ts";
import { drive, readTree, type Doer } from "../support/seed-examples.ts";
import { SeedRun, textOf } from "../support/seed-bench.ts";
import { openTestEngine, type TestEngine } from "../support/test-engine.ts";

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine(await readTree(join(import.meta.dirname, "../../examples/gallery")));
});
afterAll(() => engine.close());

async function begin(name: string, inputs: JsonObject = {}): Promise<SeedRun> {
  await engine.allow(name);
  return new SeedRun(engine, engine.caller, await start(engine.context, engine.caller, { workflow: name, inputs }));
}

/** Answers by method or step id; messages need no answer. */
function answers(given: Readonly<Record<string, Json | ((step: { readonly definition: JsonObject }) => Json)>>, said: string[] = []): Doer {
  return (step) => {
    if (step.type === "user_message") return void said.push(textOf(step.definition["message"]));
    const key = [step.definition["method"], step.id].map(textOf).find((name) => Object.hasOwn(given, name));
    if (key === undefined) throw new Error(`nobody knows how to do ${step.id}`);
    const held = given[key];
    return typeof held === "function" ? held(step) : held;
  };
}

test("no file of the gallery has a problem beyond warnings", async () => {
  const listed = (await engine.context.catalog.list()).filter((entry) => entry.name.startsWith("gallery:"));
  expect(listed).toHaveLength(13);
  for (const { name } of listed) {
    const { diagnostics } = await engine.context.catalog.load(name);
    expect(
      diagnostics.filter((problem) => problem.severity === "error"),
      name,
    ).toEqual([]);
  }
});

test("basic structure: imports, default state, computed batches, tasks", async () => {
  const run = await begin("gallery:basic-structure");
  const done = await drive(run, answers({ read_files: ({ definition }) => (definition["params"] as JsonObject)["files"] ?? null }));
  expect(done.map((step) => step.type)).toEqual(["parallel_tasks", "mcp_call"]);
  expect(run.status).toBe("completed");
  expect(await run.state()).toMatchObject({
    filtered_files: ["a.ts", "c.ts", "look.css"],
    batch_status: { batch_0: "done" },
    file_results: { batch_0: ["a.ts", "c.ts", "look.css"] },
    ready_batches: [],
    errors: [],
  });
});

test("state features: single, cascading, several sources and the whole state", async () => {
  const said: string[] = [];
  const run = await begin("gallery:state-features");
  await drive(run, answers({ run_test_suite: { failed: 0, files: ["src/c.js"] } }, said));
  expect(said).toEqual(["2 files, ready: true"]);
  expect(await run.read("complex_calculation")).toEqual([
    { path: "src/a.ts", has_test: false, position: 0 },
    { path: "src/c.js", has_test: true, position: 2 },
  ]);
});

test("step types: every kind of step once", async () => {
  const said: string[] = [];
  const run = await begin("gallery:step-types");
  const done = await drive(
    run,
    answers(
      {
        ask: "branch main",
        "tool.method": { ok: 1 },
        interactive: '{"x":1}',
        "files.hint": { applied_count: 2 },
        deploy: null,
        read_files: "text",
      },
      said,
    ),
  );
  expect(run.error).toBeUndefined();
  expect(run.status).toBe("completed");
  expect(done.map((step) => step.id)).toEqual([
    "ask",
    "tool",
    "interactive",
    "files.hint",
    "deploy.yes",
    "batches",
    "batches.read",
    "batches.read",
    "batches.read",
    "batches.read",
    "tell",
  ]);
  expect(said).toEqual(["Status: 4 seen, 2 tries"]);
  expect(await run.state()).toMatchObject({
    user_choice: "branch main",
    script_result: { x: 1 },
    file_results: { src_a_ts: { hints_applied: 2 } },
  });
});

test("composition: what an included workflow computed can be read", async () => {
  const said: string[] = [];
  const run = await begin("gallery:composition");
  await drive(
    run,
    answers(
      {
        check_typescript: ({ definition }) => ({ errors: JSON.stringify(definition).includes("src/a.ts") ? 2 : 0 }),
        lint_project: { errors: 1 },
      },
      said,
    ),
  );
  expect(said).toEqual(["4 issues in src/a.ts, src/c.ts"]);
});

test("flat names: plain names to read, full paths to write", async () => {
  const said: string[] = [];
  const run = await begin("gallery:flat-names");
  await drive(run, answers({}, said));
  expect(said).toEqual(["Looking at 1 files"]);
  expect(await run.state()).toMatchObject({ file_count: 10, is_complete: true, attempts: 1, version: "1.1" });
});

test("default state: values, functions and inputs", async () => {
  const said: string[] = [];
  await drive(await begin("gallery:default-state", { branch: "dev", parallel: 4 }), answers({}, said));
  await drive(await begin("gallery:default-state"), answers({}, said));
  expect(said).toEqual(["dev 3 4", "main 3 10"]);
});

test("line counts: a condition on computed fields", async () => {
  const said: string[] = [];
  const run = await begin("gallery:line-counts");
  await drive(run, answers({}, said));
  expect(said).toEqual(["Found 1 large files"]);
  expect(await run.read("summary_stats")).toEqual({ total: 4, average: 4 / 3 });
});

test("context limits: a checkpoint in the middle, and a resume that goes on", async () => {
  const run = await begin("gallery:context-limits");
  await run.done("first");
  const { mark } = await checkpoint(engine.context, engine.caller, {
    run: run.id,
    reason: run.position.program.parts[run.position.program.main]?.onHighContext?.reason ?? "",
  });
  expect(mark.reason).toBe("The context is nearly full.");
  const other = await engine.again();
  const again = new SeedRun(other, other.caller, await resume(other.context, other.caller, { run: run.id }));
  expect(again.step?.definition["params"]).toEqual({ part: "two" });
  await drive(again, answers({ work: "next" }));
  expect(again.status).toBe("completed");
  expect(await again.state()).toMatchObject({ done: 3, log: ["begun", "first", "next", "next"] });
  await other.close();
});

test("step errors: retry with fallback, continue with a flag, a transformation's fallback", async () => {
  const said: string[] = [];
  const run = await begin("gallery:step-errors");
  await drive(run, answers({}, said));
  expect(said).toEqual(["false true {}"]);
});

test("task errors: retried, collected, cleaned up after", async () => {
  const said: string[] = [];
  const run = await begin("gallery:task-errors");
  const done = await drive(
    run,
    answers(
      {
        process: ({ definition }) => {
          if (JSON.stringify(definition).includes("src/c.ts")) throw new Error("no memory");
          return null;
        },
      },
      said,
    ),
  );
  expect(done.filter((step) => step.task === "batch_1")).toHaveLength(3);
  expect(said).toEqual(["1 failed"]);
  expect(await run.state()).toMatchObject({
    batch_status: { batch_0: "done", batch_1: "failed" },
    sub_agent_errors: [{ task_id: "batch_1", message: "no memory", attempts: 3 }],
  });
});

test("workflow errors: notifications, collection, and a resume that finishes the work", async () => {
  const said: string[] = [];
  const run = await begin("gallery:workflow-errors");
  await drive(run, answers({}, said));
  expect(run.status).toBe("failed");
  expect(said.join()).toContain("The workflow failed: ");
  expect(await run.state()).toMatchObject({ prepared: 1, workflow_status: "failed", workflow_errors: [{ step_id: "build" }] });
  run.position = await resume(engine.context, engine.caller, { run: run.id });
  await drive(run, answers({ build: null }, said));
  expect(run.status).toBe("completed");
  expect(await run.state()).toMatchObject({ prepared: 1, workflow_status: "finished" });
});

test("transformation errors: caught inside, or replaced and checked", async () => {
  const said: string[] = [];
  const run = await begin("gallery:transformation-errors");
  await drive(run, answers({}, said));
  expect(said).toEqual(["It is not JSON: 0", "2: 2"]);
  expect(run.status).toBe("completed");
});

test("error tracking: the engine keeps the fields", async () => {
  const run = await begin("gallery:error-tracking");
  let tries = 0;
  await drive(run, () => {
    tries += 1;
    if (tries === 1) throw new Error("once");
    return null;
  });
  expect(await run.state()).toMatchObject({
    steps_completed: ["init", "detect_files", "flaky"],
    steps_failed: ["broken"],
    retry_counts: { flaky: 1 },
    last_error: { step_id: "broken" },
    can_retry: true,
    error_summary: { failed_count: 1, error_types: ["STEP_FAILED", "COMMAND_FAILED"], first_error: { message: "once" } },
  });
});
