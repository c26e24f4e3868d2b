import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { Json } from "../base/index.ts";
import { createSandbox } from "../sandbox/index.ts";
import { analyse } from "./analyse.ts";

const sandbox = createSandbox();
afterAll(() => sandbox.close());

function analysed(js: string) {
  const found = analyse(js);
  if ("error" in found) throw new Error(`${js}: ${found.error.message}`);
  return found;
}
async function value(js: string, names: Record<string, Json> = {}): Promise<Json> {
  const { code, names: free } = analysed(js);
  const result = await sandbox.evaluate({
    space: "analyse",
    code,
    bindings: Object.fromEntries(free.map((name) => [name, names[name] ?? null])),
  });
  return result.ok ? result.value : `${result.code}: ${result.message}`;
}

describe("forms of a transform", () => {
  test.each<[string, string, Json]>([
    ["input.length", "expression", 2],
    ["(input.length)", "expression", 2],
    ["(a => a + 1)(1) // with a comment", "expression", 2],
    ["input.length;", "expression", 2],
    ["input\n  .filter((x) => x > 1)\n  .map((x) => x * 2)\n", "expression", [4]],
    ["{ total: input.length, ok: true }", "object", { total: 2, ok: true }],
    ["{}", "object", {}],
    ["  {\n    a: 1, // one\n    input\n  }\n", "object", { a: 1, input: [1, 2] }],
    ["const n = input.length;\nreturn n + 1", "body", 3],
    ["try { return JSON.parse('{') } catch (e) { return { error: 'bad' } }", "body", { error: "bad" }],
    ["if (input.length > 5) return 1\nreturn 2", "body", 2],
    ["const n = input.length; n * 3", "completion", 6],
    ["const total = input.length;\n{ total, double: total * 2 }", "completion", { total: 2, double: 4 }],
    ["const total = input.length;\n{ total }", "completion", { total: 2 }],
    ["const f = (x) => { return x };\n({ a: f(1) })", "completion", { a: 1 }],
    ["if (input.length > 1) { 'many' } else 'few'", "completion", "many"],
    ["if (!input) return [];\n{ a: 1, b: 2 }", "completion", { a: 1, b: 2 }],
    ["function twice(x) { return x * 2 }\ntwice(4)", "completion", 8],
  ])("%j is read as %s", async (js, form, expected) => {
    expect(analysed(js).form).toBe(form);
    expect(await value(js, { input: [1, 2] })).toEqual(expected);
  });

  test.each([
    ["input.", 1, 7],
    ["", 1, 1],
    ["const x = 5", 1, 1],
    ["a b", 1, 3],
    ["return (", 1, 9],
    ["a\n  + )", 2, 5],
    ["1) + (2", 1, 2],
    ["await x", 1, 7],
    ["import('fs'); import x from 'y'", 1, 15],
  ])("%j is a syntax error at %i:%i", (js, line, column) => {
    expect(analyse(js)).toMatchObject({ error: { line, column } });
  });
});

describe("free names", () => {
  test.each<[string, string[]]>([
    ["a.b.c[d]", ["a", "d"]],
    ["({ a, b: c, [d]: e })", ["a", "c", "d", "e"]],
    ["list.map((x, i) => x + i + y)", ["list", "y"]],
    ["const { p, q: [r = s], ...t } = u; p + r + t", ["s", "u"]],
    ["(({ a, b = c }) => a + b)(d)", ["c", "d"]],
    ["function f(n) { return n ? f(n - 1) : z } f(1)", ["z"]],
    ["try { a } catch (e) { e.message + b }", ["a", "b"]],
    ["for (const x of xs) { let y = x; var v = y } v + y", ["xs", "y"]],
    ["{ let x = 1 } \n x", ["x"]],
    ["label: for (;;) { break label } \n 1", []],
    ["`${a}${`${b}`}`", ["a", "b"]],
    ["typeof a === 'b' && !delete c.d", ["a", "c"]],
    ["class A { m() { return k } } \n new A().m() + x", ["k", "x"]],
    ["Math.max(...Object.values(o), JSON, undefined, new ReferenceError(), ArrayBuffer)", ["o"]],
    ["[a, b.c] = [1, 2], a", ["a", "b"]],
    ["(function named() { return named + arguments.length + new.target })()", []],
    ["switch (k) { case 1: let w = 2; w; default: w } \n w", ["k", "w"]],
  ])("%j", (js, names) => expect(analysed(js).names).toEqual(names));

  /** Expressions built together with the set of names they read from outside. */
  interface Piece {
    readonly text: string;
    readonly free: ReadonlySet<string>;
  }
  const name = fc.constantFrom("a", "b", "c", "d");
  const union = (...sets: ReadonlySet<string>[]): Set<string> => new Set(sets.flatMap((set) => [...set]));
  const without = (set: ReadonlySet<string>, ...names: string[]): Set<string> => new Set([...set].filter((each) => !names.includes(each)));
  const { piece } = fc.letrec<{ piece: Piece }>((tie) => ({
    piece: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      name.map((text) => ({ text, free: new Set([text]) })),
      fc.integer({ min: 0, max: 9 }).map((n) => ({ text: String(n), free: new Set<string>() })),
      fc.tuple(tie("piece"), name).map(([of, key]) => ({ text: `(${of.text}).${key}`, free: of.free })),
      fc.tuple(tie("piece"), tie("piece")).map(([of, key]) => ({ text: `(${of.text})[${key.text}]`, free: union(of.free, key.free) })),
      fc
        .tuple(tie("piece"), tie("piece"), fc.constantFrom("+", "&&", "??", "===", "|"))
        .map(([x, y, op]) => ({ text: `((${x.text}) ${op} (${y.text}))`, free: union(x.free, y.free) })),
      fc.tuple(name, tie("piece"), tie("piece")).map(([bound, body, given]) => ({
        text: `((${bound}) => ${body.text.startsWith("{") ? `(${body.text})` : body.text})(${given.text})`,
        free: union(without(body.free, bound), given.free),
      })),
      fc.tuple(fc.constantFrom(["a", "b"], ["c", "d"], ["d", "a"]), tie("piece"), tie("piece")).map(([[x = "", y = ""], body, given]) => ({
        text: `(function ({ ${x}, k: [${y}] }) { return ${body.text} })(${given.text})`,
        free: union(without(body.free, x, y), given.free),
      })),
      fc.tuple(name, tie("piece"), tie("piece")).map(([bound, init, body]) => ({
        text: `(() => { { let ${bound} = 1 } const ${bound} = () => 0; if (1) { var z = ${init.text} } return ${body.text} })()`,
        free: union(without(init.free, bound, "z"), without(body.free, bound, "z")),
      })),
      fc.tuple(name, tie("piece")).map(([key, held]) => ({
        text: `({ ${key}: ${held.text}, ${key}2() { return ${key} } })`,
        free: union(held.free, new Set([key])),
      })),
      tie("piece").map((held) => ({ text: `\`x\${${held.text}}\``, free: held.free })),
    ),
  }));

  test("are those of a generator that knows them", () => {
    fc.assert(
      fc.property(piece, ({ text, free }) => {
        expect(new Set(analysed(`(${text})`).names)).toEqual(new Set(free));
      }),
      { numRuns: 500 },
    );
  });

  test("are all that code needs: with them bound, nothing is undefined", async () => {
    await fc.assert(
      fc.asyncProperty(piece, async ({ text }) => {
        const outcome = await value(`(${text})`, { a: 1, b: 2, c: 3, d: 4 });
        expect(String(JSON.stringify(outcome))).not.toContain("is not defined");
      }),
      { numRuns: 150 },
    );
  });
});
