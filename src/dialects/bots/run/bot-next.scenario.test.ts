/** The general tools on a bot that was interrupted elsewhere: the question comes before the action. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { next, start } from "../../../engine/index.ts";
import { shapeBot, openSeedBot, type SeedBot } from "../../../../test/support/seed-003-bench.ts";
import { smallBot } from "../../../../test/support/bot-sample.ts";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";
import { handedOut } from "../../../../test/support/handed-out.ts";

let engine: TestEngine | undefined;
let bot: SeedBot | undefined;
afterEach(async () => {
  await engine?.close();
  await bot?.close();
  engine = undefined;
  bot = undefined;
});

const started = (behavior: string, action: string): string =>
  JSON.stringify({ current_behavior: behavior, current_action: action, action_state: "started", completed_actions: [] });

test("a brought state that says started: the first who asks for the next step gets the question, and so do all after", async () => {
  engine = await openTestEngine(smallBot());
  const { context, caller, folder } = engine;
  await mkdir(join(folder, "area"));
  await writeFile(join(folder, "area/workflow_state.json"), started("shape", "render"));
  const { run, standing: first } = await start(context, caller, { workflow: "small_bot", inputs: { project_area: "area" } });
  expect(first).toMatchObject({ kind: "question", decision: { kind: "lost", step: "shape.render" } });
  for (let at = 0; at < 3; at += 1) {
    const { standing } = await next(context, caller, { run });
    expect(standing).toMatchObject({ kind: "question", decision: { kind: "lost", step: "shape.render" } });
  }
});

test("workflow_start and workflow_next give the question, and nothing goes on until it is answered", async () => {
  bot = await openSeedBot({ files: shapeBot(), toolsets: [] });
  await writeFile(join(bot.engine.folder, "docs/workflow_state.json"), started("shape", "gather_context"));
  const begun = await bot.run({ tool: "workflow_start", arguments: { workflow: "story_bot", inputs: { project_area: "docs" } } });
  expect(begun.data).toMatchObject({
    step: {
      id: handedOut("shape.gather_context"),
      type: "user_input",
      definition: { options: [{ value: "retry" }, { value: "continue" }] },
    },
  });
  const { run_id } = begun.data as { run_id: string };
  const again = await bot.run({ tool: "workflow_next", arguments: { run_id } });
  expect(again.data).toMatchObject({ action_id: begun.data.action_id, step: { type: "user_input" } });
  const early = await bot.run({
    tool: "workflow_progress",
    arguments: { run_id, step_id: "shape.gather_context", result: { summary: "Asked." } },
  });
  expect(early.isError).toBe(true);
  expect(JSON.parse(await readFile(join(bot.engine.folder, "docs/workflow_state.json"), "utf8"))).toMatchObject({
    action_state: "started",
  });
  const retried = await bot.run({ tool: "workflow_progress", arguments: { run_id, action_id: begun.data.action_id, result: "retry" } });
  expect(retried.data).toMatchObject({ step: { id: handedOut("shape.gather_context"), type: "bot_action" } });
});
