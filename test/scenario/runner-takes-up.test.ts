import { expect, test } from "vitest";
import { start } from "../../src/engine/index.ts";
import { openDriven } from "../support/driven-run.ts";
import { openTestEngine } from "../support/test-engine.ts";

const text = `
name: one:step
description: One judgement
steps: [{ id: first, type: agent_shell_command, command: "wc -l a.txt", reason: You judge. }]
`;

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

test("a run is taken up at once; only the agent waits until what a killed runner left has ended", async () => {
  const engine = await openTestEngine({ ".waymark/workflows/one__step.yaml": text });
  const [left, asked] = [deferred(), deferred()];
  const { host } = engine.context;
  const settleDead = async (): Promise<readonly []> => {
    asked.resolve();
    await left.promise;
    return [];
  };
  Object.assign(engine.context, { host: { ...host, commands: { ...host.commands, settleDead } } });
  const driven = await openDriven(engine, async ({ prompt }, door) => {
    const [, run_id, action_id] = /"run_id":"([^"]+)","action_id":"([^"]+)"/.exec(prompt) ?? [];
    await door.call("workflow_progress", { run_id, action_id, result: "7" });
    return {};
  });
  try {
    await engine.allow("one:step");
    const { run } = await start(engine.context, engine.caller, { workflow: "one:step", held: false });
    const driving = driven.drive({ run });
    await asked.promise;
    const { state } = await engine.context.runs.open(run);
    expect(state.strands["main"]?.holder).toMatchObject({ kind: "worker" });
    expect(driven.turns).toEqual([]);
    left.resolve();
    expect(await driving).toEqual({ run, kind: "completed" });
    expect(driven.turns).toHaveLength(1);
  } finally {
    await driven.close();
    await engine.close();
  }
});
