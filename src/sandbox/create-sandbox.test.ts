import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { Json } from "../base/index.ts";
import type { SandboxResult } from "../ports/index.ts";
import { createSandbox } from "./create-sandbox.ts";

const sandbox = createSandbox();
afterAll(() => sandbox.close());

function run(code: string, bindings: Record<string, Json> = {}, space = "here"): Promise<SandboxResult> {
  return sandbox.evaluate({ space, code, bindings });
}
async function value(code: string, bindings: Record<string, Json> = {}, space = "here"): Promise<Json> {
  const result = await run(code, bindings, space);
  return result.ok ? result.value : `${result.code}: ${result.message}`;
}
async function code(text: string, bindings: Record<string, Json> = {}): Promise<string> {
  const result = await run(text, bindings);
  return result.ok ? "ok" : result.code;
}
/** Long enough to live inside the interpreter. */
const list = (length: number): string[] => Array.from({ length }, (_, index) => `src/module/file-${(index * 7) % length}.ts`);

describe("results", () => {
  test("a body returns its value with its bindings as parameters", async () => {
    expect(await value("const n = a + b.length; return { n, at: new Date(0) };", { a: 2, b: ["x"] })).toEqual({
      n: 3,
      at: "1970-01-01T00:00:00.000Z",
    });
  });

  test("what JSON does not know becomes null, as JSON does", async () => {
    expect(await value("return [NaN, undefined, () => 1, 1 / 0]")).toEqual([null, null, null, null]);
    for (const text of ["return NaN", "return undefined", "return () => 1", "return Symbol('x')", ""]) expect(await value(text)).toBe(null);
  });

  test("text of every kind survives the way in and out", async () => {
    await fc.assert(
      fc.asyncProperty(fc.record({ text: fc.string({ unit: "binary", maxLength: 400 }), tree: fc.jsonValue() }), async (bindings) => {
        const sent = JSON.parse(JSON.stringify(bindings)) as { text: string; tree: Json };
        expect(await value("return [text, tree]", sent)).toEqual([sent.text, sent.tree]);
      }),
      { numRuns: 200 },
    );
  });

  test("a key named __proto__ stays a plain key", async () => {
    expect(
      JSON.stringify(await value("return [Object.keys(it), ({}).polluted]", { it: JSON.parse('{"__proto__":{"polluted":1}}') as Json })),
    ).toBe('[["__proto__"],null]');
  });

  test("values JSON cannot carry are refused in words", async () => {
    expect(await value("return 10n")).toMatch(/^SANDBOX_RESULT: .*BigInt.*Number\(value\)/);
    expect(await value("const it = {}; it.self = it; return it")).toMatch(/^SANDBOX_RESULT: .*contains itself/);
    expect(await value("return (async () => 1)()")).toMatch(/^SANDBOX_RESULT: .*promise.*not supported/);
    expect(await value("return { toJSON() { throw new Error('no') } }")).toMatch(/^SANDBOX_RESULT: .*Error: no/);
  });

  test("errors of the code and errors in the code are told apart", async () => {
    expect(await value("return 1 +")).toMatch(/^SANDBOX_SYNTAX: SyntaxError/);
    expect(await value("return JSON.parse('{')")).toMatch(/^SANDBOX_THROWN: SyntaxError/);
    expect(await value("return absent.name", { absent: null })).toMatch(/^SANDBOX_THROWN: TypeError: cannot read property 'name' of null/);
    expect(await value("throw 'just text'")).toBe("SANDBOX_THROWN: just text");
    expect(await value("throw { get message() { throw 1 } }")).toMatch(/^SANDBOX_THROWN: an error that cannot be shown/);
  });

  test("a name that is no identifier and a value that is no JSON are the caller's fault", async () => {
    await expect(run("return 1", { "a b": 1 })).rejects.toMatchObject({ code: "SANDBOX_BINDING" });
    await expect(run("return 1", { big: 1n as unknown as Json })).rejects.toMatchObject({ code: "SANDBOX_BINDING" });
    expect(await value("return good", { good: list(100) })).toHaveLength(100);
    await expect(run("return 1", { kept: list(90), big: { n: 1n } as unknown as Json })).rejects.toMatchObject({ code: "SANDBOX_BINDING" });
  });

  test("a value of a refused call is sent when it comes again", async () => {
    const kept = list(120);
    await expect(run("return 1", { kept, big: { n: 1n } as unknown as Json })).rejects.toMatchObject({ code: "SANDBOX_BINDING" });
    expect(await value("return kept.length", { kept })).toBe(120);
  });
});

describe("what code may see", () => {
  test("nothing of Node, no network, no timers, no modules", async () => {
    const names = [
      "process",
      "require",
      "module",
      "fetch",
      "setTimeout",
      "WebAssembly",
      "Worker",
      "Deno",
      "console",
      "performance",
      "navigator",
      "std",
      "os",
    ];
    expect(await value(`return [${names.map((name) => `typeof ${name}`).join(",")}].filter((it) => it !== "undefined")`)).toEqual([]);
  });

  test("the clock stands still and the dice repeat", async () => {
    const text = "return [Date.now(), new Date().toISOString(), Math.random(), Math.random(), new Date(2024, 0, 1).getTimezoneOffset()]";
    const first = await value(text);
    expect(await value(text)).toEqual(first);
    expect(await value(text, {}, "another")).toEqual(first);
  });
});

describe("isolation", () => {
  test("code may change what it is given, and only it sees the change", async () => {
    const small = { list: [3, 1, 2] };
    const large = list(2000);
    expect(await value("small.list.sort(); small.more = 1; return small", { small })).toEqual({ list: [1, 2, 3], more: 1 });
    expect(await value("return small", { small })).toEqual({ list: [3, 1, 2] });
    const sorted = [...large].sort();
    expect(await value("large.sort(); large.push('x'); return large.slice(0, 2)", { large })).toEqual(sorted.slice(0, 2));
    expect(await value("return [large.length, large[1]]", { large })).toEqual([2000, large[1]]);
  });

  test("nothing survives a call: globals, built-ins, prototypes, caches of code", async () => {
    const poison = [
      "Array.prototype.map = () => ['poison']",
      "Object.prototype.polluted = 1",
      "globalThis.leak = 1; undeclared = 2",
      "JSON.stringify = () => '\"poison\"'",
      "JSON.parse = () => 'poison'",
      "Object.defineProperty(Object.prototype, '0', { get: () => 'poison', set() {} })",
      "Function.prototype.call = Function.prototype.apply = () => 'poison'; Reflect.apply = () => 'poison'",
      "Promise.prototype.then = 1; Symbol.iterator; Array.prototype[Symbol.iterator] = function* () { yield 'poison' }",
      "String.prototype.split = () => 'poison'; RegExp.prototype.exec = () => null",
      "Function = () => () => 'poison'; Map.prototype.get = () => 'poison'; Error.prototype.name = 'Poison'",
      "Object.freeze(Array.prototype); Object.freeze(globalThis)",
    ];
    const probe =
      "return [[1].map((n) => n + it.length), typeof leak, typeof undeclared, ({}).polluted ?? null, 'a,b'.split(',').length, Object.isFrozen(globalThis)]";
    for (const it of [[1, 2], list(500)]) {
      const clean = [[1 + it.length], "undefined", "undefined", null, 2, false];
      for (const text of poison) {
        await run(`${text}; return it.length`, { it });
        expect(await value(probe, { it }), text).toEqual(clean);
        expect(await value(probe, { it }, "elsewhere"), text).toEqual(clean);
      }
    }
  });

  test("a random sequence of changes gives each call what a first call gets", async () => {
    const large = list(300);
    const small: Json = { n: 1, deep: { list: [1, 2, 3] } };
    const steps = [
      "large.length = 5",
      "large.reverse()",
      "small.deep.list.push(large)",
      "small.n++; delete small.deep",
      "globalThis.count = (globalThis.count ?? 0) + 1",
      "large.map = 1",
      "large[0] = { toJSON: () => 'x' }",
      "throw new Error('stop')",
      "let s = ''; for (let i = 0; i < 2000; i++) s += i; globalThis.s = s",
    ];
    const probe = "return [large.length, large[0], small, typeof count, typeof s]";
    const first = await value(probe, { large, small }, "sequence");
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...steps), { maxLength: 6 }), async (chosen) => {
        for (const step of chosen) await run(step, { large, small }, "sequence");
        expect(await value(probe, { large, small }, "sequence")).toEqual(first);
      }),
      { numRuns: 60 },
    );
  });

  test("the same code run many times stays the same", async () => {
    for (let n = 0; n < 12; n++)
      expect(await value("globalThis.n = (globalThis.n ?? 0) + step; return [n, arguments.length]", { step: n }, "again")).toEqual([n, 1]);
  });
});

describe("values that are sent once", () => {
  test("the same object and the same long text go over once per space", async () => {
    const own = createSandbox();
    const large = list(3000);
    const small = { a: 1 };
    const text = "long ".repeat(1000);
    const counts: number[] = [];
    for (const space of ["one", "one", "one", "two", "two", "one"]) {
      expect(
        await own.evaluate({ space, code: "return [large.length, small.a, text.length]", bindings: { large, small, text: `${text}` } }),
      ).toMatchObject({ value: [3000, 1, 5000] });
      counts.push(own.stats().valuesSent);
    }
    expect(counts).toEqual([3, 3, 3, 5, 5, 5]);
    const { bytesSent } = own.stats();
    await own.evaluate({ space: "one", code: "return large.length", bindings: { large } });
    expect(own.stats()).toEqual({ calls: 7, valuesSent: 5, bytesSent, restarts: 0 });
    await own.close();
  });

  test("an equal object with another identity is another value", async () => {
    const before = sandbox.stats().valuesSent;
    await run("return it", { it: { a: 1 } });
    await run("return it", { it: { a: 1 } });
    expect(sandbox.stats().valuesSent).toBe(before + 2);
  });

  test("older values give way when the share of memory is used up, and come back when they are needed", async () => {
    const own = createSandbox({ limits: { memoryBytes: 8 << 20 } });
    const lists = Array.from({ length: 12 }, (_, index) => [...list(3000), String(index)]);
    for (const round of [1, 2]) {
      for (const [index, it] of lists.entries()) {
        expect(await own.evaluate({ space: "s", code: "return it.at(-1)", bindings: { it } }), `round ${round}`).toMatchObject({
          value: String(index),
        });
      }
    }
    expect(own.stats().valuesSent).toBe(24);
    expect(await own.evaluate({ space: "s", code: "return it.at(-1)", bindings: { it: lists[11]! } })).toMatchObject({ value: "11" });
    expect(own.stats().valuesSent).toBe(24);
    await own.close();
  });

  test("a value larger than the share is worked on all the same", async () => {
    const own = createSandbox({ limits: { memoryBytes: 4 << 20 } });
    const it = list(15_000);
    for (let n = 1; n <= 2; n++) {
      expect(await own.evaluate({ space: "s", code: "return it.length", bindings: { it } })).toMatchObject({ value: 15_000 });
      expect(own.stats().valuesSent).toBe(n);
    }
    await own.close();
  });

  test("many spaces with values of their own", async () => {
    const it = list(800);
    for (let round = 0; round < 2; round++)
      for (let n = 0; n < 20; n++) expect(await value("return it.length + n", { it, n }, `space ${n}`)).toBe(800 + n);
  });
});

describe("many calls", () => {
  test("ten thousand small calls leave nothing behind", async () => {
    const own = createSandbox({ limits: { memoryBytes: 1 << 20 } });
    const held = { list: [1, 2, 3] };
    const before = process.getActiveResourcesInfo().length;
    for (let n = 0; n < 10_000; n += 100) {
      const results = await Promise.all(
        Array.from({ length: 100 }, (_, k) =>
          own.evaluate({
            space: "s",
            code: "held.list.push('some text that takes memory'); return held.list.length + n",
            bindings: { held, n: n + k },
          }),
        ),
      );
      expect(results.every((result, k) => result.ok && result.value === 4 + n + k)).toBe(true);
    }
    expect(own.stats()).toMatchObject({ calls: 10_000, valuesSent: 1, restarts: 0 });
    expect(process.getActiveResourcesInfo().length).toBeLessThanOrEqual(before + 3);
    await own.close();
  });

  test("calls made at once are all answered, each with its own value", async () => {
    const answers = await Promise.all(Array.from({ length: 300 }, (_, n) => value("return n * 2", { n }, `space ${n % 7}`)));
    expect(answers).toEqual(Array.from({ length: 300 }, (_, n) => n * 2));
  });
});

test("nothing is started before the first call, and a closed sandbox says so", async () => {
  const own = createSandbox();
  expect(own.stats()).toEqual({ calls: 0, valuesSent: 0, bytesSent: 0, restarts: 0 });
  const open = own.evaluate({ space: "s", code: "return 1", bindings: {} });
  await Promise.all([expect(open).rejects.toMatchObject({ code: "SANDBOX_CLOSED" }), own.close()]);
  await expect(own.evaluate({ space: "s", code: "return 1", bindings: {} })).rejects.toMatchObject({ code: "SANDBOX_CLOSED" });
  await own.close();
});

test("limits of a request are its own", async () => {
  const result = await sandbox.evaluate({
    space: "s",
    code: "return 'x'.repeat(5e6).length",
    bindings: {},
    limits: { memoryBytes: 1 << 20 },
  });
  expect(result).toMatchObject({
    ok: false,
    code: "SANDBOX_MEMORY",
    message: "The code needed more than its 1 MB of memory and was stopped.",
  });
  expect(await code("return 'x'.repeat(5e6).length")).toBe("ok");
});
