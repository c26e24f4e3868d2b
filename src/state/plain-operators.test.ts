import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { Json } from "../base/index.ts";
import { createSandbox } from "../sandbox/index.ts";
import { plainCode } from "./plain-operators.ts";

const sandbox = createSandbox();
afterAll(() => sandbox.close());

const names = {
  a: 3,
  b: "text",
  c: null,
  d: true,
  e: [1, "two", null],
  f: { x: 5, "y z": "deep", in: { n: 0 } },
  g: "12",
  h: 0,
  i: "",
  j: -1.5,
};
const atoms = [
  "a",
  "b",
  "c",
  "d",
  "g",
  "h",
  "i",
  "j",
  "e",
  "f",
  "e.length",
  "b.length",
  "e[1]",
  "f.x",
  'f["y z"]',
  "f.in.n",
  "f.missing",
  "0",
  "1",
  "'text'",
  "'12'",
  "null",
  "true",
  "undefined",
  "(a)",
  "e[9]",
  "f.toString",
  "c.x",
];
const operators = ["===", "!==", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "&&", "||"];

const expression = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(...atoms),
    fc.tuple(tie("node"), fc.constantFrom(...operators), tie("node")).map(([left, operator, right]) => `(${left} ${operator} ${right})`),
    fc.tuple(fc.constantFrom("!", "-", "+"), tie("node")).map(([operator, inner]) => `(${operator}(${inner}))`),
    fc.tuple(tie("node"), tie("node"), tie("node")).map(([test, yes, no]) => `(${test} ? ${yes} : ${no})`),
    fc.tuple(tie("node"), tie("node")).map(([left, right]) => `((${left}) ?? (${right}))`),
  ),
})).node;

describe("operators without the interpreter", () => {
  test("give what the sandbox gives, or leave it to the sandbox", async () => {
    let quick = 0;
    await fc.assert(
      fc.asyncProperty(expression, async (source) => {
        const code = `return (${source}\n);`;
        const plain = plainCode(code)?.(names);
        const result = await sandbox.evaluate({
          space: "plain",
          code: `const r=(function(){${code}})();return [JSON.stringify(r)===undefined?null:JSON.parse(JSON.stringify(r)),!!r];`,
          bindings: names,
        });
        quick += plain === undefined ? 0 : 1;
        const ours =
          plain === undefined || !result.ok ? undefined : [JSON.parse(JSON.stringify(plain.value ?? null)) as Json, Boolean(plain.value)];
        expect(plain === undefined ? undefined : (ours ?? "the sandbox failed where we gave a value")).toEqual(
          plain === undefined ? undefined : result.ok ? result.value : undefined,
        );
      }),
      { numRuns: 400 },
    );
    expect(quick).toBeGreaterThan(100);
  });

  test.each([
    "a.b()",
    "[1].length",
    "/x/.test(b)",
    "`t${a}`",
    "(() => 1)()",
    "a = 1",
    "a?.b",
    "this",
    "{ a }",
    "new Map()",
    "delete f.x",
    "a in f",
    "a++",
    "await a",
    "1n",
  ])("%s is left to the sandbox", (source) => {
    expect(plainCode(`return (${source}\n);`)?.(names)).toBeUndefined();
  });

  test.each(["f.constructor", "f.__proto__", "e.map", "b.trim", "f.hasOwnProperty", "c.x", "unknown", "f + 1", "e == 1", "-e"])(
    "%s is left to the sandbox when it is read",
    (source) => {
      expect(plainCode(`return (${source}\n);`)?.(names)).toBeUndefined();
    },
  );
});
