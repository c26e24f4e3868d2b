/** State rules of the step dialect: three tiers, one flat view, explicit writing. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readState, updateState, type StateUpdate } from "../../src/engine/index.ts";
import type { Json } from "../../src/base/index.ts";
import { SeedBench, textOf, type SeedRun } from "../support/seed-bench.ts";

let bench: SeedBench;
beforeAll(async () => {
  bench = await SeedBench.open();
});
afterAll(() => bench.close());

const waiting = "steps: [{ id: hold, type: user_message, message: hold }]";

function update(
  run: SeedRun,
  updates: readonly StateUpdate[],
  more: { readonly expectedVersion?: number; readonly key?: string } = {},
): ReturnType<typeof updateState> {
  return updateState(run.engine.context, run.caller, { run: run.id, updates, ...more });
}

describe("reading", () => {
  test("state, raw and computed values lie in one flat object", async () => {
    const run = await bench.run(`
default_state: { raw: { attempts: 0, files: [b.ts, a.ts] }, state: { release: "1.0" } }
state_schema: { computed: { sorted: { from: raw.files, transform: "[...input].sort()" } } }
${waiting}`);
    expect(await run.state()).toEqual({ attempts: 0, files: ["b.ts", "a.ts"], release: "1.0", sorted: ["a.ts", "b.ts"] });
  });

  test("computed hides raw and raw hides state, each as a whole", async () => {
    const run = await bench.run(`
default_state: { raw: { a: raw, b: raw, deep: { raw: 1 } }, state: { a: state, b: state, c: state, deep: { state: 1 } } }
state_schema:
  computed:
    a: { from: raw.a, transform: "input + '!'" }
    deep: { from: raw.deep, transform: "({ computed: input.raw })" }
${waiting}`);
    expect(await run.state()).toEqual({ a: "raw!", b: "raw", c: "state", deep: { computed: 1 } });
    expect(await run.read("state.b")).toBe("state");
  });

  test("named paths come back alone, flat or full, and unknown ones as null", async () => {
    const run = await bench.run(`
default_state: { raw: { files: { "a.ts": { errors: 2 } }, count: 1 } }
state_schema: { computed: { twice: { from: raw.count, transform: "input * 2" } } }
${waiting}`);
    const { state } = await readState(run.engine.context, run.id, [
      "count",
      "raw.count",
      "computed.twice",
      'files["a.ts"].errors',
      "nowhere",
      "raw.nowhere.deep",
    ]);
    expect(state).toEqual({
      count: 1,
      "raw.count": 1,
      "computed.twice": 2,
      'files["a.ts"].errors': 2,
      nowhere: null,
      "raw.nowhere.deep": null,
    });
  });

  test("names that stand in two tiers are warned about at load", async () => {
    const found = await bench.problems(`
default_state: { raw: { total: 0 }, state: { total: 1 } }
state_schema: { raw: { result: string }, computed: { result: { from: raw.total, transform: input } } }
${waiting}`);
    expect(found.filter((line) => line.startsWith("warning")).join("\n")).toMatch(/`total`[^]*`result`|`result`[^]*`total`/);
  });
});

describe("writing", () => {
  const operations: readonly [string, StateUpdate, Json][] = [
    ["set replaces whatever is there", { path: "raw.list", value: "x" }, "x"],
    ["set creates parents that are missing", { path: "raw.new.deep.key", operation: "set", value: 1 }, 1],
    ["append adds to a list", { path: "raw.list", operation: "append", value: 2 }, [1, 2]],
    ["append to nothing begins a list", { path: "raw.fresh", operation: "append", value: 2 }, [2]],
    ["increment adds", { path: "raw.count", operation: "increment", value: 5 }, 15],
    ["increment without a value adds one", { path: "raw.count", operation: "increment" }, 11],
    ["increment of nothing begins at zero", { path: "raw.fresh", operation: "increment", value: 3 }, 3],
    ["decrement takes away", { path: "raw.count", operation: "decrement", value: 4 }, 6],
    ["multiply multiplies", { path: "raw.count", operation: "multiply", value: 3 }, 30],
    ["merge is shallow", { path: "raw.map", operation: "merge", value: { b: { y: 1 } } }, { a: 1, b: { y: 1 } }],
    ["merge into nothing begins an object", { path: "raw.fresh", operation: "merge", value: { k: 1 } }, { k: 1 }],
    ["state can be written like raw", { path: "state.mode", value: "busy" }, "busy"],
    ["a quoted key may hold dots and slashes", { path: 'raw.files["src/a.ts"].errors', value: 2 }, 2],
  ];
  test.each(operations)("%s", async (_title, change, expected) => {
    const run = await bench.run(
      `default_state: { raw: { list: [1], count: 10, map: { a: 1, b: { x: 1 } } }, state: { mode: calm } }\n${waiting}`,
    );
    await update(run, [change]);
    expect(await run.read(change.path)).toEqual(expected);
  });

  const refusals: readonly [string, StateUpdate, RegExp][] = [
    ["a computed field cannot be written", { path: "computed.twice", value: 1 }, /computed and cannot be written/],
    ["a bare name cannot be written", { path: "count", value: 1 }, /must start with `raw.` or `state.`/],
    ["inputs cannot be written", { path: "inputs.branch", value: 1 }, /must start with `raw.` or `state.`/],
    ["a whole tier cannot be written", { path: "raw", value: {} }, /whole tier/],
    ["a path with an empty segment is refused", { path: "raw..x", value: 1 }, /not a path|empty segment/],
    ["a path that ends in a dot is refused", { path: "raw.", value: 1 }, /not a path|empty segment|whole tier/],
    ["a leading dot is refused", { path: ".raw.x", value: 1 }, /not a path|must start|empty segment/],
    ["an empty path is refused", { path: "", value: 1 }, /not a path|must start/],
    ["a path through the prototype is refused", { path: "raw.__proto__.x", value: 1 }, /reserved key|not a path/],
    ["append to a number is refused", { path: "raw.count", operation: "append", value: 1 }, /not a list/],
    ["increment of a list is refused", { path: "raw.list", operation: "increment" }, /not a number/],
    ["merge of a text is refused", { path: "raw.map", operation: "merge", value: "x" }, /only an object/],
    ["nothing can be written below a number", { path: "raw.count.deep", value: 1 }, /nothing can be written below/],
    ["an unknown operation is refused", { path: "raw.count", operation: "double" as never, value: 1 }, /not an operation/],
  ];
  test.each(refusals)("%s", async (_title, change, complaint) => {
    const run = await bench.run(`default_state: { raw: { list: [1], count: 10, map: {} } }\n${waiting}`);
    const before = await readState(run.engine.context, run.id);
    await expect(update(run, [{ path: "raw.count", value: 99 }, change])).rejects.toThrow(complaint);
    expect(await readState(run.engine.context, run.id), "nothing of the list is applied").toEqual(before);
  });

  test("an update list is applied in order and as a whole", async () => {
    const run = await bench.run(`default_state: { raw: { n: 2 } }\n${waiting}`);
    await update(run, [
      { path: "raw.n", operation: "multiply", value: 5 },
      { path: "raw.n", operation: "increment" },
      { path: "state.seen", value: true },
    ]);
    expect(await run.state()).toEqual({ n: 11, seen: true });
  });

  test("expected_version refuses an update after somebody else wrote", async () => {
    const run = await bench.run(`default_state: { raw: { n: 0 } }\n${waiting}`);
    const { version } = await readState(run.engine.context, run.id);
    await update(run, [{ path: "raw.n", value: 1 }], { expectedVersion: version });
    await expect(update(run, [{ path: "raw.n", value: 2 }], { expectedVersion: version })).rejects.toMatchObject({
      code: "VERSION_CONFLICT",
      details: { current_version: version + 1 },
    });
    expect(await run.read("n")).toBe(1);
  });

  test("an update answers the computed fields that it changed, and no others", async () => {
    const run = await bench.run(`
default_state: { raw: { a: 1, b: 1 } }
state_schema: { computed: { of_a: { from: raw.a, transform: "input + 1" }, of_b: { from: raw.b, transform: "input + 1" } } }
${waiting}`);
    expect((await update(run, [{ path: "raw.a", value: 5 }])).changed).toEqual({ of_a: 6 });
  });

  test("an update with a key counts once however often it is sent", async () => {
    const run = await bench.run(`default_state: { raw: { n: 0 } }\n${waiting}`);
    for (let round = 0; round < 3; round += 1) await update(run, [{ path: "raw.n", operation: "increment" }], { key: "k" });
    expect(await run.read("n")).toBe(1);
  });

  test("only who drives the run may write its state", async () => {
    const run = await bench.run(waiting);
    const stranger = { ...run.caller, holder: { kind: "agent" as const, name: "stranger", session: "elsewhere" } };
    await expect(updateState(run.engine.context, stranger, { run: run.id, updates: [{ path: "raw.x", value: 1 }] })).rejects.toMatchObject({
      code: "HOLDER_LOST",
    });
  });
});

describe("default state", () => {
  test("static values, functions, inputs and nested templates are evaluated once at start", async () => {
    const run = await bench.run(
      `
inputs: { retries: { type: number, required: false }, branch: { type: string, default: trunk }, parallel: { type: number, required: false } }
default_state:
  raw:
    counter: 0
    enabled: true
    items: []
    began: "{{ now() }}"
    token: "{{ uuid() }}"
    most: "{{ inputs.retries || 3 }}"
    target: "{{ inputs.branch || 'main' }}"
    title: "on {{ inputs.branch }}"
    config: { timeout: 5000, limit: "{{ inputs.parallel || 10 }}" }
  state: { label: "{{ inputs.branch }}" }
${waiting}`,
      { inputs: { parallel: 4 } },
    );
    const state = await run.state();
    expect(state).toMatchObject({
      counter: 0,
      enabled: true,
      items: [],
      most: 3,
      target: "trunk",
      title: "on trunk",
      config: { timeout: 5000, limit: 4 },
      label: "trunk",
    });
    expect(textOf(state["began"])).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(textOf(state["token"])).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-/);
    expect(await run.state()).toEqual(state);
    const again = await run.engine.again();
    expect((await readState(again.context, run.id)).state, "another process reads the same values").toEqual(state);
    await again.close();
  });

  test("declared raw and state fields without a default are simply absent", async () => {
    const run = await bench.run(`state_schema: { raw: { files: array }, state: { mode: string } }\n${waiting}`);
    expect(await run.state()).toEqual({});
    expect(await run.read("files")).toBeNull();
  });
});

describe("inputs and config", () => {
  const inputs = `
inputs:
  name: { type: string, description: "Who." }
  count: { type: number, default: 2, validation: { min: 1, max: 9 } }
  strict: { type: boolean, required: false }
  files: { type: array, default: [] }
  options: { type: object, default: { deep: true } }
  level: { type: string, default: low, validation: { enum: [low, high] } }
  tag: { type: string, default: v1, validation: { pattern: "^v[0-9]+$", error_message: "must look like v1" } }
  free: { type: any, default: null }
  word: string
default_state: { raw: { seen: "{{ inputs }}" } }
${waiting}`;

  test("inputs have types, defaults and rules, and text is read as the declared type", async () => {
    const run = await bench.run(inputs, { inputs: { name: "Ada", word: "w", count: "7", strict: "true", files: '["a"]' } });
    expect(await run.read("seen")).toEqual({
      name: "Ada",
      word: "w",
      count: 7,
      strict: true,
      files: ["a"],
      options: { deep: true },
      level: "low",
      tag: "v1",
      free: null,
    });
  });

  test.each([
    ["a missing required input", { word: "w" }, /`name`/],
    ["an unknown input", { name: "a", word: "w", nmae: 1 }, /nmae/],
    ["a value of the wrong type", { name: "a", word: "w", count: "many" }, /`count`/],
    ["a value outside min and max", { name: "a", word: "w", count: 10 }, /at most 9/],
    ["a value outside enum", { name: "a", word: "w", level: "mid" }, /"low", "high"/],
    ["a value that breaks the pattern", { name: "a", word: "w", tag: "1" }, /must look like v1/],
  ])("%s is refused before anything starts", async (_title, given, complaint) => {
    await expect(bench.run(inputs, { inputs: given })).rejects.toThrow(complaint);
  });

  test("a secret input is masked wherever state is shown", async () => {
    const run = await bench.run(
      `inputs: { key: { type: string, secret: true } }\ndefault_state: { raw: { copy: "k={{ inputs.key }}" } }\n${waiting}`,
      { inputs: { key: "hunter2-long" } },
    );
    expect(JSON.stringify(await run.state())).not.toContain("hunter2-long");
    expect(JSON.stringify(await run.events())).not.toContain("hunter2-long");
  });

  test("config is readable in expressions", async () => {
    const run = await bench.run(
      `config: { limit: 3, names: [a, b] }\nsteps: [{ id: say, type: user_message, message: "{{ config.limit }} {{ config.names[1] }}" }]`,
    );
    expect(run.message).toBe("3 b");
  });
});
