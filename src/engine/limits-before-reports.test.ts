import { afterEach, expect, test } from "vitest";
import { DrivenTime } from "../../test/support/driven-time.ts";
import { openTestEngine, type TestEngine } from "../../test/support/test-engine.ts";
import { answer } from "./commands/answer.ts";
import { next, type Position } from "./commands/next.ts";
import { progress } from "./commands/progress.ts";
import { start } from "./commands/start.ts";

const limited = (step: string): string => `name: limited
description: d
version: "1.0.0"
default_state: { raw: {} }
steps:
  - { id: first, ${step}, timeout: 60000, on_error: continue }
  - { id: after, type: user_message, message: x }
`;

let engine: TestEngine;
afterEach(() => engine.close());

/** The first step was shown by a process that is gone, and its limit passed while there was none. */
async function late(step: string): Promise<{ readonly shown: Position; readonly now: TestEngine }> {
  const time = new DrivenTime();
  engine = await openTestEngine({ ".waymark/workflows/limited.yaml": limited(step) }, {}, time);
  const before = await engine.again();
  const { run } = await start(before.context, before.caller, { workflow: "limited" });
  const shown = await next(before.context, before.caller, { run });
  await before.close();
  await time.advance(100_000);
  const now = await engine.again();
  return { shown, now: { ...now, caller: { ...now.caller, holder: before.caller.holder } } };
}

test("a report after its limit passed while no process ran is refused for that, and the next step is shown", async () => {
  const { shown, now } = await late("type: user_message, message: m");
  const { run, standing } = shown;
  const action = standing.kind === "action" ? standing.action.id : "";
  try {
    const reporting = progress(now.context, now.caller, { run, action });
    await expect(reporting).rejects.toThrow(/The time of `.*` ran out before this report \(TIMEOUT\)/);
    expect((await next(now.context, now.caller, { run })).standing).toMatchObject({ kind: "action", action: { step: "after" } });
  } finally {
    await now.close();
  }
});

test("an answer after the limit of its question passed while no process ran does not count", async () => {
  const { shown, now } = await late('type: user_input, prompt: "Which?", state_update: { path: raw.which }');
  const { run, standing } = shown;
  const decision = standing.kind === "question" ? standing.decision.id : "";
  try {
    await expect(answer(now.context, now.caller, { run, decision, answer: "a", relayed: false })).rejects.toMatchObject({
      code: "ENGINE_NO_DECISION",
    });
    expect((await next(now.context, now.caller, { run })).standing).toMatchObject({ kind: "action", action: { step: "after" } });
  } finally {
    await now.close();
  }
});
