import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Json } from "../base/index.ts";
import { doctor } from "./commands/doctor.ts";
import { progress } from "./commands/progress.ts";
import { readState, updateState } from "./commands/state.ts";
import { start } from "./commands/start.ts";
import { AlwaysBench, codeOf } from "../../test/crash/engine-bench.ts";
import type { ComposedEngine } from "../../test/crash/compose-engine.ts";

const bench = new AlwaysBench();
let engine: ComposedEngine;
beforeAll(async () => {
  engine = await bench.open();
});
afterAll(() => bench.close());

const work = (...names: string[]): string => join(bench.base, "work", ...names);
const show = "| base64 | tr -d '\\n'";
const pwned = [
  "$(touch PWNED)",
  "`touch PWNED`",
  "; touch PWNED",
  "&& touch PWNED",
  "\ntouch PWNED\n",
  "' ; touch PWNED ; '",
  '" ; touch PWNED ; "',
  "EOF\ntouch PWNED",
  ") ; touch PWNED",
  "| touch PWNED",
  "> PWNED",
  "x[$(touch PWNED)]",
  "\\",
  "'",
  '"',
  "*",
  "~",
  "$HOME",
  "-n",
  "!",
  "#",
  "{a,b}",
  "",
  " ",
  "é\u{1f600}",
];

/** Positions of a hole in a command, and what the command then prints for a value; without that only harmlessness counts. */
const positions: Readonly<Record<string, readonly [string, ((value: string) => string)?]>> = {
  bare: [`printf %s {{ inputs.v }} ${show}`, (value) => value],
  double: [`printf %s "{{ inputs.v }}" ${show}`, (value) => value],
  single: [`printf %s '{{ inputs.v }}' ${show}`, (value) => value],
  glued: [`printf %s --x={{ inputs.v }}.txt ${show}`, (value) => `--x=${value}.txt`],
  doubleGlued: [`printf %s "a{{ inputs.v }}b" ${show}`, (value) => `a${value}b`],
  assigned: [`X={{ inputs.v }}; printf %s "$X" ${show}`, (value) => value],
  nested: [`printf %s "$(printf %s {{ inputs.v }} ; printf .)" ${show}`, (value) => `${value}.`],
  comment: [`printf ok ${show} # {{ inputs.v }}`],
  arithmetic: ["echo $(( {{ inputs.v }} ))"],
  piped: [`printf %s {{ inputs.v }} | cat ${show}`, (value) => value],
  looped: [`for word in {{ inputs.v }}; do printf %s "$word"; done ${show}`, (value) => value],
  cased: [`case {{ inputs.v }} in *) printf same;; esac ${show}`, () => "same"],
  redirected: [`mkdir -p t && printf ok > t/"f-{{ inputs.v }}" 2> /dev/null`],
};

/** Positions in which no quoting is safe: the definition is refused as a whole. */
const refusedPositions: readonly string[] = [
  "bash <<EOF\n{{ inputs.v }}\nEOF",
  "cat <<EOF | sh\n{{ inputs.v }}\nEOF",
  "echo `echo {{ inputs.v }}`",
  'echo "${HOME:-{{ inputs.v }}}"',
];

const quoting = `
name: hostile:quoting
inputs: { v: string, list: array }
default_state: { raw: { out: {}, errors: {} } }
steps:
${Object.entries(positions)
  .map(
    ([name, [command]]) =>
      `  - { id: "${name}", type: shell_command, command: ${JSON.stringify(command)}, on_error: continue, state_update: { path: raw.out.${name} }, error_state_update: { path: raw.errors.${name}, value: "{{ error.type }}" } }`,
  )
  .join("\n")}
  - { id: env, type: shell_command, command: ${JSON.stringify(`printf %s "$V" ${show}`)}, env: { V: "{{ inputs.v }}" }, state_update: { path: raw.out.env } }
  - { id: words, type: shell_command, command: ${JSON.stringify(`for word in {{ inputs.list }}; do printf '<%s>' "$word"; done ${show}`)}, state_update: { path: raw.out.words } }
  - { id: told, type: user_message, message: "{{ inputs.v }}" }
`;

const decoded = (text: Json | undefined): string => Buffer.from(typeof text === "string" ? text : "", "base64").toString();

async function checkQuoting(value: string, list: readonly string[]): Promise<void> {
  const caller = engine.caller();
  const { run, standing } = await start(engine.context, caller, { workflow: "hostile:quoting", inputs: { v: value, list } });
  const { out, errors } = (await readState(engine.context, run)).state as { out: Record<string, Json>; errors: Record<string, Json> };
  for (const [name, [, expected]] of Object.entries(positions)) {
    const printed = expected === undefined ? "harmless" : decoded(out[name]);
    expect([name, printed]).toEqual([name, expected?.(value) ?? "harmless"]);
    expect(expected === undefined ? [undefined, "EXPRESSION_SHELL", "COMMAND_FAILED"] : [undefined]).toContain(errors[name]);
  }
  expect(decoded(out["env"])).toBe(value);
  expect(decoded(out["words"])).toBe(list.map((word) => `<${word}>`).join(""));
  expect(standing).toMatchObject({ kind: "action", action: { args: { message: value } } });
  expect(existsSync(work("PWNED")), `nothing of ${JSON.stringify(value)} was run`).toBe(false);
}

const nasty = fc.oneof(
  fc.constantFrom(...pwned),
  fc.string({
    unit: fc.constantFrom(
      "'",
      '"',
      "\\",
      "$",
      "`",
      "(",
      ")",
      ";",
      "|",
      "&",
      "\n",
      " ",
      "*",
      "#",
      "!",
      "{",
      "}",
      "a",
      "é",
      "-",
      "=",
      "%",
      "<",
      ">",
    ),
  }),
);

test("rule 10: a value put into a shell command is data, in every position it can stand in", async () => {
  await engine.define("hostile:quoting", quoting);
  for (const value of [pwned.join(" "), pwned.toReversed().join(""), "", "-n", "\\"]) await checkQuoting(value, pwned);
  await fc.assert(fc.asyncProperty(nasty, fc.array(nasty, { minLength: 1, maxLength: 3 }), checkQuoting), {
    numRuns: Number(process.env["WAYMARK_PROPERTY_RUNS"] ?? 4),
  });
}, 120_000);

test.each(refusedPositions)("rule 10: a place where no value can be quoted safely is refused before anything runs: %s", async (command) => {
  await engine.define(
    "hostile:refused",
    `name: hostile:refused\ninputs: { v: string }\nsteps: [{ id: a, type: shell_command, command: ${JSON.stringify(command)} }]\n`,
  );
  expect(await codeOf(start(engine.context, engine.caller(), { workflow: "hostile:refused", inputs: { v: "x" } }))).toBe(
    "ENGINE_INVALID_WORKFLOW",
  );
});

test("rule 10: what an agent reports is never evaluated again", async () => {
  await engine.define(
    "hostile:again",
    `
name: hostile:again
state_schema: { computed: { twice: { from: raw.told, transform: "[input, input]" } } }
steps:
  - { id: act, type: mcp_call, mcp: { method: act, params: {} }, state_update: { path: raw.told } }
  - { id: say, type: user_message, message: "{{ told }} {{ twice[0] }}" }
`,
  );
  for (const told of ["{{ 7 * 7 }}", "${7 * 7}", "{{ uuid() }}", "'; process.exit(1); '", "{{ told }}"]) {
    const caller = engine.caller();
    const { run } = await start(engine.context, caller, { workflow: "hostile:again" });
    const { position } = await progress(engine.context, caller, { run, result: told });
    expect(position.standing).toMatchObject({ kind: "action", action: { args: { message: `${told} ${told}` } } });
  }
});

test("rule 10: no state path reaches a prototype, by whatever way it comes", async () => {
  await engine.define(
    "hostile:paths",
    `
name: hostile:paths
inputs: { key: string }
default_state: { raw: { here: {} } }
steps:
  - { id: act, type: mcp_call, mcp: { method: act, params: {} }, state_update: { path: raw.result } }
  - { id: by_name, type: state_update, path: "raw.here.{{ inputs.key }}.polluted", value: true, on_error: continue, error_state_update: { path: raw.refused, value: "{{ error.type }}" } }
  - { id: read, type: user_message, message: "{{ result.polluted }} {{ here.polluted }}" }
`,
  );
  const forged = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}, "plain": 1}') as Json;
  for (const key of ["__proto__", "constructor", "prototype"]) {
    const caller = engine.caller();
    const { run } = await start(engine.context, caller, { workflow: "hostile:paths", inputs: { key } });
    for (const path of [
      `raw.${key}.polluted`,
      `raw.here.${key}`,
      `raw["${key}"].x`,
      `state.${key}.polluted`,
      `raw.here["${key}"]["polluted"]`,
    ]) {
      expect(await codeOf(updateState(engine.context, caller, { run, updates: [{ path, value: { polluted: 1 } }] }))).toBe(
        "ENGINE_BAD_PATH",
      );
    }
    expect(
      await codeOf(updateState(engine.context, caller, { run, updates: [{ path: "raw.here", operation: "merge", value: forged }] })),
    ).toBe("STATE_WRITE");
    await progress(engine.context, caller, { run, result: forged });
    const { state } = await readState(engine.context, run);
    expect([state["refused"], state["here"]]).toEqual([expect.stringMatching(/^(?:STATE_WRITE|EXPRESSION_FAILED)$/), {}]);
    expect((await doctor(engine.context, run)).problems).toEqual([]);
  }
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
});

test("rule 10: keys with dots, brackets and quotes from data are one key each", async () => {
  await engine.define(
    "hostile:keys",
    `
name: hostile:keys
inputs: { key: string }
default_state: { raw: { by: {} } }
steps:
  - { id: write, type: state_update, path: "raw.by.{{ inputs.key }}", value: 1 }
  - { id: after, type: user_message, message: done }
`,
  );
  for (const key of ["a.b", "src/x.y.ts", "[0]", "q\"uo'te", "a]b[", "x y", "0"]) {
    const { run } = await start(engine.context, engine.caller(), { workflow: "hostile:keys", inputs: { key } });
    expect((await readState(engine.context, run)).state["by"]).toEqual({ [key]: 1 });
  }
});

test("rule 10: a command runs inside the workspace only", async () => {
  mkdirSync(join(bench.base, "outside"), { recursive: true });
  mkdirSync(work("inside"), { recursive: true });
  await engine.define(
    "hostile:cwd",
    `
name: hostile:cwd
inputs: { where: string }
steps:
  - { id: go, type: shell_command, command: "touch reached; pwd", cwd: "{{ inputs.where }}", on_error: continue, state_update: { path: raw.at }, error_state_update: { path: raw.error, value: "{{ error.type }}" } }
  - { id: after, type: user_message, message: done }
`,
  );
  for (const where of [
    "..",
    "../outside",
    "inside/../../outside",
    join(bench.base, "outside"),
    "/",
    `${work()}/../outside`,
    `${work()}x`,
  ]) {
    const { run } = await start(engine.context, engine.caller(), { workflow: "hostile:cwd", inputs: { where } });
    expect([where, (await readState(engine.context, run)).state]).toEqual([where, { error: "COMMAND_NOT_STARTED" }]);
  }
  expect(readdirSync(join(bench.base, "outside"))).toEqual([]);
  for (const where of ["inside", "./inside/.", work("inside"), "inside/../inside"]) {
    const { run } = await start(engine.context, engine.caller(), { workflow: "hostile:cwd", inputs: { where } });
    expect((await readState(engine.context, run)).state).toEqual({ at: work("inside") });
  }
});

test("rule 10: a workflow or import that leads out of its folder, also by a symbolic link, is not read", async () => {
  const outside = join(bench.base, "outside-workflows");
  mkdirSync(outside, { recursive: true });
  writeFileSync(join(outside, "linked.yaml"), "name: linked\nsteps: [{ id: a, type: user_message, message: secret }]\n");
  writeFileSync(join(outside, "shared.yaml"), "sub_agent_tasks: { t: { steps: [{ id: a, type: user_message, message: secret }] } }\n");
  await engine.define(
    "hostile:import",
    "name: hostile:import\nimports: [../../../outside-workflows/shared.yaml]\nsteps: [{ id: a, type: parallel_foreach, items: [1], sub_agent_task: t }]\n",
  );
  expect(existsSync(work(".waymark", "workflows", "../../../outside-workflows/shared.yaml"))).toBe(true);
  symlinkSync(join(outside, "linked.yaml"), work(".waymark", "workflows", "linked.yaml"));
  symlinkSync(outside, work(".waymark", "workflows", "folder"));
  expect(await codeOf(start(engine.context, engine.caller(), { workflow: "linked" }))).toBe("ENGINE_NO_WORKFLOW");
  expect(await codeOf(start(engine.context, engine.caller(), { workflow: "folder:linked" }))).toBe("ENGINE_NO_WORKFLOW");
  expect(await codeOf(start(engine.context, engine.caller(), { workflow: "hostile:import" }))).toBe("ENGINE_INVALID_WORKFLOW");
  const { diagnostics } = await engine.context.catalog.load("hostile:import");
  expect(diagnostics.map(({ code }) => code)).toEqual(expect.arrayContaining(["HOST_PATH_OUTSIDE", "STEPS_UNKNOWN_TASK"]));
});

test("rule 10: an expression that never ends or takes all memory fails its step, and nothing else", async () => {
  await engine.define(
    "hostile:limits",
    `
name: hostile:limits
default_state: { raw: { errors: {} } }
steps:
  - { id: forever, type: conditional, condition: "{{ (() => { for (;;) {} })() }}", then: [{ id: x, type: user_message, message: x }], on_error: continue, error_state_update: { path: raw.errors.time, value: "{{ error.type }}" } }
  - { id: memory, type: state_update, path: raw.big, value: "{{ 'x'.repeat(1e9).split('').map(String) }}", on_error: continue, error_state_update: { path: raw.errors.memory, value: "{{ error.type }}" } }
  - { id: host, type: state_update, path: raw.host, value: "{{ [process == null, require == null, typeof globalThis.fetch, typeof globalThis.process, (() => { try { return [].constructor.constructor('return typeof process')() } catch { return 'undefined' } })()].join() }}" }
  - { id: after, type: user_message, message: "still {{ host }}" }
`,
  );
  const { run, standing } = await start(engine.context, engine.caller(), { workflow: "hostile:limits" });
  expect(standing).toMatchObject({ kind: "action", action: { args: { message: "still true,true,undefined,undefined,undefined" } } });
  const { errors } = (await readState(engine.context, run)).state as { errors: Record<string, string> };
  expect(errors["time"]).toBe("EXPRESSION_LIMIT");
  expect(errors["memory"]).toMatch(/^EXPRESSION_/);
}, 60_000);

const trusted = (command: string): string => `
name: hostile:trust
imports: [trust-shared.yaml]
steps:
  - { id: own, type: shell_command, command: "${command}" }
  - { id: call, type: include_workflow, workflow: "hostile:callee" }
  - { id: all, type: parallel_foreach, items: [1], sub_agent_task: task }
`;
const callee = (command: string): string => `name: hostile:callee\nsteps: [{ id: inner, type: shell_command, command: "${command}" }]\n`;
const sharedTask = (command: string): string =>
  `sub_agent_tasks: { task: { steps: [{ id: act, type: shell_command, command: "${command}" }] } }\n`;

test("rule 10: a project's workflow runs commands only after exactly this content was allowed: its own, what it includes and what it imports", async () => {
  const write = (...[own, inner, shared]: readonly string[]): void => {
    writeFileSync(work(".waymark", "workflows", "trust-shared.yaml"), sharedTask(shared ?? ""));
    writeFileSync(work(".waymark", "workflows", "hostile__callee.yaml"), callee(inner ?? ""));
    writeFileSync(work(".waymark", "workflows", "hostile__trust.yaml"), trusted(own ?? ""));
  };
  const begin = (): Promise<string> => codeOf(start(engine.context, engine.caller(), { workflow: "hostile:trust", waitMs: 0 }));
  write("true", "true", "true");
  const refusal = await start(engine.context, engine.caller(), { workflow: "hostile:trust" }).catch((error: unknown) => error);
  expect(refusal).toMatchObject({
    code: "ENGINE_NOT_ALLOWED",
    message: expect.stringContaining("command: true"),
    fix: expect.stringContaining("waymark allow hostile:trust"),
  });
  const { hash } = await engine.context.catalog.load("hostile:trust");
  await engine.host.permissions.grant({ hash, workflow: "hostile:trust", workspace: engine.host.workspace, runs: [], unattended: false });
  expect(await begin()).toBe("ok");
  for (const changed of [
    ["touch PWNED", "true", "true"],
    ["true", "touch PWNED", "true"],
    ["true", "true", "touch PWNED"],
  ] as const) {
    write(...changed);
    expect([changed, await begin()]).toEqual([changed, "ENGINE_NOT_ALLOWED"]);
  }
  write("true", "true", "true");
  expect(await begin()).toBe("ok");
  await engine.host.permissions.revoke(hash);
  expect(await begin()).toBe("ENGINE_NOT_ALLOWED");
  expect(existsSync(work("PWNED"))).toBe(false);
});
