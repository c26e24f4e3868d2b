import { afterAll, describe, expect, test } from "vitest";
import type { SandboxResult } from "../ports/index.ts";
import { createSandbox } from "./create-sandbox.ts";

const sandbox = createSandbox({ limits: { timeMs: 300, memoryBytes: 64 << 20 } });
afterAll(() => sandbox.close());

const attempt = (code: string, space = "attacker"): Promise<SandboxResult> =>
  sandbox.evaluate({ space, code, bindings: { input: ["a.ts", "b.js"] } });
const kept = Array.from({ length: 500 }, (_, index) => `file ${index}`);

/** One long built-in, in which the interpreter looks at no clock. */
const uninterruptible = "return 'x'.repeat(60000000).replaceAll('x', 'y').length";

/** Stopped by a limit, each in its own way; any of these codes is a defence that held. */
const stopped = ["SANDBOX_TIMEOUT", "SANDBOX_MEMORY", "SANDBOX_THROWN"];

const exhausting: Record<string, string> = {
  "a loop without end": "for (;;) {}",
  "a loop that swallows its interruption": "for (;;) { try { for (;;) {} } catch {} }",
  "a loop in finally": "try { for (;;) {} } finally { for (;;) {} }",
  "recursion without end": "const down = (n) => down(n + 1) + 1; return down(0)",
  "mutual recursion through a getter": "const it = { get a() { return it.b }, get b() { return it.a } }; return it.a",
  "a generator that is spread": "return [...(function* () { for (;;) yield 1 })()]",
  "a regular expression that backtracks": "return /^(\\w+\\s?)+$/.test('word '.repeat(30) + '!')",
  "nested quantifiers": "return /^(x+x+)+y$/.test('x'.repeat(60))",
  "alternatives that overlap": "return 'b'.repeat(40000).replace(/(b|b)*c/, '')",
  "a list that grows for ever": "const all = []; for (;;) all.push(new Array(1000).fill(7))",
  "objects for ever": "const all = []; for (let n = 0; ; n++) all.push({ n, key: 'k' + n })",
  "text that grows for ever": "let all = 'x'; for (;;) all += all",
  "a map for ever": "const all = new Map(); for (let n = 0; ; n++) all.set(n, [n])",
  "a gigabyte at once": "return new Uint8Array(1 << 30).length",
  "a gigabyte of text": "return 'x'.repeat(1 << 30).length",
  "a list of three hundred million": "return new Array(3e8).fill(0).length",
  "a join that explodes": "return new Array(1e8).join('boom').length",
  "a power of a big integer": "return String(3n ** 30000000n).length",
  "JSON nested a million deep": "return JSON.parse('['.repeat(1e6) + ']'.repeat(1e6))",
  "a result that loops while it is written": "return { toJSON() { for (;;) {} } }",
  "a proxy that loops while it is read": "return new Proxy({}, { ownKeys() { for (;;) {} } })",
  "a sort that never agrees": "return Array.from({ length: 3e6 }, (_, n) => String((n * 7919) % 3e6)).sort(() => 1).length",
  "a split into many": "return 'a,'.repeat(2e7).split(',').length",
  "an error that loops when it is shown": "throw { get message() { for (;;) {} } }",
  "a setter in the way of the answer": "Object.defineProperty(Object.prototype, 'toJSON', { get() { for (;;) {} } }); return {}",
  "padding without end": "let s = 'x'; for (;;) s = s.padEnd(s.length * 2, s)",
  "a normalised giant": "return '\\u0344'.repeat(2e6).normalize('NFD').repeat(40).length",
};

const escapes: Record<string, string> = {
  "the constructor of this": "return this.constructor.constructor('return process')().pid",
  "the constructor of a function": "return (() => {}).constructor('return process')().pid",
  "the constructor of an input": "return input.constructor.constructor('return globalThis.process.pid')()",
  "the constructor of an async function": "return (async () => {}).constructor('return process.pid')",
  "a stack trace hook": "Error.prepareStackTrace = (_, sites) => sites[0].getThis(); return typeof new Error().stack?.process",
  "a dynamic import": "return import('node:fs')",
  require: "return require('node:fs')",
  "eval in global scope": "return (0, eval)('typeof process + typeof require + typeof globalThis.WebAssembly')",
  "a closed function body": "return 1 } ) ; (function () { return typeof process",
  "shared memory":
    "return typeof SharedArrayBuffer === 'undefined' ? 'none' : new SharedArrayBuffer(8).constructor.constructor('return typeof process')()",
  "the guest's own tools":
    "return [typeof run, typeof kept, typeof __name, typeof held, Object.getOwnPropertyNames(globalThis).filter((name) => /waymark|keep|guest|run/i.test(name)).length]",
};

async function expectClean(): Promise<void> {
  const probe =
    "return [[3, 1, 2].sort().join(''), input.map((f) => f.toUpperCase()).length, typeof polluted, kept.length, JSON.stringify({ a: [1] })]";
  for (const space of ["attacker", "bystander"]) {
    const after = await sandbox.evaluate({ space, code: probe, bindings: { input: ["a"], kept }, limits: { timeMs: 5000 } });
    expect(after).toMatchObject({ ok: true, value: ["123", 1, "undefined", 500, '{"a":[1]}'] });
  }
}

describe("attacks on time and memory are stopped and the next call is clean", () => {
  test.each(Object.entries(exhausting))("%s", async (_name, code) => {
    const result = await attempt(code);
    expect(stopped).toContain(result.ok ? JSON.stringify(result.value) : result.code);
    await expectClean();
  });
});

describe("escapes reach nothing", () => {
  test.each(Object.entries(escapes))("%s", async (_name, code) => {
    const result = await attempt(code);
    const shown = result.ok ? JSON.stringify(result.value) : result.message;
    expect(shown).not.toContain(String(process.pid));
    expect(shown).not.toMatch(/"object"|"function"|readFile|node:/);
    await expectClean();
  });
});

describe("killing", () => {
  test("code the interpreter cannot interrupt costs the worker its life, and waiting calls of all spaces are answered", async () => {
    const own = createSandbox({ limits: { timeMs: 150 } });
    await own.evaluate({ space: "b", code: "return kept.length", bindings: { kept } });
    const guilty = own.evaluate({ space: "a", code: uninterruptible, bindings: {} });
    const others = ["b", "a", "c"].map((space) =>
      own.evaluate({ space, code: "return kept.length + 1", bindings: { kept }, limits: { timeMs: 5000 } }),
    );
    expect(await guilty).toMatchObject({
      ok: false,
      code: "SANDBOX_TIMEOUT",
      message: "The code did not finish within 150 ms and was stopped.",
    });
    expect(await Promise.all(others)).toMatchObject([{ value: 501 }, { value: 501 }, { value: 501 }]);
    expect(own.stats().restarts).toBe(1);
    await own.close();
  });
});
