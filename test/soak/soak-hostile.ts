import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Json } from "../../src/base/index.ts";
import { isWaymarkError, textOf } from "../../src/base/index.ts";
import { next, progress, readState, start, testTransformation, updateState, type Position } from "../../src/engine/index.ts";
import { openTestEngine, type TestEngine } from "../support/test-engine.ts";
import { listedCode } from "./listed-codes.ts";
import type { Tally } from "./tally.ts";

/** Things that must be refused, each tried in every place it could get in by. */
export async function soakHostile(tally: Tally): Promise<void> {
  const engine = await openTestEngine({}, { callWaitMs: 1_500 });
  const lair: Lair = { engine, tally, index: 0 };
  const clean = Object.getOwnPropertyNames(Object.prototype).join();
  await trySandbox(lair);
  await tryLinks(lair);
  await tryShell(lair);
  await tryPrototypes(lair);
  await attempt(lair, "Object.prototype is as it was", async () =>
    Object.getOwnPropertyNames(Object.prototype).join() === clean ? "unchanged" : bad("Object.prototype was changed."),
  );
  await engine.close();
}

interface Lair {
  readonly engine: TestEngine;
  readonly tally: Tally;
  index: number;
}

const bad = (why: string): never => {
  throw new Error(why);
};

async function attempt(lair: Lair, name: string, check: () => Promise<string>): Promise<void> {
  lair.index += 1;
  await lair.tally.case(lair.index, async () => `${name.split(":")[0] ?? name}: ${await check()}`, name);
}

const escapes: readonly string[] = [
  "process.pid",
  "globalThis.process.pid",
  "require('fs')",
  "import('node:fs')",
  "module.exports",
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
  "Error.prepareStackTrace = (e, s) => s[0].getThis().process.pid, new Error().stack.process.pid",
  "fetch('http://127.0.0.1')",
  "WebAssembly.compile(new Uint8Array())",
  "new Worker('x')",
  "setTimeout(() => {}, 0)",
  "Deno.pid",
  "std.loadFile('/etc/passwd')",
  "os.exec(['id'])",
  "performance.timeOrigin.process",
  "new SharedArrayBuffer(8).process.pid",
  "__dirname.length + 0",
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

/** Each piece of code as a condition, a transformation, a template, a debug transformation and, where it is one, a pattern. */
async function trySandbox(lair: Lair): Promise<void> {
  for (const [kind, codes] of Object.entries({ "sandbox escape": escapes, "endless loop": endless, "gigabyte allocation": gigabyte })) {
    for (const code of codes) {
      await attempt(lair, `${kind}: condition ${code}`, () =>
        refusedStep(lair, {
          id: "a",
          type: "conditional",
          condition: code,
          then: [{ id: "inside", type: "user_message", message: "reached" }],
        }),
      );
      await attempt(lair, `${kind}: template ${code}`, () =>
        refusedStep(lair, { id: "a", type: "user_message", message: `{{ ${code} }}` }),
      );
      await attempt(lair, `${kind}: computed ${code}`, () => refusedField(lair, code));
      await attempt(lair, `${kind}: debug ${code}`, async () => {
        const told = await testTransformation(lair.engine.context, code, [1]);
        return told.error === undefined ? harmless(told.output) : "refused";
      });
    }
  }
  await attempt(lair, "endless loop: validation pattern", async () => {
    const position = await open(lair, {
      steps: [{ id: "ask", type: "user_input", prompt: "?", validation: { pattern: "^(a+)+$" }, state_update: { path: "raw.x" } }],
    });
    if (position.standing.kind !== "question") return refusal(position);
    return outcome(
      () => progress(lair.engine.context, lair.engine.caller, { run: position.run, result: `${"a".repeat(60)}!` }),
      () => bad("The answer was accepted."),
    );
  });
}

/** A value that shows nothing of the host: what an escape that failed quietly gives. */
function harmless(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? "null";
  if (["null", "true", "false", "{}", "[]", '""'].includes(text)) return "harmless";
  return bad(`It gave ${text.slice(0, 100)}.`);
}

async function open(lair: Lair, body: object): Promise<Position> {
  lair.made += 1;
  const name = `lair:w${lair.made}`;
  await lair.engine.write(
    `.waymark/workflows/lair__w${lair.made}.yaml`,
    JSON.stringify({ name, description: "A case.", version: "1.0.0", ...body }),
  );
  const { program } = await lair.engine.context.catalog.load(name);
  if (program !== undefined) await lair.engine.allow(name);
  return start(lair.engine.context, lair.engine.caller, { workflow: name });
}

/** Runs something that must be refused, by an error or by ending the run; `otherwise` judges anything else. */
async function outcome(call: () => Promise<unknown>, otherwise: (value: unknown) => string): Promise<string> {
  try {
    return otherwise(await call());
  } catch (error) {
    if (isWaymarkError(error)) return `refused (${listedCode(error.code, error.message)})`;
    throw error;
  }
}

function refusal({ state, standing }: Position): string {
  if (state.status === "failed" && state.error !== undefined) return `refused (${listedCode(state.error.code, state.error.message)})`;
  return bad(`The run is ${state.status} and stands at ${standing.kind}.`);
}

function refusedStep(lair: Lair, step: object): Promise<string> {
  return outcome(
    () => open(lair, { steps: [step, { id: "end", type: "user_message", message: "over" }] }),
    (told) => {
      const position = told as Position;
      const { standing } = position;
      if (standing.kind !== "action") return refusal(position);
      if (standing.action.step === "end") return "harmless";
      const said = textOf(standing.action.args["message"] ?? "");
      return standing.action.step === "a" && (said.startsWith("{{") || said === "" || said === "null")
        ? "harmless"
        : bad(`It reached ${standing.action.step} with ${said.slice(0, 80)}.`);
    },
  );
}

async function refusedField(lair: Lair, code: string): Promise<string> {
  return outcome(
    async () => {
      const { run } = await open(lair, {
        default_state: { raw: { a: 1 } },
        state_schema: { computed: { c: { from: "raw.a", transform: code, on_error: "use_fallback", fallback: null } } },
        steps: [{ id: "a", type: "user_message", message: "x" }],
      });
      return (await readState(lair.engine.context, run, ["c"])).state["c"];
    },
    (value) => harmless(value as Json),
  );
}

/** Links and paths that lead out of the workspace: as a workflow, as an import, as the folder of a command. */
async function tryLinks(lair: Lair): Promise<void> {
  const { folder } = lair.engine;
  const outside = join(dirname(folder), "outside");
  mkdirSync(join(outside, "inner"), { recursive: true });
  writeFileSync(
    join(outside, "secret.yaml"),
    'name: "out:side"\ndescription: Secret.\nversion: "1.0.0"\nsteps: [{ id: a, type: user_message, message: secret }]\n',
  );
  mkdirSync(join(folder, ".waymark/workflows"), { recursive: true });
  symlinkSync(join(outside, "secret.yaml"), join(folder, ".waymark/workflows/linked.yaml"));
  symlinkSync(outside, join(folder, ".waymark/workflows/folder"));
  symlinkSync(outside, join(folder, "way-out"));
  for (const name of ["out:side", "linked", "folder:secret"]) {
    await attempt(lair, `symlink: workflow ${name}`, () =>
      outcome(
        () => start(lair.engine.context, lair.engine.caller, { workflow: name }),
        () => bad("A workflow outside the workspace was started."),
      ),
    );
  }
  for (const reference of [
    "linked.yaml",
    "folder/secret.yaml",
    "../../way-out/secret.yaml",
    "../../../outside/secret.yaml",
    join(outside, "secret.yaml"),
    "/etc/passwd",
    "../../../../../../../etc/passwd",
    "file:///etc/passwd",
  ]) {
    await attempt(lair, `symlink: import ${reference}`, () =>
      outcome(
        () => open(lair, { imports: [reference], steps: [{ id: "a", type: "user_message", message: "x" }] }),
        () => bad("A file outside the workspace was imported."),
      ),
    );
  }
  for (const place of ["way-out", "way-out/inner", "..", "../outside", outside, "/", "./way-out/../way-out"]) {
    await attempt(lair, `symlink: folder ${place}`, () =>
      outcome(
        () => open(lair, { steps: [{ id: "a", type: "shell_command", command: "touch owned-here", working_directory: place }] }),
        (told) =>
          existsSync(join(outside, "owned-here")) || existsSync(join(outside, "inner/owned-here"))
            ? bad("A command ran outside the workspace.")
            : refusal(told as Position),
      ),
    );
  }
}

const payloads: readonly string[] = [
  "; touch OWNED",
  "$(touch OWNED)",
  "`touch OWNED`",
  "' ; touch OWNED ; '",
  '" ; touch OWNED ; "',
  "\n touch OWNED \n",
  "| touch OWNED",
  "&& touch OWNED",
  "|| touch OWNED",
  "& touch OWNED &",
  "> OWNED",
  "< /etc/passwd > OWNED",
  "\\\n; touch OWNED",
  "'$(touch OWNED)'",
  '"$(touch OWNED)"',
  "${IFS}touch${IFS}OWNED",
  "$(touch OWNED)'\"`",
  "a'; touch OWNED; echo 'b",
  'a"; touch OWNED; echo "b',
  "-e $(touch OWNED)",
  "*",
  "~",
  "$HOME",
  "{a,b}",
  "!!",
  "#",
  "\\",
  "\u0000; touch OWNED",
  "a\r\ntouch OWNED",
  "EOF\ntouch OWNED\n",
];
/** `@` stands for the template. Positions a shell reads differently; some cannot be quoted safely and are refused as a whole. */
const positions: readonly string[] = [
  "printf %s @",
  "printf %s '@'",
  'printf %s "@"',
  "printf %s a@b",
  "printf %s --name=@",
  'printf %s "a @ b"',
  "printf %s 'a @ b'",
  'X=@; printf %s "$X"',
  'printf %s "$(printf %s @)"',
  "printf %s `printf %s @`",
  "cat <<EOF\n@\nEOF",
  "printf %s $'@'",
  "printf %s ${X:-@}",
  "printf %s @ | cat",
  "printf %s x > @",
  "(printf %s @)",
  "case @ in *) printf x;; esac",
  "printf %s \\@",
  "@",
  "# @",
  "printf %s x # @",
  "eval @",
  "sh -c @",
  'printf %s "`printf %s @`"',
  "printf %s $((1+@))",
  "[ @ = x ] || printf no",
];

/** After each command nothing may exist that only the payload makes; where it is plain data, it must arrive letter by letter. */
async function tryShell(lair: Lair): Promise<void> {
  const owned = join(lair.engine.folder, "OWNED");
  const known = new Set(["printf %s @", "printf %s '@'", 'printf %s "@"']);
  for (const position of positions) {
    for (const payload of payloads) {
      await attempt(lair, `shell metacharacters: ${position} with ${JSON.stringify(payload)}`, async () => {
        const told = await outcome(
          () =>
            open(lair, {
              default_state: { raw: { x: payload, out: "" } },
              steps: [
                {
                  id: "run",
                  type: "shell_command",
                  command: position.replace("@", "{{ x }}"),
                  timeout: 5,
                  on_error: { strategy: "continue" },
                  state_update: { path: "raw.out" },
                },
                { id: "end", type: "user_message", message: "over" },
              ],
            }),
          () => "ran as data",
        );
        if (existsSync(owned)) bad("The payload was executed.");
        if (told !== "ran as data" || !known.has(position)) return told;
        const out = await lastOutput(lair);
        if (out !== payload && out.trimEnd() !== payload.trimEnd()) bad(`It arrived as ${JSON.stringify(out)}.`);
        return "arrived letter by letter";
      });
    }
  }
}

async function lastOutput({ engine }: Lair): Promise<string> {
  const [newest] = await engine.context.store.listRuns({ limit: 1 });
  const { state } = await readState(engine.context, newest?.id ?? "", ["raw.out"]);
  return typeof state["raw.out"] === "string" ? state["raw.out"] : JSON.stringify(state["raw.out"]);
}

const paths: readonly string[] = [
  "raw.__proto__.polluted",
  "raw.__proto__",
  "raw.a.__proto__.polluted",
  'raw["__proto__"].polluted',
  "raw['__proto__']['polluted']",
  "raw.constructor.prototype.polluted",
  "raw.constructor",
  "raw.prototype.polluted",
  "state.__proto__.polluted",
  "state.constructor.prototype.polluted",
  "__proto__.polluted",
  "constructor.prototype.polluted",
  "raw.list.__proto__.polluted",
  "raw.list.constructor.prototype.polluted",
  "computed.__proto__.polluted",
  "inputs.__proto__.polluted",
  "raw[__proto__].polluted",
  "raw.a.b.__proto__.polluted",
];

async function tryPrototypes(lair: Lair): Promise<void> {
  const { context, caller } = lair.engine;
  const position = await open(lair, {
    default_state: { raw: { a: {}, list: [] } },
    inputs: { o: { type: "object", default: {} } },
    steps: [
      { id: "a", type: "mcp_call", mcp: { method: "m", params: {} }, state_update: { path: "raw.result" } },
      { id: "b", type: "user_message", message: "x" },
    ],
  });
  const polluted = (): boolean => "polluted" in {} || "polluted" in [] || "polluted" in (() => undefined);
  const clean = async (told: string): Promise<string> => (polluted() ? bad("An object's prototype was changed.") : told);
  for (const path of paths) {
    for (const operation of ["set", "merge", "append"] as const) {
      await attempt(lair, `prototype pollution: ${operation} ${path}`, async () =>
        clean(
          await outcome(
            () =>
              updateState(context, caller, {
                run: position.run,
                updates: [{ path, operation, value: operation === "merge" ? { polluted: true } : true }],
              }),
            () => bad("The write was accepted."),
          ),
        ),
      );
    }
    await attempt(lair, `prototype pollution: workflow path ${path}`, async () =>
      clean(
        await outcome(
          () => open(lair, { default_state: { raw: { a: {} } }, steps: [{ id: "a", type: "state_update", path, value: "yes" }] }),
          (told) => refusal(told as Position),
        ),
      ),
    );
    await attempt(lair, `prototype pollution: computed path ${path}`, async () =>
      clean(
        await outcome(
          () =>
            open(lair, { default_state: { raw: { p: path } }, steps: [{ id: "a", type: "state_update", path: "{{ p }}", value: "yes" }] }),
          (told) => refusal(told as Position),
        ),
      ),
    );
  }
  for (const value of [
    '{"__proto__":{"polluted":true}}',
    '{"constructor":{"prototype":{"polluted":true}}}',
    '{"a":{"__proto__":{"polluted":true}}}',
  ]) {
    const hostile = JSON.parse(value) as Json;
    await attempt(lair, "prototype pollution: merged value", async () =>
      clean(
        await outcome(
          () => updateState(context, caller, { run: position.run, updates: [{ path: "raw.a", operation: "merge", value: hostile }] }),
          () => "kept as data",
        ),
      ),
    );
    await attempt(lair, "prototype pollution: reported value", async () =>
      clean(
        await outcome(
          async () => {
            const at = await open(lair, {
              steps: [
                { id: "a", type: "mcp_call", mcp: { method: "m", params: {} }, state_update: { path: "raw.result" } },
                { id: "b", type: "user_message", message: "{{ result.polluted }}" },
              ],
            });
            return (await progress(context, caller, { run: at.run, result: hostile })).position;
          },
          () => "kept as data",
        ),
      ),
    );
    await attempt(lair, "prototype pollution: inputs", async () =>
      clean(
        await outcome(
          () => start(context, caller, { workflow: name, inputs: hostile as Record<string, Json> }),
          () => "kept as data",
        ),
      ),
    );
    await attempt(lair, "prototype pollution: definition", async () =>
      clean(
        await outcome(
          () => open(lair, { default_state: { raw: hostile }, steps: [{ id: "a", type: "user_message", message: "{{ polluted }}" }] }),
          () => "kept as data",
        ),
      ),
    );
  }
  await attempt(lair, "prototype pollution: the run goes on", async () => {
    const after = await next(context, caller, { run: position.run });
    return after.standing.kind === "action" ? "untouched" : bad(`The run stands at ${after.standing.kind}.`);
  });
}
