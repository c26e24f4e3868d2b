import { afterEach, expect, test } from "vitest";
import { openTestEngine, type TestEngine } from "../../test/support/test-engine.ts";
import type { DoBlock, Expr, Program } from "../program/index.ts";
import { start } from "./commands/start.ts";
import { lineOfRun, requirePermissionToWork, whatItRuns } from "./permission.ts";
import type { RunHandle } from "./run-cache.ts";

let engine: TestEngine;
afterEach(() => engine.close());

const free = ".waymark/workflows/free.yaml";
const greets = "name: free\nsteps: [{ id: say, type: user_message, message: Hello. }]\n";
const steps = (step: string): string => `name: one\nsteps: [{ id: own, type: shell_command, ${step} }]\n`;

async function open(path: string, text: string): Promise<Program> {
  engine = await openTestEngine({ [free]: greets, [path]: text });
  return (await engine.context.catalog.loadValid("one")).program;
}

/** What a person allows with `waymark allow --command`. */
async function allowCommand(text: string): Promise<void> {
  const { permissions, workspace } = engine.host;
  await permissions.grant({ hash: text, workflow: "", workspace, runs: [`command: ${text}`], unattended: false });
}

/** With other arguments of its one command, as another user could pin it in a database that is shared. */
function pinned(program: Program, what: string, args: Readonly<Record<string, Expr>>): Program {
  const found = Object.values(program.blocks).find((block): block is DoBlock => block.kind === "do" && block.what === what)!;
  return { ...program, blocks: { ...program.blocks, [found.id]: { ...found, args: { ...found.args, ...args } } } };
}

/** The code with which a run of this program is refused; undefined when it may run. */
async function refusal(program: Program): Promise<unknown> {
  const { run } = await start(engine.context, engine.caller, { workflow: "free" });
  const handle = Object.assign(Object.create(await engine.context.runs.open(run)) as RunHandle, { program });
  return requirePermissionToWork(engine.context, handle).then(
    () => undefined,
    (error: unknown) => (error as { readonly code: string }).code,
  );
}

const js = (of: string): Expr => ({ as: "js", of });

test("a single command that is allowed covers no other use of the same text", async () => {
  const program = await open(".waymark/workflows/one.yaml", steps('command: "echo {{ title }}"'));
  await allowCommand("echo {{ title }}");
  await allowCommand("make");
  expect(await refusal(program)).toBeUndefined();
  expect(await refusal(pinned(program, "shell", { command: { as: "command", of: "make" } }))).toBeUndefined();
  expect(await refusal(pinned(program, "shell", { command: { as: "value", of: "make" } }))).toBeUndefined();
  const others: readonly Readonly<Record<string, Expr>>[] = [
    { command: { as: "text", of: "echo {{ title }}" } },
    { command: { as: "value", of: "echo {{ title }}" } },
    { command: js("make") },
    { command: { as: "filled", of: "make", with: {} } },
    { command: { as: "command", of: "make" }, shell: { as: "value", of: "bash" } },
    { command: { as: "command", of: "make" }, env: js("({ PATH: './bin' })") },
    { command: { as: "command", of: "make" }, cwd: js("elsewhere") },
  ];
  for (const args of others) expect([args, await refusal(pinned(program, "shell", args))]).toEqual([args, "ENGINE_NOT_ALLOWED"]);
});

test("what a person reads says where a text is not what is run", async () => {
  const program = await open(".waymark/workflows/one.yaml", steps("command: make"));
  const lines = (args: Readonly<Record<string, Expr>>): readonly string[] =>
    whatItRuns(engine.context, pinned(program, "shell", args)).map(lineOfRun);
  expect(lines({})).toEqual(["command: make"]);
  expect(lines({ command: js("make"), env: js("more") })).toEqual(["command (command read as js, env read as js): make"]);
});

test("a command of a graph has variables and a shell of its own, so no single command covers it", async () => {
  const program = await open(".archon/workflows/one.yaml", "name: one\ndescription: x\nnodes: [{ id: own, bash: make }]\n");
  await allowCommand("make");
  expect(await refusal(program)).toBe("ENGINE_NOT_ALLOWED");
});

test("commands of a verification that are no list are not nothing", async () => {
  const program = await open(".waymark/workflows/one.yaml", steps("command: make"));
  const as = <T extends { readonly dialect: string }>(each: T): T => ({ ...each, dialect: "checklist" });
  const parts = Object.fromEntries(Object.entries(program.parts).map(([name, part]) => [name, as(part)]));
  const blocks = Object.fromEntries(
    Object.values(program.blocks).map((block) => [block.id, block.kind === "do" ? { ...block, what: "verify" } : block]),
  );
  const checklist = { ...as(program), parts, blocks };
  await engine.context.leaves.load(checklist);
  const [listed, made] = [{ as: "value", of: [{ command: "make" }] } as const, js("[{ command: 'make' }]")];
  for (const commands of [listed, made]) expect(await refusal(pinned(checklist, "verify", { commands }))).toBe("ENGINE_NOT_ALLOWED");
  await allowCommand("make");
  expect(await refusal(pinned(checklist, "verify", { commands: listed }))).toBeUndefined();
  expect(await refusal(pinned(checklist, "verify", { commands: made }))).toBe("ENGINE_NOT_ALLOWED");
});

test("a part that is said to be of another dialect is other content than the one that was allowed", async () => {
  const program = await open(".waymark/workflows/one.yaml", steps("command: make"));
  await engine.allow("one");
  expect(await refusal(program)).toBeUndefined();
  const parts = Object.fromEntries(Object.entries(program.parts).map(([name, part]) => [name, { ...part, dialect: "machine" }]));
  await engine.context.leaves.load({ ...program, parts });
  expect(await refusal({ ...program, parts })).toBe("ENGINE_NOT_ALLOWED");
});
