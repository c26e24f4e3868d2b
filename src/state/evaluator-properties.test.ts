import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import type { Json, JsonObject } from "../base/index.ts";
import type { Scope } from "../kernel/index.ts";
import type { ComputedField, Part, Program } from "../program/index.ts";
import { createSandbox } from "../sandbox/index.ts";
import { createEvaluator } from "./evaluator.ts";
import type { FieldTrace } from "./runner.ts";

const sandbox = createSandbox();
afterAll(() => sandbox.close());
const functions = { now: () => "2026-01-02T03:04:05.000Z", uuid: () => "123e4567-e89b-42d3-a456-426614174000" };

function programOf(computed: readonly ComputedField[]): Program {
  const part: Part = {
    name: "p",
    dialect: "steps",
    description: "",
    version: "1",
    inputs: {},
    config: {},
    defaults: { raw: {}, state: {} },
    fields: { raw: {}, state: {} },
    computed,
    root: "r",
    entries: {},
    worklists: [],
    rules: [],
    tracking: {},
    onResume: { retryFailedSteps: true, skipCompletedSteps: true, resetErrorCounts: false, load: [], exclude: [] },
  };
  return { version: 1, name: "p", dialect: "steps", main: "p", parts: { p: part }, blocks: {}, places: {} };
}
const scopeOf = (raw: JsonObject): Scope => ({ part: "p", raw, state: {}, inputs: {}, fixed: {}, version: 0, calls: {} });

test("only what depends on a changed value is computed again, and values are those of a naive model", async () => {
  /** Field n adds up some raw values and some earlier fields, by path or by name. */
  const shape = fc.array(
    fc.record({
      raw: fc.uniqueArray(fc.nat({ max: 3 }), { maxLength: 2 }),
      fields: fc.uniqueArray(fc.nat({ max: 6 }), { maxLength: 2 }),
      named: fc.boolean(),
    }),
    { minLength: 3, maxLength: 7 },
  );
  const writes = fc.array(fc.record({ key: fc.nat({ max: 3 }), value: fc.integer({ min: 0, max: 2 }) }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(shape, writes, async (fields, changes) => {
      const below = fields.map(({ fields: wanted }, n) => wanted.filter((m) => m < n));
      const computed = fields.map(({ raw, named }, n): ComputedField => {
        const paths = [...raw.map((k) => `raw.r${k}`), ...(named ? [] : below[n]!.map((m) => `computed.f${m}`))];
        const names = named ? below[n]!.map((m) => `f${m}`) : [];
        return {
          name: `f${n}`,
          from: paths,
          single: false,
          transform: `(input ?? []).reduce((a, b) => a + b, 0)${names.map((name) => ` + ${name}`).join("")} + ${n}`,
          onError: "use_fallback",
          fallback: null,
        };
      });
      const model = (raw: JsonObject): number[] => {
        const values: number[] = [];
        for (const [n, { raw: keys }] of fields.entries())
          values.push(keys.reduce((sum, k) => sum + Number(raw[`r${k}`]), 0) + below[n]!.reduce((sum, m) => sum + values[m]!, 0) + n);
        return values;
      };
      const traces: FieldTrace[] = [];
      const evaluator = createEvaluator({ runner: sandbox, onTrace: (trace) => traces.push(trace) });
      const program = programOf(computed);
      let raw: JsonObject = { r0: 0, r1: 0, r2: 0, r3: 0 };
      let known: { raw: JsonObject; values: number[] } | undefined;
      for (const change of [undefined, ...changes]) {
        if (change) raw = { ...raw, [`r${change.key}`]: change.value };
        traces.length = 0;
        const flat = await evaluator.flat(program, "r", { run: scopeOf(raw) }, "run");
        const values = model(raw);
        expect(values).toEqual(fields.map((_, n) => flat[`f${n}`]));
        const before = known;
        const must = fields.flatMap(({ raw: keys }, n) =>
          before === undefined ||
          keys.some((k) => before.raw[`r${k}`] !== raw[`r${k}`]) ||
          below[n]!.some((m) => before.values[m] !== values[m])
            ? [`f${n}`]
            : [],
        );
        expect(traces.map(({ field }) => field).sort((a, b) => a.localeCompare(b))).toEqual(must);
        known = { raw, values };
      }
    }),
    { numRuns: 60 },
  );
});

test("a value in a path is always one key, whatever it holds", async () => {
  const evaluator = createEvaluator({ runner: sandbox });
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: "grapheme", minLength: 1 }).filter((text) => !["__proto__", "constructor", "prototype"].includes(text)),
      async (item) => {
        const exprs = Object.fromEntries(
          ["raw.a.{{ item }}", "raw.a.{{ item }}.b", 'raw.a["{{ item }}"]', "raw.a[{{ item }}].b", "raw.a.x-{{ item }}"].map((of, n) => [
            String(n),
            { as: "path" as const, of },
          ]),
        );
        const outcome = await evaluator.evaluate({
          run: "r",
          program: programOf([]),
          scopes: { run: scopeOf({}) },
          scope: "run",
          exprs,
          locals: { item },
          globals: {},
          functions,
        });
        expect(outcome).toMatchObject({
          ok: true,
          values: {
            0: ["raw", "a", item],
            1: ["raw", "a", item, "b"],
            2: ["raw", "a", item],
            3: ["raw", "a", item, "b"],
            4: ["raw", "a", `x-${item}`],
          },
        });
      },
    ),
  );
});

test("replaced gives each hole its value, and text is put together from them", async () => {
  const evaluator = createEvaluator({ runner: sandbox });
  const value = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.array(fc.integer(), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("k", "l"), fc.integer()),
  );
  const literal = fc.string().filter((text) => !text.includes("{") && !text.includes("}"));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(literal, fc.constantFrom("a", "b", "c")), { maxLength: 4 }),
      fc.record({ a: value, b: value, c: value }),
      async (parts, names) => {
        const raw = JSON.parse(JSON.stringify(names)) as Record<string, Json>;
        const shown = (held: Json | undefined): string => (typeof held === "string" ? held : JSON.stringify(held));
        const text = parts.map(([before, name]) => `${before}{{ ${name} }}`).join("");
        const outcome = await evaluator.evaluate({
          run: "r",
          program: programOf([]),
          scopes: { run: scopeOf(raw) },
          scope: "run",
          exprs: { it: { as: "text", of: text } },
          locals: {},
          globals: {},
          functions,
        });
        expect(outcome).toMatchObject({ ok: true, values: { it: parts.map(([before, name]) => before + shown(raw[name])).join("") } });
        expect(outcome.ok && outcome.replaced).toEqual(Object.fromEntries(parts.map(([, name]) => [`{{ ${name} }}`, raw[name]])));
      },
    ),
  );
});

test("what a plain path gives is what JavaScript gives", async () => {
  const evaluator = createEvaluator({ runner: sandbox });
  const raw = { o: { a: { b: [1, { c: null }] }, "x y": "text", n: null }, list: [[1], "ab", null], key: "a", i: 1, missing: null };
  const path = fc
    .tuple(
      fc.constantFrom("o", "list", "key", "i", "missing"),
      fc.array(fc.constantFrom(".a", ".b", "[0]", "[1]", "[i]", "[key]", '["x y"]', ".length", ".n", "?.a", "?.[0]", ".c", "?.nope"), {
        maxLength: 4,
      }),
    )
    .map(([root, keys]) => root + keys.join(""));
  await fc.assert(
    fc.asyncProperty(path, async (text) => {
      const ask = async (js: string) => {
        const outcome = await evaluator.evaluate({
          run: "r",
          program: programOf([]),
          scopes: { run: scopeOf(raw) },
          scope: "run",
          exprs: { it: { as: "value", of: `{{ ${js} }}` } },
          locals: {},
          globals: {},
          functions,
        });
        return outcome.ok ? outcome.values["it"] : outcome.code;
      };
      expect(await ask(text)).toEqual(await ask(`[${text}][0]`));
    }),
    { numRuns: 200 },
  );
});
