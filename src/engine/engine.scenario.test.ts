import { afterEach, describe, expect, test } from "vitest";
import { openTestEngine, type TestEngine } from "../../test/support/test-engine.ts";
import { next } from "./commands/next.ts";
import { progress } from "./commands/progress.ts";
import { readState } from "./commands/state.ts";
import { start } from "./commands/start.ts";
import { status } from "./commands/status.ts";

let engine: TestEngine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

async function withWorkflow(name: string, yaml: string): Promise<TestEngine> {
  engine = await openTestEngine({ [`.waymark/workflows/${name.replace(":", "__")}.yaml`]: yaml });
  await engine.allow(name);
  return engine;
}

const hello = `
name: demo:hello
description: Greets.
version: "1.0.0"
inputs:
  who: { type: string, default: world }
default_state:
  raw: { count: 0, started: "{{ now() }}" }
state_schema:
  raw: { lines: array }
  computed:
    upper:
      from: raw.lines
      transform: "(input || []).map(l => l.toUpperCase())"
steps:
  - id: list
    type: shell_command
    command: "printf '%s\\\\n' {{ inputs.who }} b"
    output_format: lines
    state_update: { path: raw.lines }
  - id: bump
    type: state_update
    path: raw.count
    operation: increment
  - id: branch
    type: conditional
    condition: "{{ upper.length > 1 && count === 1 }}"
    then:
      - id: tell
        type: user_message
        message: "Hello {{ upper[0] }}, {{ count }} of {{ upper.length }}"
    else:
      - id: never
        type: user_message
        message: no
`;

describe("a step workflow", () => {
  test("runs commands, computes, branches and completes", async () => {
    const { context, caller } = await withWorkflow("demo:hello", hello);
    const first = await start(context, caller, { workflow: "demo:hello", inputs: { who: "it's $(me)" } });
    expect(first.standing).toMatchObject({
      kind: "action",
      action: { what: "user_message", args: { message: "Hello IT'S $(ME), 1 of 2" } },
    });
    expect((await next(context, caller, { run: first.run })).standing).toEqual(first.standing);
    const done = await progress(context, caller, { run: first.run });
    expect(done.position.state.status).toBe("completed");
    expect((await readState(context, first.run)).state).toMatchObject({ count: 1, lines: ["it's $(me)", "b"], upper: ["IT'S $(ME)", "B"] });
    const { handle, strands } = await status(context, first.run);
    expect([handle.id, handle.state.status]).toEqual([first.run, "completed"]);
    expect(strands).toEqual([{ strand: "main", standing: { kind: "ended" }, holder: "tester", alive: true, stale: false }]);
  });

  test("another process sees the same open action and may take it over when the first is gone", async () => {
    const one = await withWorkflow("demo:hello", hello);
    const first = await start(one.context, one.caller, { workflow: "demo:hello" });
    const two = await one.again();
    await expect(next(two.context, two.caller, { run: first.run })).rejects.toMatchObject({ code: "STRAND_HELD" });
    const taken = await next(two.context, two.caller, { run: first.run, takeOver: true });
    expect(taken.standing).toMatchObject({ kind: "action", action: { taken: 1 } });
    await expect(progress(one.context, one.caller, { run: first.run })).rejects.toMatchObject({ code: "HOLDER_LOST" });
    expect((await progress(two.context, two.caller, { run: first.run })).position.state.status).toBe("completed");
    await two.close();
  });
});
