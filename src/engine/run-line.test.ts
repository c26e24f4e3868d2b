import { afterEach, expect, test } from "vitest";
import { chainFiles } from "../../test/support/prompt-files.ts";
import { openTestEngine, type TestEngine } from "../../test/support/test-engine.ts";
import { end } from "./commands/end.ts";
import { start } from "./commands/start.ts";
import { runs } from "./commands/status.ts";

const steps = `name: keep
description: d
inputs:
  token: { type: string, secret: true, required: true }
steps:
  - { id: a, type: user_message, message: m }
  - { id: b, type: user_input, prompt: p }
`;
let engine: TestEngine;
afterEach(() => engine.close());

test("a list of runs knows what was asked for, by which chat, without secrets, and when it ended", async () => {
  engine = await openTestEngine({
    ".waymark/workflows/keep.yaml": steps,
    ...chainFiles("  - step: plan", { plan: "Plan $USER_MESSAGE." }),
  });
  const { context, caller } = engine;
  for (const name of ["keep", "chain"]) await engine.allow(name);
  const chat = { conversation: "c", codebase: "b", message: "use hunter2 for it" };
  const { run } = await start(context, caller, { workflow: "keep", inputs: { token: "hunter2" }, chat, waitMs: 0 });
  const [open] = await runs(context, {});
  expect(open?.line).toMatchObject({ user_message: "use ******** for it", conversation: "c", codebase: "b" });
  expect(open?.line).not.toHaveProperty("ended_at");
  await end(context, caller, { run, status: "cancelled", reason: "Enough." });
  expect((await runs(context, {}))[0]?.line.ended_at).toMatch(/^\d{4}-.*Z$/);
  const long = "x".repeat(9000);
  await start(context, caller, { workflow: "chain", inputs: { user_message: long }, waitMs: 0 });
  const [chain] = await runs(context, { workflow: "chain" });
  expect(chain?.line.user_message).toBe(`${"x".repeat(4000)}... (cut, 9000 characters)`);
  expect(chain?.line).not.toHaveProperty("conversation");
});
