/** The debugging tools' data, with every field the seed names. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { explainPlan } from "../../src/dialects/steps/definition/index.ts";
import { debugInfo, testTransformation, traceTransformations, updateState } from "../../src/engine/index.ts";
import { openTestEngine } from "../support/test-engine.ts";
import { SeedBench } from "../support/seed-bench.ts";

let bench: SeedBench;
beforeAll(async () => {
  bench = await SeedBench.open();
});
afterAll(() => bench.close());

const traced = `
default_state: { raw: { text: "a b", n: 1 } }
state_schema:
  computed:
    words: { from: raw.text, transform: "input.split(' ')" }
    count: { from: computed.words, transform: "input.length" }
    broken: { from: raw.n, transform: "input.no.such", fallback: 0 }
steps: [{ id: set, type: state_update, path: raw.started, value: true }, { id: bad, type: shell_command, command: "exit 1", on_error: continue }, { id: hold, type: user_message, message: "{{ count }}" }]`;

describe("traces", () => {
  test("tell field, time, trigger, input, output, duration and error", async () => {
    const run = await bench.run(traced);
    await run.state();
    const traces = await traceTransformations(run.engine.context, run.id);
    expect(traces.find((trace) => trace.field === "words")).toEqual({
      field: "words",
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
      trigger: expect.stringMatching(/.+/) as string,
      input: "a b",
      output: ["a", "b"],
      duration_ms: expect.any(Number) as number,
    });
    expect(traces.find((trace) => trace.field === "broken")?.error).toMatch(/.+/);
    await updateState(run.engine.context, run.caller, { run: run.id, updates: [{ path: "raw.text", value: "a b c" }] });
    await run.state();
    expect((await traceTransformations(run.engine.context, run.id, "words")).at(-1)).toMatchObject({
      output: ["a", "b", "c"],
      trigger: expect.stringContaining("text") as string,
    });
  });

  test("can be limited to a field and spared the timing", async () => {
    const run = await bench.run(traced);
    await run.state();
    const traces = await traceTransformations(run.engine.context, run.id, "count", false);
    expect(traces.map((trace) => trace.field)).toEqual(["count"]);
    expect(traces[0]).not.toHaveProperty("duration_ms");
  });

  test("keep the last entries only, with long values cut", async () => {
    const engine = await openTestEngine(
      {
        ".waymark/workflows/t.yaml": `name: t\ndescription: d\nversion: "1"\ndefault_state: { raw: { n: 0 } }\nstate_schema: { computed: { long: { from: raw.n, transform: "'x'.repeat(5000) + input" } } }\nsteps: [{ id: hold, type: user_message, message: m }]\n`,
      },
      { traceEntries: 3, valuePreviewBytes: 100 },
    );
    const { start, readState } = await import("../../src/engine/index.ts");
    const { run } = await start(engine.context, engine.caller, { workflow: "t" });
    for (let n = 1; n <= 5; n += 1) {
      await updateState(engine.context, engine.caller, { run, updates: [{ path: "raw.n", value: n }] });
      await readState(engine.context, run);
    }
    const traces = await traceTransformations(engine.context, run);
    expect(traces).toHaveLength(3);
    expect(JSON.stringify(traces.at(-1)?.output).length).toBeLessThan(200);
    await engine.close();
  });
});

describe("debug_info", () => {
  test("tells current step, history, sizes and times", async () => {
    const run = await bench.run(traced);
    await run.state();
    const info = await debugInfo(run.engine.context, run.id);
    expect(info).toEqual({
      current_step: "hold",
      step_history: [
        { step_id: "set", status: "success", started_at: expect.any(String) as string, completed_at: expect.any(String) as string },
        { step_id: "bad", status: "failed", started_at: expect.any(String) as string, completed_at: expect.any(String) as string },
      ],
      state_size: {
        raw_bytes: expect.any(Number) as number,
        computed_bytes: expect.any(Number) as number,
        total_transformations: expect.any(Number) as number,
      },
      performance: { avg_transformation_time: expect.any(Number) as number, slowest_transformations: expect.any(Array) as unknown[] },
    });
    expect(info.state_size.raw_bytes).toBeGreaterThan(20);
    expect(info.state_size.computed_bytes).toBeGreaterThan(10);
    expect(info.state_size.total_transformations).toBeGreaterThanOrEqual(3);
    expect(info.performance.slowest_transformations[0]).toEqual({
      field: expect.any(String) as string,
      avg_ms: expect.any(Number) as number,
    });
  });

  test("a step that a loop left early is told as skipped", async () => {
    const run = await bench.run(
      `steps: [{ id: s, type: sequential, timeout: 40, on_error: continue, steps: [{ id: slow, type: mcp_call, mcp: { method: m } }] }, { id: hold, type: user_message, message: m }]`,
    );
    for (let round = 0; round < 100 && run.step?.id !== "hold"; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      await run.next();
    }
    expect((await debugInfo(run.engine.context, run.id)).step_history).toMatchObject([
      { step_id: "s.slow", status: expect.stringMatching(/failed|skipped/) as string },
    ]);
  });
});

describe("test_transformation", () => {
  test("runs a transformation without a run", async () => {
    expect(await testTransformation(bench.engine.context, "input.filter(f => f.endsWith('.ts'))", ["a.ts", "b.js"])).toEqual({
      success: true,
      output: ["a.ts"],
      execution_time_ms: expect.any(Number) as number,
    });
  });

  test("context gives further names", async () => {
    expect(await testTransformation(bench.engine.context, "input + offset", 1, { offset: 41 })).toMatchObject({
      success: true,
      output: 42,
    });
  });

  test("an error is an outcome, not an exception", async () => {
    expect(await testTransformation(bench.engine.context, "input.no.such", {})).toMatchObject({
      success: false,
      error: expect.stringMatching(/.+/) as string,
    });
    expect(await testTransformation(bench.engine.context, "input.map(", [])).toMatchObject({
      success: false,
      error: expect.stringMatching(/line 1/) as string,
    });
  });
});

describe("explain_plan", () => {
  test("lists steps with type, conditions, sub-agents and dependencies, the tools needed and an estimate", async () => {
    const name = await bench.define(`
inputs: { files: { type: array, default: [a, b, c] } }
default_state: { raw: { listed: [] } }
state_schema: { computed: { count: { from: raw.listed, transform: "input.length" } } }
steps:
  - { id: list, type: shell_command, command: "ls", output_format: lines, state_update: { path: raw.listed } }
  - { id: some, type: conditional, condition: "{{ count > 0 }}", then: [{ id: check, type: mcp_call, mcp: { method: check_typescript, params: { files: "{{ listed }}" } } }] }
  - { id: all, type: parallel_foreach, items: "{{ inputs.files }}", sub_agent_task: t }
sub_agent_tasks: { t: { steps: [{ id: lint, type: mcp_call, mcp: { method: lint_project } }] } }`);
    const { program } = await bench.engine.context.catalog.loadValid(name);
    const plan = explainPlan(program, { files: ["x", "y"] });
    const flat = plan.steps.flatMap(function all(step): typeof plan.steps {
      return [step, ...(step.branches ?? []).flatMap((branch) => branch.steps.flatMap(all))];
    });
    expect(flat.map((step) => [step.step_id, step.type])).toEqual([
      ["list", "shell_command"],
      ["some", "conditional"],
      ["some.check", "mcp_call"],
      ["all", "parallel_foreach"],
      ["all.lint", "mcp_call"],
    ]);
    expect(flat[2]?.conditions?.join()).toContain("count > 0");
    expect(flat[2]?.dependencies).toContain("list");
    expect(flat[3]?.estimated_sub_agents).toBe(2);
    expect(plan.required_tools).toEqual(["check_typescript", "lint_project"]);
    expect(plan.estimated_duration).toMatch(/.+/);
  });
});
