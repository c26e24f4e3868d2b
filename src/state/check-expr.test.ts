import { readdirSync, readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import type { Json } from "../base/index.ts";
import type { Expr } from "../program/index.ts";
import { createSandbox } from "../sandbox/index.ts";
import { checkExpr, namesOf } from "./check-expr.ts";
import { stateCodes } from "./codes.ts";
import { testPattern } from "./runner.ts";

const sandbox = createSandbox({ limits: { timeMs: 200 } });
afterAll(() => sandbox.close());

describe("problems that show at load", () => {
  test.each<[Parameters<typeof checkExpr>[0]["as"], Json, number]>([
    ["text", "Hello {{ name", 6],
    ["text", "{{ a }} {{ b + }}", 14],
    ["text", "{{ }}", 0],
    ["text", "x {{ a | uper }}", 9],
    ["text", "{{ a | join(1, 2) }}", 7],
    ["text", "{{ const x = 1 }}", 3],
    ["value", "{{ a..b }}", 5],
    ["path", "raw.{{ a b }}", 9],
    ["condition", "n >", 3],
    ["condition", "{{ n > }}", 6],
    ["js", "const x = 1;\nx +", 16],
    ["command", "docker inspect --format '{{.State}}'", 27],
    ["command", "echo `{{ a }}`", 6],
  ])("%s %j at %i", (as, of, offset) => {
    expect(checkExpr({ as, of } as Parameters<typeof checkExpr>[0]).map((found) => found.offset)).toEqual([offset]);
  });

  test.each<[Parameters<typeof checkExpr>[0]["as"], Json]>([
    ["text", "no { hole } here"],
    ["text", "{{ {a: {b: 1}} }} {{ '}}' }} {{ `${x}}}` }}"],
    ["value", { a: ["{{ x }}", 1, null], b: "{{ y | default('z') }}" }],
    ["condition", "a && {{ b }}"],
    ["condition", "a.b"],
    ["js", "{ a, b }"],
    ["command", "echo \"{{ a }}\" '{{ b }}' {{ c | raw }}"],
    ["path", "raw.{{ a }}[{{ b }}]"],
  ])("%s %j has none", (as, of) => expect(checkExpr({ as, of } as Parameters<typeof checkExpr>[0])).toEqual([]));

  test("a wrong template of a tool that uses braces itself can be written as text", () => {
    expect(checkExpr({ as: "command", of: "docker inspect --format {{ '{{.State}}' }}" })).toEqual([]);
  });
});

test("names are those read from outside, without the language's and the engine's own", () => {
  expect(
    namesOf({ as: "value", of: { a: "{{ x.y[z] }}", b: ["{{ Math.max(n, 1) }}", "{{ now() }} {{ uuid() }}", "{{ w | default(d) }}"] } }),
  ).toEqual(["x", "z", "n", "w", "d"]);
  expect(namesOf({ as: "condition", of: "{{ a }} && [1].some((i) => i > b)" })).toEqual(["a", "b"]);
  expect(namesOf({ as: "js", of: "const now2 = now(); return now2 + q" })).toEqual(["q"]);
  expect(namesOf({ as: "text", of: "{{ broken" })).toEqual([]);
});

test("a pattern of an author is tried where it can be stopped", async () => {
  expect(await testPattern(sandbox, "^(branch .+|HEAD)$", "HEAD")).toEqual({ ok: true, matches: true });
  expect(await testPattern(sandbox, "^(branch .+|HEAD)$", "head")).toEqual({ ok: true, matches: false });
  expect(await testPattern(sandbox, "(", "x")).toMatchObject({ ok: false, message: expect.stringContaining("`(`") });
  expect(await testPattern(sandbox, "^(a+)+$", `${"a".repeat(40)}!`)).toMatchObject({ ok: false });
});

test("every code that appears in this room is in its catalogue, and every entry is used", () => {
  const texts = readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && file !== "codes.ts")
    .map((file) => readFileSync(`${import.meta.dirname}/${file}`, "utf8"));
  expect(new Set(texts.flatMap((text) => [...text.matchAll(/"(EXPRESSION_[A-Z_]+)"/g)].map(([, code]) => code)))).toEqual(
    new Set(Object.keys(stateCodes)),
  );
});

test("a text with placeholders is checked and read by what fills it, never by its own text", () => {
  const filled = (of: string): Expr => ({ as: "filled", of: "$A {{ 1 +", with: { A: { as: "value", of } } });
  expect(checkExpr(filled("{{ inputs.a }}"))).toEqual([]);
  expect(checkExpr(filled("{{ 1 + }}"))).toHaveLength(1);
  expect(namesOf(filled("{{ inputs.a }}"))).toEqual(["inputs"]);
});
