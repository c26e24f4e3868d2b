/** A close that is sent again: it gets what was recorded, and never leads to what is done. */
import { afterEach, expect, test } from "vitest";
import { smallBot } from "../../../../test/support/bot-sample.ts";
import { openSeedBot, type SeedBot } from "../../../../test/support/seed-003-bench.ts";

const close = "small_bot_close_current_action";
let bot: SeedBot | undefined;
afterEach(async () => {
  await bot?.close();
  bot = undefined;
});

async function opened(more: Readonly<Record<string, string>> = {}): Promise<{ readonly by: SeedBot; readonly id: string }> {
  bot = await openSeedBot({ files: { ...smallBot({}, { done_by: "relay" }), ...more } });
  return { by: bot, id: (await bot.call("small_bot_tool", { project_area: "docs" })).data.data.action_id };
}

test("actions that were closed together are told together again", async () => {
  const settings = { "small_bot.shape.gather": "combine_next", "small_bot.shape.render": "combine_next" };
  const { by, id } = await opened({ "execution_settings.json": JSON.stringify(settings) });
  const first = (await by.call(close, { action: id, summary: "All." })).data;
  expect(first).toMatchObject({ completed_action: "check", completed_behavior: "shape", next_behavior: "build" });
  const again = (await by.call(close, { action: id, summary: "All." })).data;
  const { message: _first, ...told } = first;
  const { message, ...repeated } = again;
  expect(repeated).toEqual({ ...told, recorded: "before" });
  expect(message).toContain("check of shape was completed before; nothing was changed.");
});

test("a close of long ago says where the bot is, not what followed then", async () => {
  const { by, id } = await opened();
  const parameters = { action: id, summary: "Asked." };
  expect((await by.call(close, parameters)).data).toMatchObject({ completed_action: "gather", next_action: "render" });
  expect((await by.call(close, parameters)).data).toMatchObject({ completed_action: "gather", next_action: "render", recorded: "before" });
  for (const summary of ["1", "2"]) await by.call(close, { summary });
  const late = (await by.call(close, parameters)).data;
  expect(late).toMatchObject({
    completed_action: "gather",
    next_action: null,
    recorded: "before",
    message: "gather of shape was completed before; nothing was changed. small_bot is at build.gather.",
    next: { behavior: "build", action: "gather", status: "started" },
  });
  for (const summary of ["3", "4", "5"]) await by.call(close, { summary });
  const over = (await by.call(close, parameters)).data;
  expect(over).toMatchObject({ completed_action: "gather", next_action: null, recorded: "before", next: { status: "completed" } });
  expect(over.message).toBe("gather of shape was completed before; nothing was changed. All behaviours of small_bot are complete.");
});
