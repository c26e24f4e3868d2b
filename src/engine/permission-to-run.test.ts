import { afterEach, expect, test } from "vitest";
import { DrivenTime } from "../../test/support/driven-time.ts";
import { openTestEngine, type TestEngine } from "../../test/support/test-engine.ts";
import type { CommandOutcome, CommandRequest } from "../ports/index.ts";
import { journal } from "./commands/journal.ts";
import { next, type Position } from "./commands/next.ts";
import { progress } from "./commands/progress.ts";
import { resume, retry } from "./commands/resume.ts";
import { start } from "./commands/start.ts";

let engine: TestEngine;
let ran: string[];
afterEach(() => engine.close());

const passes: CommandOutcome = { exitCode: 0, signal: null, ended: "exit", stdout: { text: "", bytes: 0 }, stderr: "", ms: 1 };

const workflow = (more = ""): string => `
name: perm:two
steps:
  - { id: wait, type: user_message, message: "go on?" }
  - { id: build, type: shell_command, command: "make all"${more} }
  - { id: after, type: user_message, message: "done" }
`;

/** A run of an allowed workflow that is before its first command; nothing is started in truth. */
async function beforeCommand(text = workflow(), place = ".waymark/workflows/perm.yaml"): Promise<string> {
  ran = [];
  engine = await openTestEngine({ [place]: text }, {}, undefined, () => ({
    run: ({ command }: CommandRequest) => {
      ran.push(command);
      return Promise.resolve(passes);
    },
  }));
  await engine.allow("perm:two");
  return (await start(engine.context, engine.caller, { workflow: "perm:two" })).run;
}

const revoke = async (): Promise<boolean> => engine.host.permissions.revoke((await engine.context.catalog.load("perm:two")).hash);
const reported = async (run: string): Promise<Position> => {
  await progress(engine.context, engine.caller, { run, result: "yes" });
  return next(engine.context, engine.caller, { run });
};
const stepOf = ({ standing }: Position): string => (standing.kind === "action" ? standing.action.step : standing.kind);

test("a permission that is taken back stops an open run before its next command, and nothing is a failure", async () => {
  const run = await beforeCommand(workflow(", on_error: continue"));
  expect(await revoke()).toBe(true);
  const { standing, state } = await reported(run);
  expect(standing).toMatchObject({ kind: "blocked", code: "ENGINE_NOT_ALLOWED", denied: true });
  const { reason } = standing as { readonly reason: string };
  for (const said of ["command: make all", "waymark allow perm:two", "workflow_next", `waymark next ${run}`])
    expect(reason).toContain(said);
  expect([ran, state.status, state.effects]).toEqual([[], "running", {}]);
  expect(JSON.stringify(await journal(engine.context, run, 0, 100))).not.toContain('"failed"');
});

test("once it is allowed again, asking for the next step continues the run", async () => {
  const run = await beforeCommand();
  await revoke();
  await reported(run);
  expect((await next(engine.context, engine.caller, { run })).standing.kind).toBe("blocked");
  await engine.allow("perm:two");
  expect(stepOf(await next(engine.context, engine.caller, { run }))).toBe("after");
  expect(ran).toEqual(["make all"]);
});

test("so does resuming it, and a retry before it is allowed blocks it again", async () => {
  const run = await beforeCommand();
  await revoke();
  await reported(run);
  expect((await retry(engine.context, engine.caller, { run })).standing.kind).toBe("blocked");
  await engine.allow("perm:two");
  expect(stepOf(await resume(engine.context, engine.caller, { run }))).toBe("after");
});

test("a permission is for what the run pinned, not for what the file has become since", async () => {
  const run = await beforeCommand();
  await engine.write(".waymark/workflows/perm.yaml", workflow().replace("make all", "make other"));
  expect(stepOf(await reported(run))).toBe("after");
  expect(ran).toEqual(["make all"]);
});

test("a single command that was allowed word for word is enough, for that command", async () => {
  const run = await beforeCommand();
  await revoke();
  const { workspace } = engine.host;
  await engine.host.permissions.grant({ hash: "x", workflow: "", workspace, runs: ["command: make all"], unattended: false });
  expect(stepOf(await reported(run))).toBe("after");
});

test("a single command does not cover the same command with other variables or in another folder", async () => {
  const run = await beforeCommand(workflow(', env: { PATH: "./bin" }'));
  await revoke();
  const { workspace } = engine.host;
  await engine.host.permissions.grant({ hash: "x", workflow: "", workspace, runs: ["command: make all"], unattended: false });
  const { standing } = await reported(run);
  expect(standing).toMatchObject({ kind: "blocked", reason: expect.stringContaining("command (with PATH=./bin): make all") as string });
  expect(ran).toEqual([]);
});

test("runs of the user's own workflows need no permission, also when the file is gone or changed since", async () => {
  engine = await openTestEngine({}, {}, undefined, () => ({ run: ({ command }) => (ran.push(command), Promise.resolve(passes)) }));
  ran = [];
  const own = "../home/.waymark/workflows/perm.yaml";
  await engine.write(own, workflow());
  const { run } = await start(engine.context, engine.caller, { workflow: "perm:two" });
  await engine.write(own, workflow().replace("make all", "make other"));
  expect(stepOf(await reported(run))).toBe("after");
  expect(ran).toEqual(["make all"]);
});

test("a run that only says that it is the user's own needs permission", async () => {
  const run = await beforeCommand();
  await revoke();
  const handle = await engine.context.runs.open(run);
  handle.state = { ...handle.state, options: { ...handle.state.options, own: "f".repeat(64) } };
  expect((await reported(run)).standing.kind).toBe("blocked");
});

test("a run of an earlier version, without the mark, is known by the user's workflow of that name and content", async () => {
  ran = [];
  engine = await openTestEngine({}, {}, undefined, () => ({ run: ({ command }) => (ran.push(command), Promise.resolve(passes)) }));
  await engine.write("../home/.waymark/workflows/perm.yaml", workflow());
  const { run } = await start(engine.context, engine.caller, { workflow: "perm:two" });
  const handle = await engine.context.runs.open(run);
  const { own: _mark, ...options } = handle.state.options;
  handle.state = { ...handle.state, options };
  expect(stepOf(await reported(run))).toBe("after");
});

test("the user's own workflow that calls one of the project needs permission like the project's", async () => {
  ran = [];
  const called = "name: perm:called\nsteps: [{ id: inner, type: shell_command, command: touch it }]\n";
  engine = await openTestEngine({ ".waymark/workflows/called.yaml": called });
  const caller = 'name: perm:own\nsteps: [{ id: call, type: include_workflow, workflow: "perm:called" }]\n';
  await engine.write("../home/.waymark/workflows/own.yaml", caller);
  await expect(start(engine.context, engine.caller, { workflow: "perm:own" })).rejects.toMatchObject({ code: "ENGINE_NOT_ALLOWED" });
});

test("the user's own workflow needs permission for tool servers that the project configures, and the server's command is shown", async () => {
  ran = [];
  const config = "mcp_servers: { hints: { command: ./serve, args: [--all], env: { MODE: fast } } }\n";
  engine = await openTestEngine({ ".waymark/config.yaml": config });
  const own = "name: perm:tool\nsteps: [{ id: call, type: mcp_call, mcp: { method: hints.get } }]\n";
  await engine.write("../home/.waymark/workflows/own.yaml", own);
  await expect(start(engine.context, engine.caller, { workflow: "perm:tool" })).rejects.toMatchObject({
    code: "ENGINE_NOT_ALLOWED",
    details: { runs: ["tool: hints.get", "tool (server hints): MODE=fast ./serve --all"] },
  });
});

test("a command that was interrupted is not taken up without permission", async () => {
  const time = new DrivenTime();
  ran = [];
  let hang = true;
  let began = (): void => undefined;
  const begun = new Promise<void>((done) => (began = done));
  engine = await openTestEngine({ ".waymark/workflows/perm.yaml": workflow() }, { callWaitMs: 0 }, time, () => ({
    run: ({ command, signal }) => {
      ran.push(command);
      began();
      if (!hang) return Promise.resolve(passes);
      return new Promise((done) => signal?.addEventListener("abort", () => done({ ...passes, ended: "cancelled" })));
    },
  }));
  await engine.allow("perm:two");
  const { run } = await start(engine.context, engine.caller, { workflow: "perm:two" });
  await progress(engine.context, engine.caller, { run, result: "yes" });
  await begun;
  const other = await engine.again();
  await engine.context.effects.close();
  await engine.context.holding.release(engine.caller.leaseOwner);
  hang = false;
  await revoke();
  const stopped = await resume(other.context, other.caller, { run, waitMs: 10_000 });
  expect([stopped.standing.kind, ran.length]).toEqual(["blocked", 1]);
  await other.close();
});
