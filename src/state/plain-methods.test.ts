import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { Json } from "../base/index.ts";
import { createSandbox } from "../sandbox/index.ts";
import { plainCode } from "./plain-operators.ts";

const sandbox = createSandbox();
afterAll(() => sandbox.close());

const methods = {
  text: ["includes", "startsWith", "endsWith", "indexOf", "lastIndexOf", "slice", "substring", "at", "charAt", "split"],
  bare: ["trim", "trimStart", "trimEnd", "toLowerCase", "toUpperCase"],
  list: ["includes", "indexOf", "lastIndexOf", "slice", "at", "join"],
  functions: ["String", "Number", "Boolean", "Array.isArray", "Object.keys", "Number.isInteger", "Number.isFinite"],
  math: ["Math.abs", "Math.ceil", "Math.floor", "Math.round", "Math.trunc", "Math.max", "Math.min"],
} as const;

const characters = fc.constantFrom(..."aB.x/ \t\u00a0\ufeff\u180e\u200b\u2028\u0130\u00df\u03a3\u01c5\ud83d\ude00\ud800é0-".split(""));
const someText = fc.string({ unit: characters, maxLength: 8 });
const someNumber = fc.oneof(fc.integer({ min: -4, max: 9 }), fc.double(), fc.constantFrom(0.5, -0.5, 2.5, -2.5, 1e21, -0));
const someEntry = fc.oneof(someText, someNumber, fc.boolean(), fc.constant(null));
const values = fc.record({
  s: someText,
  t: someText,
  n: someNumber,
  m: someNumber,
  list: fc.array(fc.oneof({ weight: 6, arbitrary: someEntry }, fc.constant([]), fc.constant({ a: 1 })), { maxLength: 5 }),
  it: fc.dictionary(fc.constantFrom("b", "a", "2", "1", "__proto__", "length", "é"), someEntry),
  none: fc.constant(null),
});
const argument = fc.constantFrom(
  "s",
  "t",
  "n",
  "m",
  "list",
  "list[0]",
  "it",
  "it.a",
  "none",
  "'a'",
  "''",
  "'.'",
  "1",
  "-1",
  "undefined",
  "true",
);
const receiver = fc.constantFrom("s", "t", "list", "list[1]", "it", "n", "none", "it.b", "['a', n, s, none]", "[s, t]", "'aB.x'");

const calls = fc.oneof(
  fc.tuple(receiver, fc.constantFrom(...methods.text, ...methods.list), fc.array(argument, { maxLength: 3 })),
  fc.tuple(receiver, fc.constantFrom(...methods.bare), fc.constant<string[]>([])),
);
/** Arguments of the kind a method takes, so that none is left to the sandbox for that alone. */
const fitting = fc.constantFrom(
  ...["includes", "startsWith", "endsWith", "indexOf"].flatMap((name) => [`s.${name}(t)`, `s.${name}(t, n)`, `t.${name}('a', m)`]),
  ...["lastIndexOf(t)", "slice(n, m)", "slice(n)", "substring(n, m)", "at(n)", "charAt(n)", "split(t)", "split('.')"].map(
    (call) => `s.${call}`,
  ),
  ...["includes", "indexOf", "lastIndexOf"].flatMap((name) => [`list.${name}(s)`, `list.${name}(n)`, `[t, n, s].${name}(s)`]),
  ...["slice(n)", "slice(n, m)", "at(n)", "join(s)", "join()"].map((call) => `list.${call}`),
);
const expression = fc.oneof(
  fitting,
  fc.tuple(calls, fc.constantFrom(".", "?.")).map(([[on, name, given], dot]) => `${on}${dot}${name}(${given.join(", ")})`),
  fc
    .tuple(calls, fc.constantFrom(".length", "?.length", "[0]", ".trim()", "?.at(0)", ".includes(s)", ".join('-')", " === t", " + s"))
    .map(([[on, name, given], rest]) => `${on}?.${name}(${given.join(", ")})${rest}`),
  fc
    .tuple(fc.constantFrom(...methods.functions, ...methods.math), fc.array(argument, { maxLength: 2 }))
    .map(([name, given]) => `${name}(${given.join(", ")})`),
  fc
    .tuple(fc.constantFrom(...methods.math), fc.array(fc.constantFrom("n", "m", "1", "-n"), { minLength: 1, maxLength: 2 }))
    .map(([name, given]) => `${name}(${given.join(", ")})`),
  fc.constantFrom("it?.a", "none?.a", "none?.a.b.c", "(none?.a)?.b", "it.a?.b", "none?.a ?? s", "Object.keys(it).length > n"),
);

const plainValues = { s: "aB.x", t: "a", n: 1, m: 2, list: ["a", 1], it: { a: 1 }, none: null };
/** Every method with arguments that it takes, so that none is left to chance. */
const eachOnce = [
  ...methods.text.map((name) => `s.${name}(${/slice|substring|at|charAt/i.test(name) ? "n" : "t"})`),
  ...methods.bare.map((name) => `s.${name}()`),
  ...methods.list.map((name) => `list.${name}(${/slice|at/.test(name) ? "n" : "s"})`),
  ...methods.functions.map((name) => `${name}(${name === "Array.isArray" ? "list" : name === "Object.keys" ? "it" : "n"})`),
  ...methods.math.map((name) => `${name}(${/max|min/.test(name) ? "n, m" : "n"})`),
].map((source): [string, typeof plainValues] => [source, plainValues]);

/** Both as JSON and as JavaScript judges it. */
async function inSandbox(code: string, bindings: Record<string, Json>): Promise<Json | undefined> {
  const judged = `const r=(function(){${code}})();return [JSON.stringify(r)===undefined?null:JSON.parse(JSON.stringify(r)),!!r];`;
  const result = await sandbox.evaluate({ space: "plain", code: judged, bindings });
  return result.ok ? result.value : undefined;
}

describe("methods without the interpreter", () => {
  test("give what the sandbox gives, or leave it to the sandbox", async () => {
    const quick = new Set<string>();
    await fc.assert(
      fc.asyncProperty(expression, values, async (source, given) => {
        const bindings = JSON.parse(JSON.stringify(given)) as Record<string, Json>;
        const code = `return (${source}\n);`;
        const plain = plainCode(code)?.(bindings);
        if (plain === undefined) return;
        for (const [name] of source.matchAll(/[A-Z][\w.]*(?=\()|(?<=\.)\w+(?=\()/g)) quick.add(name);
        expect([JSON.parse(JSON.stringify(plain.value ?? null)), Boolean(plain.value)]).toEqual(await inSandbox(code, bindings));
      }),
      { numRuns: 1500, examples: eachOnce },
    );
    const never = Object.values(methods)
      .flat()
      .filter((name) => !quick.has(name));
    expect(never).toEqual([]);
  });

  test("every single character is trimmed as in the sandbox", async () => {
    const all = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
    const white = await sandbox.evaluate({ space: "plain", code: "return all.filter((c) => c.trim() === '').join('')", bindings: { all } });
    expect(white).toMatchObject({ value: all.filter((char) => plainCode("return c.trim()")?.({ c: char })?.value === "").join("") });
  });

  test.each(["s.trim()", "s.includes('a')", "['a', 'b'].includes(s)", "list.includes('x') && it?.a === 1", "Object.keys(it).length"])(
    "%s is decided here",
    (source) => {
      expect(plainCode(`return (${source}\n);`)?.({ s: "a", list: ["x"], it: { a: 1 } })).toBeDefined();
    },
  );

  test.each([
    "s.replace('a', 'b')",
    "s.repeat(2)",
    "s.padEnd(9)",
    "s.match('a')",
    "list.map(String)",
    "list.some((e) => e)",
    "list.push(1)",
    "list.sort()",
    "list.includes(it)",
    "list.includes(...list)",
    "[it].includes(s)",
    "[...list].includes(s)",
    "[, s].includes(s)",
    "s.includes",
    "s['includes']('a')",
    "s.includes?.('a')",
    "s?.missing()",
    "it.trim()",
    "n.trim()",
    "none.trim()",
    "s.includes()",
    "s.includes(/a/)",
    "s.startsWith(n)",
    "Object.keys(s)",
    "Object.keys(list)",
    "Array.from(list)",
    "Math.random()",
    "Math.max()",
    "unknown.trim()",
    "new String(s)",
    "String`x`",
    "[[1]].join()",
    "é.toUpperCase()",
  ])("%s is left to the sandbox", (source) => {
    const names = { s: "a", n: 1, list: ["x"], it: { a: 1 }, none: null, é: "é" };
    expect(plainCode(`return (${source}\n);`)?.(names)).toBeUndefined();
  });

  test("what is long is left to the sandbox, which has a clock", () => {
    const decide = (source: string, bindings: Record<string, Json>): unknown => plainCode(`return (${source}\n);`)?.(bindings);
    expect(decide("s.includes(t)", { s: "a".repeat(60_000), t: "b".repeat(900) })).toEqual({ value: false });
    expect(decide("s.includes(t)", { s: "a".repeat(60_000), t: "b".repeat(1001) })).toBeUndefined();
    expect(decide("s.trim()", { s: "a".repeat(70_000) })).toBeUndefined();
    expect(decide("list.includes('x')", { list: Array.from({ length: 10_001 }, () => "y") })).toBeUndefined();
    expect(decide("list.join(s)", { list: Array.from({ length: 900 }, () => "y"), s: "-".repeat(100) })).toBeUndefined();
  });
});
