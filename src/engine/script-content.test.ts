import { afterEach, expect, test } from "vitest";
import { openTestEngine, type TestEngine } from "../../test/support/test-engine.ts";
import { start } from "./commands/start.ts";
import { lineOfRun, requirePermissionToDrive, requirePermissionToWork, runsToAllow } from "./permission.ts";

let engine: TestEngine;
afterEach(() => engine.close());

const workflow = (agent: string): string =>
  `name: one\nsteps: [{ id: look, type: agent_task, prompt: "Say hello.", agent: "${agent}", permission: edit }]\n`;

/** As `waymark allow` keeps it. */
async function allow(): Promise<readonly string[]> {
  const { program, hash, own } = await engine.context.catalog.loadValid("one");
  const { permissions, workspace } = engine.host;
  const runs = (await runsToAllow(engine.context, { program, own })).map(lineOfRun);
  if (runs.length > 0) await permissions.grant({ hash, workflow: "one", workspace, runs, unattended: false });
  return runs;
}

test("the script of an agent is part of what is allowed, and a changed one needs a new permission", async () => {
  engine = await openTestEngine({
    ".waymark/workflows/one.yaml": workflow("script:agent.yaml"),
    "agent.yaml": "turns: [{ do: [{ say: hi }] }]\n",
  });
  expect(await allow()).toEqual([
    expect.stringMatching(/^agent \(script:agent\.yaml, script [0-9a-f]{32}, permission edit\): Say hello\.$/),
  ]);
  const { run } = await start(engine.context, engine.caller, { workflow: "one" });
  const handle = await engine.context.runs.open(run);
  const [action] = Object.values(handle.state.actions);
  const both = [() => requirePermissionToWork(engine.context, handle), () => requirePermissionToDrive(engine.context, handle, action!)];
  for (const ask of both) await ask();
  await engine.write("agent.yaml", "turns: [{ do: [{ write: { file: made.txt, text: made } }] }]\n");
  for (const ask of both) await expect(ask()).rejects.toMatchObject({ code: "ENGINE_NOT_ALLOWED" });
  expect(await allow()).toHaveLength(1);
  for (const ask of both) await ask();
  expect(await allow()).toEqual([]);
});

test("an agent that is not a script has no file", async () => {
  engine = await openTestEngine({ ".waymark/workflows/one.yaml": workflow("claude") });
  expect(await allow()).toEqual(["agent (claude, permission edit): Say hello."]);
});
