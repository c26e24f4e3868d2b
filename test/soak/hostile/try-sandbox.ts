import type { Json } from "../../../src/base/index.ts";
import { progress, readState, testTransformation } from "../../../src/engine/index.ts";
import { attempt, bad, open, outcome, refusal, type Lair } from "./lair.ts";

/** Each gives a whole number, or something of the host, if it gets out. */
const escapes: readonly string[] = [
  "process.pid",
  "globalThis.process.pid",
  "require('fs').constants.O_RDWR",
  "import('node:fs')",
  "module.exports.length",
  "globalThis.constructor.constructor('return process')().pid",
  "(() => {}).constructor('return process')().pid",
  "[].constructor.constructor('return globalThis.process.pid')()",
  "(async () => {}).constructor('return process')()",
  "(function* () {}).constructor('return process')().next().value.pid",
  "Function('return process')().pid",
  "(0, eval)('process').pid",
  "this.process.pid",
  "Reflect.construct(Function, ['return process'])().pid",
  "new Proxy({}, {}).constructor.constructor('return process')().pid",
  "(Error.prepareStackTrace = (e, s) => s[0].getThis().process.pid, new Error().stack.process.pid)",
  "fetch('http://127.0.0.1')",
  "WebAssembly.compile(new Uint8Array())",
  "new Worker('x').threadId",
  "setTimeout(() => {}, 0)",
  "Deno.pid",
  "std.loadFile('/etc/passwd').length",
  "os.exec(['id'])",
  "performance.timeOrigin.process.pid",
  "new SharedArrayBuffer(8).process.pid",
  "__dirname.length",
];

const endless: readonly string[] = [
  "(() => { while (true) {} })()",
  "(() => { for (;;) { try { for (;;) {} } catch {} } })()",
  "/^(a+)+$/.test('a'.repeat(50) + '!')",
  "[...(function* () { for (;;) yield 1 })()]",
  "(function again() { return again() })()",
];

const gigabyte: readonly string[] = [
  "new Uint8Array(2 ** 30).length",
  "'x'.repeat(2 ** 30).length",
  "new Array(3e8).fill(7).length",
  "(() => { const all = []; for (;;) all.push(new Array(1e5).fill(1)) })()",
  "(() => { let s = 'x'; for (;;) s += s })()",
];

/** Each piece of code as a condition, a template, a computed field and a debug transformation; and a pattern that never ends. */
export async function trySandbox(lair: Lair): Promise<void> {
  for (const code of escapes) await tryCode(lair, "sandbox escape", code);
  for (const code of endless) await tryCode(lair, "endless loop", code);
  for (const code of gigabyte) await tryCode(lair, "gigabyte allocation", code);
  await attempt(lair, "endless loop: validation pattern", async () => {
    const ask = { id: "ask", type: "user_input", prompt: "?", validation: { pattern: "^(a+)+$" }, state_update: { path: "raw.x" } };
    const position = await open(lair, { steps: [ask] });
    if (position.standing.kind !== "question") return refusal(position);
    const { context, caller } = lair.engine;
    return outcome(
      () => progress(context, caller, { run: position.run, result: `${"a".repeat(60)}!` }),
      () => bad("The answer was accepted."),
    );
  });
}

async function tryCode(lair: Lair, kind: string, code: string): Promise<void> {
  const inside = [{ id: "inside", type: "user_message", message: "reached" }];
  // Whatever gets out is a number; a promise that never gives anything is not.
  const condition = `Number.isInteger(${code})`;
  await attempt(lair, `${kind}: condition ${code}`, () => refusedStep(lair, { id: "a", type: "conditional", condition, then: inside }));
  await attempt(lair, `${kind}: template ${code}`, () => refusedStep(lair, { id: "a", type: "user_message", message: `{{ ${code} }}` }));
  await attempt(lair, `${kind}: computed ${code}`, () => refusedField(lair, code));
  await attempt(lair, `${kind}: debug ${code}`, async () => {
    const told = await testTransformation(lair.engine.context, code, [1]);
    return told.error === undefined ? harmless(told.output) : "refused";
  });
}

/** A value that shows nothing of the host: what an escape that failed quietly gives. */
function harmless(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? "null";
  return ["null", "true", "false", "{}", "[]", '""'].includes(text) ? "came to nothing" : bad(`It gave ${text.slice(0, 100)}.`);
}

function refusedStep(lair: Lair, step: object): Promise<string> {
  return outcome(
    () => open(lair, { steps: [step, { id: "end", type: "user_message", message: "over" }] }),
    (position) => {
      const { standing } = position;
      if (standing.kind !== "action") return refusal(position);
      if (standing.action.step === "end") return "came to nothing";
      const { message } = standing.action.args;
      const said = typeof message === "string" ? message : JSON.stringify(message ?? "");
      const empty = standing.action.step === "a" && (said.startsWith("{{") || said === "" || said === "null" || said === "{}");
      return empty ? "came to nothing" : bad(`It reached ${standing.action.step} with ${said.slice(0, 80)}.`);
    },
  );
}

function refusedField(lair: Lair, code: string): Promise<string> {
  const c = { from: "raw.a", transform: code, on_error: "use_fallback", fallback: "the fallback" };
  const steps = [{ id: "a", type: "user_message", message: "x" }];
  return outcome(
    async () => {
      const { run } = await open(lair, { default_state: { raw: { a: 1 } }, state_schema: { computed: { c } }, steps });
      return (await readState(lair.engine.context, run, ["c"])).state["c"];
    },
    (value) => (value === "the fallback" ? "refused, the fallback stands in" : harmless(value)),
  );
}
