/** Computed fields: what they are derived from, what a failure does, and when they are computed again. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dependencies, readState, traceTransformations, updateState } from "../../src/engine/index.ts";
import type { Json, JsonObject } from "../../src/base/index.ts";
import { SeedBench, type SeedRun } from "../support/seed-bench.ts";

let bench: SeedBench;
beforeAll(async () => {
  bench = await SeedBench.open();
});
afterAll(() => bench.close());

const waiting = "steps: [{ id: hold, type: user_message, message: hold }]";

function withFields(raw: JsonObject, computed: JsonObject, more = ""): Promise<SeedRun> {
  return bench.run(`default_state: ${JSON.stringify({ raw })}\nstate_schema: ${JSON.stringify({ computed })}\n${more}\n${waiting}`);
}

function set(run: SeedRun, path: string, value: Json): ReturnType<typeof updateState> {
  return updateState(run.engine.context, run.caller, { run: run.id, updates: [{ path, value }] });
}

describe("what a field is derived from", () => {
  test("a single path gives its value as input", async () => {
    const run = await withFields(
      { output: "a.ts\n\nb.js\n" },
      { lines: { from: "raw.output", transform: "input.split('\\n').filter(l => l.trim())" } },
    );
    expect(await run.read("lines")).toEqual(["a.ts", "b.js"]);
  });

  test("several paths give a list of values in their order", async () => {
    const run = await withFields(
      { files: ["a"], tests: { failed: 0 } },
      {
        summary: {
          from: ["raw.files", "raw.tests"],
          transform:
            "{\n  total: input[0].length,\n  failed: input[1].failed || 0,\n  ready: input[0].length > 0 && input[1].failed === 0\n}",
        },
      },
    );
    expect(await run.read("summary")).toEqual({ total: 1, failed: 0, ready: true });
  });

  test("fields cascade in the order of their dependencies, whatever the order in the file", async () => {
    const run = await withFields(
      { text: "x.ts y.css z.js" },
      {
        count: { from: "computed.code", transform: "input.length" },
        code: { from: "computed.words", transform: "input.filter(f =>\n  f.endsWith('.ts') ||\n  f.endsWith('.js')\n)" },
        words: { from: "raw.text", transform: "input.split(' ')" },
      },
    );
    expect(await run.state()).toEqual({ text: "x.ts y.css z.js", words: ["x.ts", "y.css", "z.js"], code: ["x.ts", "z.js"], count: 2 });
  });

  test("a transformation sees the whole flat state by plain names", async () => {
    const run = await withFields(
      { files: ["a.ts", "b.ts"], results: { files: ["a.ts"] } },
      {
        batches: { from: "raw.files", transform: "input.map(f => [f])" },
        detail: {
          from: "raw.files",
          transform:
            "input.map(file => ({\n  path: file,\n  tested: results.files?.includes(file),\n  batch: batches?.findIndex(b => b.includes(file))\n}))",
        },
      },
    );
    expect(await run.read("detail")).toEqual([
      { path: "a.ts", tested: true, batch: 0 },
      { path: "b.ts", tested: false, batch: 1 },
    ]);
    await set(run, "raw.results", { files: ["b.ts"] });
    expect(await run.read("detail"), "a name that is only mentioned counts as a dependency").toMatchObject([
      { tested: false },
      { tested: true },
    ]);
  });

  test("paths may point at inputs and at the state tier", async () => {
    const run = await bench.run(`
inputs: { base: { type: number, default: 2 } }
default_state: { state: { factor: 3 } }
state_schema: { computed: { product: { from: [inputs.base, state.factor], transform: "input[0] * input[1]" } } }
${waiting}`);
    expect(await run.read("product")).toBe(6);
  });

  test("a static field is evaluated once at start", async () => {
    const run = await bench.run(`
default_state: { raw: { n: 1 } }
state_schema: { computed: { first: { static: true, value: "{{ n + 1 }}" } } }
${waiting}`);
    await set(run, "raw.n", 50);
    expect(await run.read("first")).toBe(2);
  });
});

describe("forms of a transformation", () => {
  test.each<[string, string, Json]>([
    ["an expression", "input.length", 2],
    ["an object literal", "{ size: input.length }", { size: 2 }],
    ["a body with return", "const n = input.length; return n * 10;", 20],
    [
      "a body with try and catch",
      "try {\n  return JSON.parse(input[0]);\n} catch (e) {\n  return { error: 'unreadable', raw: input[0] };\n}",
      { error: "unreadable", raw: "a" },
    ],
    ["statements that end in an expression", "const n = input.length\nn + 1", 3],
    ["statements that end in an object literal", "const n = input.length;\n{\n  n: n,\n  twice: n * 2\n}", { n: 2, twice: 4 }],
    ["comments at the end of a line", "input.length // how many", 2],
    ["a template string", "`${input[0]}-${input[1]}`", "a-b"],
    ["a set that becomes a list", "[...new Set(input.concat(input))]", ["a", "b"]],
  ])("%s works", async (_title, transform, expected) => {
    const run = await withFields({ list: ["a", "b"] }, { made: { from: "raw.list", transform } });
    expect(await run.read("made")).toEqual(expected);
  });

  test("a transformation that cannot be read is an error at load with its place", async () => {
    const found = await bench.problems(`state_schema: { computed: { bad: { from: raw.x, transform: "input.map(f =>" } } }\n${waiting}`);
    expect(found.join("\n")).toMatch(/^error /m);
  });
});

describe("failures", () => {
  test("on_error: use_fallback is the default, with null", async () => {
    const run = await withFields({ text: "{" }, { parsed: { from: "raw.text", transform: "JSON.parse(input)" } });
    expect(await run.state()).toEqual({ text: "{", parsed: null });
  });

  test("fallback stands in for a failed transformation", async () => {
    const run = await withFields(
      { text: "{" },
      { parsed: { from: "raw.text", transform: "JSON.parse(input)", on_error: "use_fallback", fallback: { empty: true } } },
    );
    expect(await run.read("parsed")).toEqual({ empty: true });
    await set(run, "raw.text", '{"a":1}');
    expect(await run.read("parsed")).toEqual({ a: 1 });
  });

  test("on_error: ignore takes the key away", async () => {
    const run = await withFields({ text: "{" }, { parsed: { from: "raw.text", transform: "JSON.parse(input)", on_error: "ignore" } });
    expect(await run.state()).toEqual({ text: "{" });
    await set(run, "raw.text", "1");
    expect(await run.state()).toEqual({ text: "1", parsed: 1 });
  });

  test("on_error: propagate refuses the update as a whole", async () => {
    const run = await withFields(
      { text: "1", other: 1 },
      { parsed: { from: "raw.text", transform: "JSON.parse(input)", on_error: "propagate" } },
    );
    const updates = [
      { path: "raw.other", value: 2 },
      { path: "raw.text", value: "{" },
    ];
    await expect(updateState(run.engine.context, run.caller, { run: run.id, updates })).rejects.toMatchObject({ code: "COMPUTED_REFUSED" });
    expect(await run.state()).toEqual({ text: "1", other: 1, parsed: 1 });
  });

  test("on_error: propagate fails the step whose result it refuses", async () => {
    const run = await bench.run(`
default_state: { raw: { text: "1" } }
state_schema: { computed: { parsed: { from: raw.text, transform: "JSON.parse(input)", on_error: propagate } } }
steps:
  - { id: bad, type: state_update, path: raw.text, value: "{" }`);
    expect(run.status).toBe("failed");
    expect(run.error).toMatchObject({ code: "COMPUTED_REFUSED" });
    expect(await run.read("text")).toBe("1");
  });

  test("validate: a result that does not pass counts as an error", async () => {
    const run = await withFields(
      { a: 6, b: 3 },
      {
        ratio: {
          from: ["raw.a", "raw.b"],
          transform: "input[0] / input[1]",
          on_error: "use_fallback",
          fallback: 0,
          validate: "typeof output === 'number' && !isNaN(output) && isFinite(output)",
        },
      },
    );
    expect(await run.read("ratio")).toBe(2);
    await set(run, "raw.b", 0);
    expect(await run.read("ratio")).toBe(0);
  });

  test("an endless transformation ends at the time limit and uses its fallback", async () => {
    const run = await withFields({ a: 1 }, { stuck: { from: "raw.a", transform: "while (true) {} return 1;", fallback: "gave up" } });
    expect(await run.read("stuck")).toBe("gave up");
  });

  test("a transformation cannot reach files, network, timers or dice", async () => {
    const run = await withFields(
      { a: 1 },
      {
        found: {
          from: "raw.a",
          transform:
            "['process', 'require', 'fetch', 'setTimeout', 'XMLHttpRequest', 'Deno'].filter(n => typeof globalThis[n] !== 'undefined')",
        },
      },
    );
    expect(await run.read("found")).toEqual([]);
  });
});

describe("when fields are computed", () => {
  test("a change computes only what depends on it, each field once, diamonds too", async () => {
    const run = await withFields(
      { a: 1, far: 1 },
      {
        left: { from: "raw.a", transform: "input + 1" },
        right: { from: "raw.a", transform: "input + 2" },
        both: { from: ["computed.left", "computed.right"], transform: "input[0] + input[1]" },
        away: { from: "raw.far", transform: "input" },
      },
    );
    await run.state();
    const before = (await traceTransformations(run.engine.context, run.id)).length;
    await set(run, "raw.a", 2);
    expect(await run.state()).toMatchObject({ left: 3, right: 4, both: 7, away: 1 });
    const fresh = (await traceTransformations(run.engine.context, run.id)).slice(before).map((trace) => trace.field);
    expect(fresh.toSorted()).toEqual(["both", "left", "right"]);
  });

  test("a condition sees what the step before it changed", async () => {
    const run = await bench.run(`
default_state: { raw: { left: 3, rounds: 0 } }
state_schema: { computed: { has_work: { from: raw.left, transform: "input > 0" } } }
steps:
  - id: loop
    type: while
    condition: "{{ has_work }}"
    body:
      - { type: state_update, path: raw.left, operation: decrement }
      - { type: state_update, path: raw.rounds, operation: increment }`);
    expect(run.status).toBe("completed");
    expect(await run.read("rounds")).toBe(3);
  });

  test("a circle is refused at load and named", async () => {
    const found = await bench.problems(`
state_schema:
  computed:
    one: { from: computed.two, transform: input }
    two: { from: computed.one, transform: input }
    self: { from: computed.self, transform: input }
${waiting}`);
    expect(found.filter((line) => line.startsWith("error")).join("\n")).toMatch(/one[^]*two[^]*self|self[^]*one[^]*two/);
  });

  test("dependencies are told in both directions", async () => {
    const run = await withFields(
      { text: "a" },
      { words: { from: "raw.text", transform: "input.split(' ')" }, count: { from: "computed.words", transform: "input.length" } },
    );
    expect(await dependencies(run.engine.context, run.id, "count")).toEqual({
      direct_deps: ["computed.words"],
      all_deps: ["computed.words", "raw.text"],
      dependents: [],
    });
    expect((await dependencies(run.engine.context, run.id, "words")).dependents).toEqual(["count"]);
    expect((await dependencies(run.engine.context, run.id, "raw.text")).dependents).toEqual(["words", "count"]);
  });

  test("runs do not share schemas or values", async () => {
    const one = await withFields({ n: 1 }, { out: { from: "raw.n", transform: "input + 1" } });
    const two = await withFields({ n: 1 }, { out: { from: "raw.n", transform: "input + 100" } });
    expect([await one.read("out"), await two.read("out"), await one.read("out")]).toEqual([2, 101, 2]);
    expect((await readState(one.engine.context, one.id)).version).toBe(0);
  });
});
