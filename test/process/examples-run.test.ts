/**
 * Each example runs to its end twice: with its tool server, whose tools the engine calls itself, and without any server, so that the
 * agent is given the calls. The agent is scripted, and what it does to the files is real.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/base/index.ts";
import { start } from "../../src/engine/index.ts";
import type { AtomicStep } from "../../src/views/index.ts";
import { drive, openExample, type Done } from "../support/seed-examples.ts";
import { exampleDoer } from "../support/example-agent.ts";
import { SeedRun } from "../support/seed-bench.ts";
import type { TestEngine } from "../support/test-engine.ts";

let engine: TestEngine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

interface Played {
  readonly run: SeedRun;
  readonly done: readonly Done[];
  /** What the user was shown. */
  readonly said: readonly string[];
  readonly state: JsonObject;
}

interface Play {
  readonly example: string;
  readonly workflow: string;
  readonly server: boolean;
  readonly inputs?: JsonObject;
  readonly serial?: boolean;
  /** Answers in place of the scripted agent's own. */
  readonly instead?: (step: AtomicStep, task: string | undefined) => Json | undefined;
}

async function play({ example, workflow, server, inputs = {}, serial = false, instead }: Play): Promise<Played> {
  engine = await openExample(example, { server });
  const { folder, context, caller } = engine;
  await engine.allow(workflow);
  const said: string[] = [];
  const does = await exampleDoer(folder, said);
  const run = new SeedRun(engine, caller, await start(context, caller, { workflow, inputs, serial }));
  const done = await drive(run, async (step, task) => {
    const own = instead?.(step, task);
    return own === undefined ? does(step, task) : own;
  });
  return { run, done, said, state: await run.state() };
}

const kinds = (done: readonly Done[]): string[] => [...new Set(done.map((step) => step.type))].sort();

describe("standards:fix", () => {
  const standards = { example: "standards-fix", workflow: "standards:fix" };

  test("fixes the project with its tool server, without handing a single tool call to the agent", async () => {
    const { run, done, said, state } = await play({ ...standards, server: true });
    expect(run.error).toBeUndefined();
    expect(run.status).toBe("completed");
    expect(kinds(done)).toEqual(["apply_hints", "parallel_tasks", "user_message"]);
    expect(said[0]).toContain("All standards are met.");
    expect(state["summary"]).toMatchObject({ files: 4, open_issues: 0, tests_failed: 0, failed_batches: [], clean: true });
    expect(state["batch_status"]).toEqual({ batch_0: "done", batch_1: "done" });
    expect((state["tests"] as JsonObject)["passed"]).toBe(1);
    const total = await readFile(join(run.engine.folder, "src/total.ts"), "utf8");
    expect(total).toContain("const sum = 0");
    expect(total).not.toMatch(/\bvar\b|console|: any/);
  });

  test("does the same when the agent makes the tool calls", async () => {
    const { run, done, said } = await play({ ...standards, server: false });
    expect(run.error).toBeUndefined();
    expect(run.status).toBe("completed");
    expect(kinds(done)).toEqual(["apply_hints", "mcp_call", "parallel_tasks", "user_message"]);
    expect(done.some((step) => step.task === "batch_1" && step.id === "rounds.fix_batches.files.hints")).toBe(true);
    expect(said[0]).toContain("All standards are met.");
  });

  test("asks for the scope, and one pattern is enough", async () => {
    const { run, state } = await play({
      ...standards,
      server: true,
      inputs: { scope: "ask", run_tests: false },
      instead: (step) => (step.type === "user_input" ? "only src/money.ts" : undefined),
    });
    expect(run.status).toBe("completed");
    expect(state).toMatchObject({ scope: "only src/money.ts", source_files: ["src/money.ts"], fixes_applied: 1 });
  });

  test("ends early when nothing matches", async () => {
    const { run, said } = await play({ ...standards, server: true, inputs: { scope: "only lib/**" } });
    expect(run.status).toBe("completed");
    expect(said).toEqual(["No source file matches `lib/**`. Nothing was changed."]);
  });

  test("an agent that fixes nothing is tried again in every round, then the run fails with a report", async () => {
    const { run, said, state } = await play({
      ...standards,
      server: true,
      inputs: { max_rounds: 2, run_tests: false },
      instead: (step) => (step.type === "apply_hints" ? { applied_count: 0 } : undefined),
    });
    expect(run.status).toBe("failed");
    expect(state["round"]).toBe(2);
    expect(said[0]).toContain("Some work is left.");
    expect(said.at(-1)).toContain("could not be applied");
  });

  test("a batch whose sub-agent keeps failing is cleaned up after and collected, and the others go on", async () => {
    const { run, state } = await play({
      ...standards,
      server: true,
      instead: (step, task) => {
        if (step.type === "apply_hints" && task === "batch_0") throw new Error("no rights");
        return undefined;
      },
    });
    expect(run.status).toBe("failed");
    expect(state["batch_status"]).toMatchObject({ batch_1: "done" });
    expect(state["sub_agent_errors"]).toMatchObject([
      { task_id: "batch_0", message: "no rights", attempts: 2 },
      { task_id: "batch_0" },
      { task_id: "batch_0" },
    ]);
  });

  test("runs without sub-agents in serial mode", async () => {
    const { run, done, said } = await play({ ...standards, server: true, serial: true });
    expect(run.status).toBe("completed");
    expect(kinds(done)).toEqual(["apply_hints", "user_message"]);
    expect(said[0]).toContain("All standards are met.");
  });
});

describe.each([
  ["with its tool server", true],
  ["without a server", false],
])("deps:analyze %s", (_how, server) => {
  const deps = { example: "dependency-analysis", workflow: "deps:analyze", server };

  test("derives everything from one command", async () => {
    const { run, done, said, state } = await play(deps);
    expect(run.error).toBeUndefined();
    expect(run.status).toBe("completed");
    expect(state["hubs"]).toEqual([
      { file: "src/log.ts", users: 4 },
      { file: "src/price.ts", users: 2 },
    ]);
    expect(state["overview"]).toEqual({ imports: 8, hubs: 2, cycles: 1, package: "bookshop", healthy: false });
    expect(state).toMatchObject({
      reviewed: { "src/log.ts": 3, "src/price.ts": 7 },
      remark_count: 3,
      format: "2",
      ratio: 2,
      package_facts: { name: "bookshop", version: "2.1" },
    });
    expect(said[0]).toContain("bookshop: 8 imports, 2 hubs, 1 circles.");
    expect(said[0]).toContain("discount.ts -> price.ts -> discount.ts");
    expect(done.map((step) => step.id)).toEqual([
      ...(server ? [] : ["find_cycles"]),
      "each_hub.review_src_log_ts",
      "each_hub.review_src_price_ts",
      "note",
      "report",
    ]);
  });

  test("ends early in a folder without imports", async () => {
    const { run, said } = await play({ ...deps, inputs: { folder: ".waymark" } });
    expect(run.status).toBe("completed");
    expect(said).toEqual(["No file in `.waymark` imports another one."]);
  });
});

describe.each([
  ["with its tool server", true],
  ["without a server", false],
])("quality:gate %s", (_how, server) => {
  test("runs the shared checks twice, each with a state of its own", async () => {
    const { run, done, said, state } = await play({ example: "shared-checks", workflow: "quality:gate", server });
    expect(run.error).toBeUndefined();
    expect(run.status).toBe("completed");
    expect(state).toMatchObject({
      first_count: 3,
      verdict: "pass",
      opinion_count: 2,
      to_judge: [{ id: "src/big.ts" }, { id: "src/walk.ts" }],
    });
    expect(said).toEqual(["pass: 3 issues, 5 by the strict rules, in 2 files; 2 opinions."]);
    expect(state).not.toHaveProperty("total_issues");
    expect(done.filter((step) => step.id === "opinions.judge").map((step) => step.task)).toEqual(["src/big.ts", "src/walk.ts"]);
    expect(done.some((step) => step.type === "mcp_call")).toBe(!server);
  });
});

describe.each([
  ["with its tool server", true],
  ["without a server", false],
])("release:plan %s", (_how, server) => {
  const plan = { example: "task-graph", workflow: "release:plan", server };

  test("takes the most urgent ready tasks first, with conditional dependencies", async () => {
    const { run, said, state } = await play({ ...plan, inputs: { facts: { schema_changed: true } } });
    expect(run.error).toBeUndefined();
    expect(run.status).toBe("completed");
    expect(state["waves"]).toEqual([["schema", "changelog"], ["migrate"], ["api"], ["client", "docs"], ["review"], ["release"]]);
    expect(said).toEqual(["8 done, 0 failed, 0 dropped, 0 not wanted, in 6 waves."]);
  });

  test("leaves out what this release does not want, and what needed it is ready at once", async () => {
    const { said, state } = await play({ ...plan, inputs: { at_once: 1 } });
    expect(state["waves"]).toEqual([["api"], ["client"], ["changelog"], ["docs"], ["review"], ["release"]]);
    expect(said[0]).toContain("2 not wanted");
  });

  test("tries a failed task once more, then drops what needs it and goes on with the rest", async () => {
    let tries = 0;
    const { said, state } = await play({
      ...plan,
      instead: (_step, task) => {
        if (task !== "client") return undefined;
        tries += 1;
        throw new Error("no client");
      },
    });
    expect(tries).toBe(2);
    expect(state["settled"]).toMatchObject({ client: "failed", review: "dropped", release: "dropped", docs: "done", changelog: "done" });
    expect(said[0]).toContain("3 done, 1 failed, 2 dropped");
  });

  test("refuses a plan that names unknown tasks, and ends a plan that runs in a circle", async () => {
    engine = await openExample("task-graph", { server });
    await engine.write("circle.json", JSON.stringify([{ id: "a", needs: ["b"] }, { id: "b", needs: ["a"] }, { id: "c" }]));
    await engine.write("unknown.json", JSON.stringify([{ id: "a", needs: ["z"] }]));
    await engine.allow("release:plan");
    const begin = async (tasks_file: string): Promise<SeedRun> => {
      const { context, caller } = engine as TestEngine;
      const run = new SeedRun(
        engine as TestEngine,
        caller,
        await start(context, caller, { workflow: "release:plan", inputs: { tasks_file } }),
      );
      await drive(run, () => "ok");
      return run;
    };
    expect((await begin("unknown.json")).error?.message).toBe("The plan names tasks that do not exist: a needs z.");
    expect((await begin("circle.json")).error?.message).toBe("2 tasks wait for each other in a circle.");
  });
});

describe("tool calls of a project with a tool server", () => {
  async function begin(steps: string): Promise<SeedRun> {
    engine = await openExample("standards-fix", { server: true });
    await engine.write(
      ".waymark/workflows/calls.yaml",
      `name: calls\ndescription: d\nversion: "1"\ndefault_state: { raw: { file: src/money.ts } }\nsteps: ${steps}\n`,
    );
    await engine.allow("calls");
    return new SeedRun(engine, engine.caller, await start(engine.context, engine.caller, { workflow: "calls" }));
  }

  test("a tool that no server offers is handed to the agent as it would have been without any", async () => {
    const run = await begin(
      `[{ id: other, type: mcp_call, mcp: { method: translate, params: { file: "{{ file }}" } }, state_update: { path: raw.out } }]`,
    );
    expect(run.step).toMatchObject({
      id: "other",
      type: "mcp_call",
      definition: { method: "translate", params: { file: "src/money.ts" }, state_update: { path: "raw.out" } },
      variable_replacements: { "{{ file }}": "src/money.ts" },
    });
    await run.done("fertig");
    expect(await run.read("out")).toBe("fertig");
  });

  test("a tool that fails is a failure of the step, with the tool's own words", async () => {
    const run = await begin(
      `[{ id: read, type: mcp_call, mcp: { method: read_files, params: { files: ../../secret } }, on_error: continue, error_state_update: { path: raw.why, value: "{{ error.type }}: {{ error.message }}" } }]`,
    );
    expect(run.status).toBe("completed");
    expect(await run.read("why")).toMatch(/^TOOL_FAILED: .*outside the project/);
  });

  test("a server may be named before its tool", async () => {
    const run = await begin(
      `[{ id: list, type: mcp_call, mcp: { method: tools.list_files, params: { patterns: "src/m*.ts" } }, state_update: { path: raw.out } }]`,
    );
    expect(await run.read("out")).toEqual(["src/money.ts"]);
  });

  test("every tool of the server does what it says", async () => {
    engine = await openExample("dependency-analysis", { server: true });
    const { tools } = engine.host;
    await engine.write(
      "src/routes.ts",
      `import { order } from "./order";\nimport { gone } from "./nowhere";\napp.get("/orders", order);\nexport const never = [1;\n`,
    );
    await engine.write(
      "standards.json",
      JSON.stringify([{ rule: "no-app", find: "app\\.", replace: "router.", message: "Use the router." }]),
    );
    await engine.write("test/ok.test.mjs", `import { test } from "node:test";\ntest("ok", () => {});\n`);
    const call = async (method: string, params: JsonObject): Promise<Json> => {
      const outcome = await tools.call(method, params, { timeoutMs: 60_000 });
      if (outcome?.ok !== true) throw new Error(outcome?.message ?? `${method} is not offered`);
      return outcome.value;
    };
    expect(await call("list_files", { patterns: ["src/{log,index}.ts"] })).toEqual(["src/index.ts", "src/log.ts"]);
    expect(await call("write_files", { files: { "notes/a.txt": "abcdefgh" } })).toEqual({ written: ["notes/a.txt"] });
    expect(await call("read_files", { files: "notes/a.txt", max_tokens: 1, page: 2 })).toEqual({ "notes/a.txt": "efgh" });
    expect(await call("check_typescript", { files: "src/routes.ts" })).toMatchObject({
      errors: 2,
      issues: [
        { rule: "unresolved-import", line: 2 },
        { rule: "unbalanced", line: 4 },
      ],
    });
    expect(await call("lint_project", { target_files: "src/routes.ts", use_standards: true })).toMatchObject({
      errors: 1,
      by_file: { "src/routes.ts": 1 },
      issues: [{ rule: "no-app", line: 3 }],
    });
    expect(await call("hints_for_file", { file_path: "src/routes.ts" })).toMatchObject({ hints: [{ rule: "no-app", replace: "router." }] });
    expect(await call("find_import_cycles", {})).toMatchObject({
      has_cycles: true,
      cycles: [["src/discount.ts", "src/price.ts", "src/discount.ts"]],
    });
    expect(await call("find_dead_code", { project_root: "src" })).toMatchObject({ unused: [{ file: "routes.ts", name: "never" }] });
    expect(await call("extract_api_endpoints", {})).toMatchObject({
      endpoints: [{ method: "GET", path: "/orders", file: "src/routes.ts", line: 3 }],
    });
    expect(await call("run_test_suite", {})).toMatchObject({ ok: true, passed: 1, failed: 0 });
    expect(await call("get_session_stats", { session_id: "s" })).toMatchObject({
      session_id: "s",
      calls: { list_files: 1, hints_for_file: 1 },
      files_hinted: 1,
    });
  });

  test("nothing is called before the project's workflow and its server were allowed", async () => {
    engine = await openExample("standards-fix", { server: true });
    await expect(start(engine.context, engine.caller, { workflow: "standards:fix" })).rejects.toMatchObject({
      code: "ENGINE_NOT_ALLOWED",
      message: expect.stringContaining("list_files") as string,
    });
  });
});
