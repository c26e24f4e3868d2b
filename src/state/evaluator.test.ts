import { afterAll, describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../base/index.ts";
import type { Scope } from "../kernel/index.ts";
import type { ComputedField, Expr, Part, PlainExpr, Program } from "../program/index.ts";
import { createSandbox } from "../sandbox/index.ts";
import { createEvaluator } from "./evaluator.ts";
import type { Evaluated, FieldTrace, Runner } from "./runner.ts";

const sandbox = createSandbox();
afterAll(() => sandbox.close());
let runnerCalls = 0;
const runner: Runner = { evaluate: (request) => (runnerCalls++, sandbox.evaluate(request)) };
const functions = { now: () => "2026-01-02T03:04:05.000Z", uuid: () => "123e4567-e89b-42d3-a456-426614174000" };

function field(name: string, from: string | readonly string[], transform: string, rest: Partial<ComputedField> = {}): ComputedField {
  return {
    name,
    from: typeof from === "string" ? [from] : from,
    single: typeof from === "string",
    transform,
    onError: "use_fallback",
    fallback: null,
    ...rest,
  };
}
function partOf(rest: Partial<Part> = {}): Part {
  return {
    name: "p",
    dialect: "steps",
    description: "",
    version: "1.0.0",
    inputs: {},
    config: { limit: 3 },
    defaults: { raw: {}, state: {} },
    fields: { raw: {}, state: {} },
    computed: [],
    root: "r",
    entries: {},
    worklists: [],
    rules: [],
    tracking: {},
    onResume: { retryFailedSteps: true, skipCompletedSteps: true, resetErrorCounts: false, load: [], exclude: [] },
    ...rest,
  };
}
function programOf(computed: readonly ComputedField[] = [], more: Record<string, Part> = {}): Program {
  return { version: 1, name: "p", dialect: "steps", main: "p", parts: { p: partOf({ computed }), ...more }, blocks: {}, places: {} };
}
function scopeOf(rest: Partial<Scope> = {}): Scope {
  return { part: "p", raw: {}, state: {}, inputs: {}, fixed: {}, version: 0, calls: {}, ...rest };
}
interface World {
  readonly scope?: Partial<Scope>;
  readonly computed?: readonly ComputedField[];
  readonly locals?: JsonObject;
  readonly globals?: JsonObject;
}
let runs = 0;
function evaluate(exprs: Record<string, Expr>, world: World = {}): Promise<Evaluated> {
  return createEvaluator({ runner }).evaluate({
    run: `run ${runs++ % 4}`,
    program: programOf(world.computed),
    scopes: { run: scopeOf(world.scope) },
    scope: "run",
    exprs,
    locals: world.locals ?? {},
    globals: world.globals ?? {},
    functions,
  });
}
async function one(as: Exclude<PlainExpr["as"], "value">, of: string, world: World = {}): Promise<Json> {
  const outcome = await evaluate({ it: { as, of } }, world);
  return outcome.ok ? outcome.values["it"]! : `${outcome.code}: ${outcome.message}`;
}
async function value(of: Json, world: World = {}): Promise<Json> {
  const outcome = await evaluate({ it: { as: "value", of } }, world);
  return outcome.ok ? outcome.values["it"]! : `${outcome.code}: ${outcome.message}`;
}
async function warnings(as: Exclude<PlainExpr["as"], "value">, of: string, world: World = {}): Promise<string[]> {
  return (await evaluate({ it: { as, of } }, world)).warnings.map(({ code }) => code);
}

describe("values", () => {
  const world: World = { scope: { raw: { n: 2, list: [1, 2], name: "x", nested: { "a.b": 1 } }, inputs: { branch: "main" } } };

  test("a leaf that is one hole keeps its type, one among text becomes text, others are untouched", async () => {
    expect(
      await value({ a: "{{ list }}", b: " {{ n }} ", c: "n={{ n }} {{ list }}", d: [3, null, "{{ inputs.branch }}"], e: "plain" }, world),
    ).toEqual({ a: [1, 2], b: 2, c: "n=2 [1,2]", d: [3, null, "main"], e: "plain" });
  });

  test("a tree without holes is given back itself", async () => {
    const tree = { deep: [{ a: 1 }] };
    expect(await value(tree, world)).toBe(tree);
  });

  test("plain paths, literals and functions need no runner", async () => {
    const before = runnerCalls;
    expect(
      await value(
        [
          "{{ n }}",
          "{{ list[1] }}",
          "{{ list.length }}",
          "{{ nested['a.b'] }}",
          "{{ name[0] }}",
          "{{ 'a}}b' }}",
          "{{ -1 }}",
          "{{ true }}",
          "{{ null }}",
          "{{ now() }}",
          "{{ nested?.x?.y }}",
          "{{ (n) }}",
        ],
        world,
      ),
    ).toEqual([2, 2, 2, 1, "x", "a}}b", -1, true, null, functions.now(), null, 2]);
    expect(runnerCalls).toBe(before);
  });

  test("JavaScript has its own meaning", async () => {
    expect(
      await value(
        [
          "{{ n + 1 }}",
          "{{ list.map((x) => x * 2) }}",
          "{{ missing + 1 }}",
          "{{ missing > 0 }}",
          "{{ inputs.x || 'main' }}",
          "{{ `t${n}` }}",
          "{{ {a: {b: n}} }}",
          "{{ (n + 1) * 2 }}",
          "{{ 'a' == \"a\" ? 1 : 2 }}",
          "{{ /[}\"']/.test('}') }}",
        ],
        world,
      ),
    ).toEqual([3, [2, 4], 1, false, "main", "t2", { a: { b: 2 } }, 6, 1, true]);
  });

  test("uuid gives another id at every call, now the same moment", async () => {
    const [a, b, t] = (await value("{{ [uuid(), uuid(), now() === now()] }}")) as [string, string, boolean];
    expect(a).not.toBe(b);
    expect([a, b].every((id) => /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(id))).toBe(true);
    expect(t).toBe(true);
  });
});

describe("text", () => {
  test("an unknown name stays as written and is warned about", async () => {
    expect(await one("text", "Hello {{ nobody }} and {{ nobody.name }}", { scope: { raw: { n: 1 } } })).toBe(
      "Hello {{ nobody }} and {{ nobody.name }}",
    );
    expect(await warnings("text", "Hello {{ nobody }}")).toEqual(["EXPRESSION_UNKNOWN_NAME"]);
  });

  test("names of JavaScript's own objects are unknown like any other", async () => {
    for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty", "valueOf"])
      expect(await one("text", `{{ ${name} }}`, { scope: { calls: {} } })).toBe(`{{ ${name} }}`);
  });

  test("reading a property of null is an error that shows the expression", async () => {
    expect(await one("text", "{{ gone.x }}", { scope: { raw: { gone: null } } })).toMatch(/^EXPRESSION_FAILED: .*gone/);
    expect(await one("text", "{{ gone.x.trim() }}", { scope: { raw: { gone: null } } })).toMatch(/^EXPRESSION_FAILED: .*gone\.x\.trim\(\)/);
  });

  test("replaced holds every hole as written with its value", async () => {
    const outcome = await evaluate(
      { a: { as: "text", of: "{{ inputs.branch }} {{ n + 1 }} {{ who }}" } },
      { scope: { raw: { n: 1 }, inputs: { branch: "main" } } },
    );
    expect(outcome).toMatchObject({ ok: true, replaced: { "{{ inputs.branch }}": "main", "{{ n + 1 }}": 2 } });
    expect(outcome.ok && Object.keys(outcome.replaced)).toHaveLength(2);
  });
});

describe("filters", () => {
  const world: World = {
    scope: { raw: { f: "lib/io.net.ts", l: ["a", "b"], t: " X y ", o: { a: 1 }, e: "", z: null }, inputs: { d: "other" } },
  };
  test.each([
    ["{{ f | path_to_key }}", "lib_io_net_ts"],
    ["{{ l | join('; ') }}", "a; b"],
    ["{{ t | trim | lower }}", "x y"],
    ["{{ l | length }}", "2"],
    ["{{ o | json }}", '{"a":1}'],
    ["{{ z | default('none') }}", "none"],
    ["{{ nobody | default('none') | upper }}", "NONE"],
    ["{{ z | default(inputs.d) }}", "other"],
    ["{{ z || 'fall back' | upper }}", "FALL BACK"],
    ["{{ z ? 'a' : 'b' | upper }}", "B"],
    ["{{ 'a | b' }}", "a | b"],
    ["{{ ('x' + 'y') | upper }}", "XY"],
    ["{{ (5 | 2) }}", "7"],
    ["{{ 5 | 2 }}", "7"],
    ["{{ t | q }}", "' X y '"],
    ["{{ l | raw }}", '["a","b"]'],
  ])("%s", async (text, expected) => expect(await one("text", text, world)).toBe(expected));

  test("a filter that does not exist is a syntax error with a suggestion", async () => {
    expect(await one("text", "{{ f | uper }}", world)).toMatch(/^EXPRESSION_SYNTAX: .*uper.*upper/);
  });
});

describe("conditions", () => {
  const world: World = { scope: { raw: { n: 2, none: null, list: [] } } };
  test.each([
    ["{{ n > 1 }}", true],
    ["n > 1 &&\n list.length === 0", true],
    ["{{ n }}", true],
    ["{{ none }}", false],
    ["nobody", false],
    ["nobody > 0", false],
    ["{{ list }}", true],
    ["1 / 0", true],
    ["{{ n > 1 }} && {{ list.length }}", false],
    ["const x = n; return x === 2", true],
    ["{{ list | length }}", false],
    ["n == '2'", true],
    ["() => 1", true],
    ["none?.x", false],
  ])("%s is %s", async (text, expected) => expect(await one("condition", text, world)).toBe(expected));

  test("reading a property of null is false with a warning; other errors are errors", async () => {
    for (const text of ["{{ none.x }}", "none.x > 1", "nobody.x"]) {
      expect(await one("condition", text, world)).toBe(false);
      expect(await warnings("condition", text, world)).toContain("EXPRESSION_NULL_PROPERTY");
    }
    expect(await one("condition", "n.no.such()", world)).toBe(false);
    expect(await one("condition", "n.missing()", world)).toMatch(/^EXPRESSION_FAILED: `n\.missing\(\)`/);
    expect(await one("condition", "n >", world)).toMatch(/^EXPRESSION_SYNTAX/);
    expect(await one("condition", "{{ n > }}", world)).toMatch(/^EXPRESSION_SYNTAX/);
    expect(await one("condition", "throw new Error('cannot be')", world)).toMatch(/^EXPRESSION_FAILED/);
  });

  test.each(["name.endsWith('.ts') && list.length === 0", "{{ ['a.ts', 'b.ts'].includes(name) }}", "none?.x?.trim() === undefined"])(
    "%s needs no interpreter",
    async (text) => {
      const before = runnerCalls;
      expect(await one("condition", text, { scope: { raw: { name: "a.ts", none: null, list: [] } } })).toBe(true);
      expect(runnerCalls).toBe(before);
    },
  );

  test("the runner is told to expect a request only for a run that needed it since the last time", async () => {
    let expected = 0;
    const evaluator = createEvaluator({ runner: { ...runner, expect: () => void expected++ } });
    const ask = (run: string, of: string): Promise<Evaluated> =>
      evaluator.evaluate({
        run,
        program: programOf(),
        scopes: { run: scopeOf({ raw: { n: 1 } }) },
        scope: "run",
        exprs: { it: { as: "condition", of } },
        locals: {},
        globals: {},
        functions,
      });
    evaluator.expect("a");
    await ask("a", "n > 1");
    evaluator.expect("a");
    expect(expected).toBe(0);
    await ask("a", "/1/.test(n)");
    await ask("b", "/1/.test(n)");
    evaluator.expect("a");
    evaluator.expect("a");
    expect(expected).toBe(1);
    evaluator.forget("b");
    evaluator.expect("b");
    expect(expected).toBe(1);
  });

  test("code that does not end is a limit", async () => {
    const own = createSandbox({ limits: { timeMs: 100 } });
    const outcome = await createEvaluator({ runner: own }).evaluate({
      run: "r",
      program: programOf(),
      scopes: { run: scopeOf() },
      scope: "run",
      exprs: { c: { as: "condition", of: "while (true) {} 1" } },
      locals: {},
      globals: {},
      functions,
    });
    expect(outcome).toMatchObject({ ok: false, code: "EXPRESSION_LIMIT" });
    await own.close();
  });
});

describe("paths", () => {
  const world: World = {
    locals: { item: "a/b.ts", odd: 'x"y.z\\]', n: 3, whole: 'raw.results["a/b.ts"].x', empty: "", proto: "__proto__" },
  };
  test.each<[string, Json]>([
    ["raw.x", ["raw", "x"]],
    ["raw.results.{{ item }}.ok", ["raw", "results", "a/b.ts", "ok"]],
    ["raw.results.{{ odd }}", ["raw", "results", 'x"y.z\\]']],
    ["raw.results[{{ item }}].ok", ["raw", "results", "a/b.ts", "ok"]],
    ['raw.results["{{ item }}"].ok', ["raw", "results", "a/b.ts", "ok"]],
    ["raw.batch_{{ n }}.x", ["raw", "batch_3", "x"]],
    ["{{ whole }}", ["raw", "results", "a/b.ts", "x"]],
    ["raw.{{ item | path_to_key }}", ["raw", "a_b_ts"]],
  ])("%s", async (text, expected) => expect(await one("path", text, world)).toEqual(expected));

  test("what gives no path is refused", async () => {
    for (const text of ["raw.{{ empty }}.x", "raw..x", "{{ n }}", "raw.{{ nobody }}", "raw.{{ proto }}.x"])
      expect(await one("path", text, world), text).toMatch(/^EXPRESSION_FAILED/);
  });
});

describe("names", () => {
  test("locals come first, then computed, raw and state; the engine's names come last", async () => {
    const world: World = {
      scope: { state: { a: "state", b: "state", c: "state", d: "state" }, raw: { b: "raw", c: "raw", d: "raw" } },
      computed: [field("c", "raw.b", "'computed'"), field("d", "raw.b", "'computed'")],
      locals: { d: "local" },
      globals: { a: "global", e: "global" },
    };
    expect(
      await value(
        ["{{ a }}", "{{ b }}", "{{ c }}", "{{ d }}", "{{ e }}", "{{ config.limit }}", "{{ state.b }}", "{{ raw.c }}", "{{ computed.d }}"],
        world,
      ),
    ).toEqual(["state", "raw", "computed", "local", "global", 3, "state", "raw", "computed"]);
    expect(await one("js", "[a, b, c, d, e, config.limit, state.b, raw.c, computed.d, raw['b']]", world)).toEqual([
      "state",
      "raw",
      "computed",
      "local",
      "global",
      3,
      "state",
      "raw",
      "computed",
      "raw",
    ]);
  });

  test("finished calls are read by their name, and by bare names the parent lacks", async () => {
    const child = partOf({ computed: [field("total", "raw.counts", "input.reduce((a, b) => a + b, 0)")] });
    const scopes = {
      run: scopeOf({ raw: { own: 1, counts: "mine" }, calls: { checks: "c1" } }),
      c1: scopeOf({ part: "child", raw: { counts: [1, 2], files: 2 } }),
    };
    const exprs: Record<string, Expr> = {
      a: { as: "value", of: ["{{ checks.total }}", "{{ total }}", "{{ counts }}", "{{ files }}", "{{ checks }}"] },
      b: { as: "js", of: "checks.total + total + files" },
    };
    const outcome = await createEvaluator({ runner }).evaluate({
      run: "calls",
      program: programOf([], { child }),
      scopes,
      scope: "run",
      exprs,
      locals: {},
      globals: {},
      functions,
    });
    expect(outcome).toMatchObject({ ok: true, values: { a: [3, 3, "mine", 2, { counts: [1, 2], files: 2, total: 3 }], b: 8 } });
  });

  test("a key that is absent is looked for in its path_to_key form", async () => {
    const world: World = {
      scope: { raw: { results: { lib_io_ts: { hints: 1 }, both: null } } },
      locals: { item: "lib/io.ts", key: "both" },
    };
    for (const [as, text] of [
      ["text", "{{ results[item].hints }}"],
      ["js", "String(results[item].hints)"],
      ["js", "String([item].map((it) => results[it]?.hints)[0])"],
      ["js", "String(raw.results[item].hints)"],
    ] as const) {
      expect(await one(as, text, world), text).toBe("1");
      expect(await warnings(as, text, world), text).toContain("EXPRESSION_KEY_FALLBACK");
    }
    expect(await one("js", "results[key]", world)).toBe(null);
    expect(await warnings("js", "results[key]", world)).toEqual([]);
    expect(await one("js", "results[item] = 5, results[item]", world)).toBe(5);
  });

  test("code may write into what it reads without harm", async () => {
    const raw = { list: [3, 1, 2], o: { a: 1 } };
    expect(await one("js", "raw.list.sort(); raw.o.a++; raw.extra = 1; [raw.list[0], raw.o.a, raw.extra]", { scope: { raw } })).toEqual([
      1, 2, 1,
    ]);
    expect(raw).toEqual({ list: [3, 1, 2], o: { a: 1 } });
  });
});

describe("computed fields", () => {
  const graph = [
    field("valid", "raw.files", "input.filter((f) => f.endsWith('.ts'))"),
    field("count", "computed.valid", "input.length"),
    field("label", ["computed.count", "raw.name"], "`${input[1]}: ${input[0]}`"),
    field("uses_name", "computed.count", "input + (offset ?? 0)"),
  ];
  const program = programOf(graph);

  test("a change recomputes what depends on it, and nothing else", async () => {
    const evaluator = createEvaluator({ runner });
    const scope = scopeOf({ raw: { files: ["a.ts", "b.js"], name: "n", offset: 1, other: 1 } });
    const at = (raw: JsonObject) => evaluator.flat(program, "r", { run: { ...scope, raw: { ...scope.raw, ...raw } } }, "run");
    expect(await at({})).toMatchObject({ valid: ["a.ts"], count: 1, label: "n: 1", uses_name: 2 });
    const counts: number[] = [];
    for (const change of [{}, { other: 2 }, { name: "m" }, { offset: 5 }, { files: ["c.ts"] }, {}]) {
      const before = evaluator.stats().computations;
      await at(change);
      counts.push(evaluator.stats().computations - before);
    }
    // A new list of files gives another `valid` of the same length: `count` is computed, is the same, and ends the wave.
    // (The fourth and fifth change also take back the one before.)
    expect(counts).toEqual([0, 0, 1, 2, 3, 2]);
  });

  test("a deep ladder of diamonds is computed once each", async () => {
    const ladder = Array.from({ length: 24 }, (_, n) =>
      field(`f${n}`, n === 0 ? ["raw.x", "raw.x"] : [`computed.f${n - 1}`, `computed.f${n - 1}`], "input[0] + 1"),
    );
    const evaluator = createEvaluator({ runner });
    expect(await evaluator.read(programOf(ladder), "r", { run: scopeOf({ raw: { x: 0 } }) }, "run", ["computed.f23"])).toEqual({
      "computed.f23": 24,
    });
    expect(evaluator.stats().computations).toBe(24);
  });

  test("readers at the same time share one computation", async () => {
    const evaluator = createEvaluator({ runner });
    const scopes = { run: scopeOf({ raw: { files: ["a.ts"], name: "n" } }) };
    await Promise.all(Array.from({ length: 10 }, () => evaluator.flat(program, "r", scopes, "run")));
    expect(evaluator.stats().computations).toBe(4);
  });

  test("on_error, fallback, validate and ignore", async () => {
    const fields = [
      field("fallback", "raw.x", "input.y.z", { fallback: "fb" }),
      field("checked", "raw.n", "input / 0", { fallback: 0, validate: "Number.isFinite(output) && input > 0" }),
      field("fine", "raw.n", "input / 2", { validate: "typeof output === 'number' && !isNaN(output)" }),
      field("ignored", "raw.x", "input.y", { onError: "ignore" }),
      field("wrong", "raw.x", "input.", { fallback: "syntax" }),
      field("late", "raw.x", "Promise.resolve(1)", { fallback: "promise" }),
    ];
    const flat = await createEvaluator({ runner }).flat(programOf(fields), "r", { run: scopeOf({ raw: { x: null, n: 4 } }) }, "run");
    expect(flat).toEqual({ x: null, n: 4, fallback: "fb", checked: 0, fine: 2, wrong: "syntax", late: "promise" });
  });

  test("a field that must not fail refuses the write, also through what it depends on", async () => {
    const fields = [
      field("parsed", "raw.text", "JSON.parse(input)", { onError: "propagate" }),
      field("user", "computed.parsed", "input.user.name", { onError: "propagate" }),
    ];
    const evaluator = createEvaluator({ runner });
    const verify = (text: string) => evaluator.verify("r", programOf(fields), { run: scopeOf({ raw: { text } }) }, "run");
    expect(await verify('{"user":{"name":"x"}}')).toEqual({ ok: true });
    expect(await verify("{")).toMatchObject({ ok: false, field: "parsed" });
    expect(await verify("{}")).toMatchObject({ ok: false, field: "user" });
  });

  test("a circle at run time is an error, not a hang", async () => {
    const fields = [
      field("a", "computed.b", "input"),
      field("b", "computed.a", "input", { onError: "propagate" }),
      field("self", "raw.x", "self + 1", { onError: "propagate" }),
    ];
    const evaluator = createEvaluator({ runner });
    expect(await evaluator.verify("r", programOf(fields), { run: scopeOf() }, "run")).toMatchObject({ ok: false, field: "b" });
    expect(await evaluator.verify("r", programOf(fields.slice(2)), { run: scopeOf() }, "run")).toMatchObject({ ok: false, field: "self" });
    expect(await evaluator.flat(programOf(fields), "r", { run: scopeOf() }, "run")).toEqual({ a: null, b: null, self: null });
  });

  test("a large tier is not sent because one field of it is used", async () => {
    const seen: string[][] = [];
    const spy: Runner = {
      evaluate: (request) => (seen.push(Object.values(request.bindings).map((bound) => JSON.stringify(bound))), sandbox.evaluate(request)),
    };
    const evaluator = createEvaluator({ runner: spy });
    const program = programOf([field("f", "raw.a", "input + raw.b + inputs.c")]);
    const scope = scopeOf({ raw: { a: 1, b: 2, big: "x".repeat(1000) }, inputs: { c: 3, big: "y".repeat(1000) } });
    expect(await evaluator.read(program, "r", { run: scope }, "run", ["f"])).toEqual({ f: 6 });
    await evaluator.read(program, "r", { run: { ...scope, raw: { ...scope.raw, big: "z" } } }, "run", ["f"]);
    expect(evaluator.stats().computations).toBe(1);
    expect(seen.flat().every((bound) => bound.length < 100)).toBe(true);
  });

  test("a time-out is not remembered", async () => {
    let slow = true;
    const evaluator = createEvaluator({
      runner: {
        evaluate: (request) =>
          slow ? Promise.resolve({ ok: false, code: "SANDBOX_TIMEOUT", message: "late", ms: 1 }) : sandbox.evaluate(request),
      },
    });
    const scope = scopeOf({ raw: { x: 1 } });
    const program = programOf([field("f", "raw.x", "[input].length + 1", { fallback: 0 })]);
    expect(await evaluator.read(program, "r", { run: scope }, "run", ["f"])).toEqual({ f: 0 });
    slow = false;
    expect(await evaluator.read(program, "r", { run: { ...scope, version: 1 } }, "run", ["f"])).toEqual({ f: 2 });
  });

  test("every computation is traced with what triggered it", async () => {
    const traces: FieldTrace[] = [];
    const evaluator = createEvaluator({ runner, onTrace: (trace) => traces.push(trace) });
    const scope = scopeOf({ raw: { files: ["a.ts"], name: "n" } });
    await evaluator.flat(program, "r", { run: scope }, "run");
    traces.length = 0;
    await evaluator.flat(program, "r", { run: { ...scope, raw: { ...scope.raw, name: "m" } } }, "run");
    expect(traces).toMatchObject([{ run: "r", scope: "run", field: "label", trigger: "raw.name", input: [1, "m"], output: "m: 1" }]);
  });

  test("scopes do not share values, and a forgotten run is computed again", async () => {
    const evaluator = createEvaluator({ runner });
    const scopes = { run: scopeOf({ raw: { files: ["a.ts"] } }), c1: scopeOf({ raw: { files: [] } }) };
    expect(await evaluator.read(program, "r", scopes, "run", ["count"])).toEqual({ count: 1 });
    expect(await evaluator.read(program, "r", scopes, "c1", ["count"])).toEqual({ count: 0 });
    expect(await evaluator.read(program, "r", scopes, "run", ["count"])).toEqual({ count: 1 });
    const before = evaluator.stats().computations;
    evaluator.forget("r");
    await evaluator.read(program, "r", scopes, "run", ["count"]);
    expect(evaluator.stats().computations).toBe(before + 2);
  });
});

describe("reading and starting", () => {
  test("read takes flat and full paths, unknown ones are null", async () => {
    const evaluator = createEvaluator({ runner });
    const scopes = {
      run: scopeOf({ raw: { a: { b: [1, 2] } }, state: { s: 1 }, inputs: { i: 2 }, calls: { sub: "c1" } }),
      c1: scopeOf({ part: "child", raw: { k: 7 } }),
    };
    const program = programOf([field("c", "raw.a", "({ d: 1 })")], { child: partOf() });
    const paths = [
      "a.b[1]",
      "raw.a.b",
      "s",
      "state.s",
      "inputs.i",
      "c.d",
      "computed.c.d",
      "nope",
      "raw.nope.x",
      "constructor",
      "a.length",
      "config.limit",
      "sub.k",
      "k",
    ];
    expect(await evaluator.read(program, "r", scopes, "run", paths)).toEqual({
      "a.b[1]": 2,
      "raw.a.b": [1, 2],
      s: 1,
      "state.s": 1,
      "inputs.i": 2,
      "c.d": 1,
      "computed.c.d": 1,
      nope: null,
      "raw.nope.x": null,
      constructor: null,
      "a.length": null,
      "config.limit": 3,
      "sub.k": 7,
      k: 7,
    });
  });

  test("initialise evaluates default_state and static fields once", async () => {
    const part = partOf({
      defaults: {
        raw: { at: "{{ now() }}", id: "{{ uuid() }}", tries: "{{ inputs.tries || 3 }}", deep: { limit: "{{ config.limit }}" }, plain: [] },
        state: { v: "v{{ inputs.v }}" },
      },
      computed: [
        field("started", [], "(now())", { fixed: true }),
        field("twice", [], "tries * 2 + started.length", { fixed: true }),
        field("broken", [], "null.x", { fixed: true, fallback: "fb" }),
        field("gone", [], "null.x", { fixed: true, onError: "ignore" }),
        field("live", "raw.tries", "input + twice"),
      ],
    });
    const program: Program = { ...programOf(), parts: { p: part } };
    const evaluator = createEvaluator({ runner });
    const made = await evaluator.initialise({ run: "r", program, part: "p", inputs: { v: 2 }, functions });
    expect(made).toEqual({
      raw: { at: functions.now(), id: functions.uuid(), tries: 3, deep: { limit: 3 }, plain: [] },
      state: { v: "v2" },
      fixed: { started: functions.now(), twice: 30, broken: "fb" },
    });
    expect(await evaluator.flat(program, "r", { run: { ...scopeOf(), ...made } }, "run")).toMatchObject({
      started: functions.now(),
      live: 33,
      broken: "fb",
    });
  });

  test("initialise rejects with an error that says what is wrong", async () => {
    const program: Program = {
      ...programOf(),
      parts: {
        p: partOf({ defaults: { raw: { a: "{{ inputs.x.y.z }}" }, state: {} } }),
        q: partOf({ computed: [field("s", [], "null.x", { fixed: true, onError: "propagate" })] }),
      },
    };
    const evaluator = createEvaluator({ runner });
    for (const part of ["p", "q"])
      await expect(evaluator.initialise({ run: "r", program, part, inputs: {}, functions })).rejects.toMatchObject({
        brand: "waymark.error",
        code: "EXPRESSION_FAILED",
      });
  });

  test("opening another scope does not throw the run's values away", async () => {
    const program = programOf([field("f", "raw.x", "input + 1")], { q: partOf() });
    const evaluator = createEvaluator({ runner });
    const scopes = { run: scopeOf({ raw: { x: 1 } }) };
    await evaluator.flat(program, "r", scopes, "run");
    await evaluator.initialise({ run: "r", program, part: "q", inputs: {}, functions });
    await evaluator.flat(program, "r", { ...scopes }, "run");
    expect(evaluator.stats().computations).toBe(1);
  });
});

test("placeholders are filled without the sandbox, and holes in the text itself are plain text", async () => {
  const exprs: Record<string, Expr> = {
    prompt: {
      as: "filled",
      of: "Do $ARGUMENTS, not {{ 1 + 1 }} nor $2",
      with: {
        ARGUMENTS: { as: "value", of: "{{ inputs.message }}" },
        "2": { as: "value", of: "{{ raw.words[1] | default('none') }}" },
        UNUSED: { as: "js", of: "explode()" },
      },
    },
  };
  const before = runnerCalls;
  const outcome = await evaluate(exprs, { scope: { inputs: { message: "$2 {{ raw }} $&" }, raw: { words: ["a"] } } });
  expect(outcome).toMatchObject({ ok: true, values: { prompt: "Do $2 {{ raw }} $&, not {{ 1 + 1 }} nor none" } });
  expect(runnerCalls).toBe(before);
});
