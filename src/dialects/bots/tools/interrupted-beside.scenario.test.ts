/** An independent action whose agent is gone asks beside the question of the sequence: each reply names the call that answers its own. */
import { freeHolders } from "../../../../test/support/free-holders.ts";
import { afterEach, expect, test } from "vitest";
import { smallBot } from "../../../../test/support/bot-sample.ts";
import { openSeedBot, type SeedBot } from "../../../../test/support/seed-003-bench.ts";

let bot: SeedBot;
afterEach(() => bot.close());

test.each([
  ["retry", "gather started", "correct started"],
  ["continue", "gather started", "correct started", "correct completed"],
])("%s, passed on as the reply asks, is recorded for the question that it shows", async (result, ...events) => {
  bot = await openSeedBot({ files: smallBot({}, { done_by: "relay" }) });
  const { run_id: run } = (await bot.call("small_bot_tool", { project_area: "docs" })).data.data;
  const { next_call: held } = (await bot.call("small_bot_shape_correct")).data.data;
  const other = await bot.client();
  await freeHolders(bot.engine.context);
  await other.call("workflow_resume", { run_id: run });
  await other.call("workflow_resume", { run_id: run, task_id: held.arguments.task_id });
  const main = (await other.call("small_bot_tool", {})).data;
  expect(main).toMatchObject({ status: "question", action: "gather", data: { about: "interrupted" } });
  const { data } = await other.call("small_bot_shape_correct", {});
  expect(data).toMatchObject({ status: "question", action: "correct", data: { about: "interrupted" } });
  const { later } = data.data;
  expect(data.data.fill_in).toEqual({ result: "retry or continue" });
  const answered = await other.call(later.tool, { ...later.arguments, result });
  expect(answered.data).toMatchObject({ recorded: "now" });
  expect((await other.call("small_bot_tool", {})).data.data).toMatchObject({ decision_id: main.data.decision_id });
  expect(await bot.events()).toEqual(events);
});
