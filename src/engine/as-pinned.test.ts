import { afterEach, expect, test } from "vitest";
import { DrivenTime } from "../../test/support/driven-time.ts";
import { openTestEngine, type TestEngine } from "../../test/support/test-engine.ts";
import type { Action, Effect } from "../kernel/index.ts";
import type { CommandOutcome } from "../ports/index.ts";
import { next } from "./commands/next.ts";
import { resume } from "./commands/resume.ts";
import { start } from "./commands/start.ts";
import { requirePermissionToDrive } from "./permission.ts";

const opened: TestEngine[] = [];
let ran: string[] = [];
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
});

const passes: CommandOutcome = { exitCode: 0, signal: null, ended: "exit", stdout: { text: "", bytes: 0 }, stderr: "", ms: 1 };

/** A run whose command was begun by a process that is gone, as another process finds it. */
async function interrupted(step: string): Promise<{ readonly other: TestEngine; readonly run: string }> {
  ran = [];
  let hang = true;
  let began = (): void => undefined;
  const begun = new Promise<void>((done) => (began = done));
  const text = `name: one\ndefault_state: { raw: { title: Hello } }\nsteps:\n  - ${step}\n  - { id: after, type: user_message, message: Done. }\n`;
  const engine = await openTestEngine({ ".waymark/workflows/one.yaml": text }, { callWaitMs: 0 }, new DrivenTime(), () => ({
    run: ({ command, signal }) => {
      if (!hang) return Promise.resolve((ran.push(command), passes));
      began();
      return new Promise((done) => signal?.addEventListener("abort", () => done({ ...passes, ended: "cancelled" })));
    },
  }));
  opened.push(engine);
  await engine.allow("one");
  const { run } = await start(engine.context, engine.caller, { workflow: "one" });
  await begun;
  const other = await engine.again();
  opened.unshift(other);
  await engine.context.effects.close();
  await engine.context.holding.release(engine.caller.leaseOwner);
  hang = false;
  return { other, run };
}

/** What a user of the database does who writes into the rows of the journal. */
async function change({ context }: TestEngine, run: string, to: (effect: Effect) => Partial<Effect>): Promise<void> {
  const handle = await context.runs.open(run);
  const effects = Object.values(handle.state.effects).map((effect): [string, Effect] => [effect.id, { ...effect, ...to(effect) }]);
  handle.state = { ...handle.state, effects: Object.fromEntries(effects) };
}

const shell = "{ id: own, type: shell_command, command: 'echo {{ title }} | wc' }";
const resumed = (other: TestEngine, run: string) => resume(other.context, other.caller, { run, waitMs: 10_000 });

test("an open command that is as its block says is taken up", async () => {
  const { other, run } = await interrupted(shell);
  await change(other, run, () => ({}));
  await resumed(other, run);
  expect(ran).toEqual(["echo Hello | wc"]);
});

const changes: readonly [string, (effect: Effect) => Partial<Effect>][] = [
  ["another command", ({ args }) => ({ args: { ...args, command: "echo pwned" } })],
  ["a value that is not quoted", ({ args }) => ({ args: { ...args, command: "echo $(sh) | wc" } })],
  ["more behind it", ({ args }) => ({ args: { ...args, command: "echo Hello | wc; echo pwned" } })],
  ["variables that it does not have", ({ args }) => ({ args: { ...args, env: { PATH: "./bin" } } })],
  ["another kind of value", ({ args }) => ({ args: { ...args, command: ["echo pwned"] } })],
  ["a block that the workflow does not have", ({ args }) => ({ block: "none", args: { ...args, command: "echo pwned" } })],
];

test.each(changes)("an open command with %s is not run, and is made from the workflow again with the next step", async (_name, to) => {
  const { other, run } = await interrupted(shell);
  await change(other, run, to);
  const { standing } = await resumed(other, run);
  expect(standing).toMatchObject({ kind: "blocked", code: "ENGINE_NOT_AS_PINNED" });
  expect(ran).toEqual([]);
  await next(other.context, other.caller, { run, waitMs: 10_000 });
  expect(ran).toEqual(["echo Hello | wc"]);
});

test("a step of an agent with another prompt or permission is not driven", async () => {
  const text =
    'name: one\nsteps: [{ id: look, type: agent_task, prompt: "Say {{ who }} hello.", permission: read }]\ndefault_state: { raw: { who: Ada } }\n';
  const engine = await openTestEngine({ ".waymark/workflows/one.yaml": text });
  opened.push(engine);
  await engine.allow("one");
  const { run } = await start(engine.context, engine.caller, { workflow: "one" });
  const handle = await engine.context.runs.open(run);
  const [action] = Object.values(handle.state.actions) as [Action];
  const drive = (args: Action["args"]): Promise<void> => requirePermissionToDrive(engine.context, handle, { ...action, args });
  await drive(action.args);
  await drive({ ...action.args, prompt: "Say Grace hello." });
  for (const args of [{ prompt: "Evil." }, { permission: { level: "all" } }, { tools: { allowed: ["sh"] } }, { model: "other" }])
    await expect(drive({ ...action.args, ...args })).rejects.toMatchObject({ code: "ENGINE_NOT_AS_PINNED" });
  const { permission: _left, ...fewer } = action.args;
  await expect(drive(fewer)).rejects.toMatchObject({ code: "ENGINE_NOT_AS_PINNED" });
});
