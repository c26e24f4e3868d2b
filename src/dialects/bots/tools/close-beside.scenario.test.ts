/** Closing while an independent action is handed out beside the one of the sequence. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { smallBot } from "../../../../test/support/bot-sample.ts";
import { openSeedBot, type SeedBot } from "../../../../test/support/seed-003-bench.ts";

const close = "small_bot_close_current_action";
let bot: SeedBot;
let first: string;
let beside: { readonly action_id: string; readonly next_call: Parameters<SeedBot["run"]>[0] };
beforeEach(async () => {
  bot = await openSeedBot({ files: smallBot({}, { done_by: "relay" }) });
  first = (await bot.call("small_bot_tool", { project_area: "docs" })).data.data.action_id;
  beside = (await bot.call("small_bot_shape_correct")).data.data;
});
afterEach(() => bot.close());

test.each([{ summary: "Corrected it." }, {}])(
  "a close with %j that does not say which is refused with the ids of both",
  async (parameters) => {
    const { data, text } = await bot.call(close, parameters);
    expect(data.error).toMatchObject({
      code: "ENGINE_WRONG_STEP",
      details: { open: { "shape.gather": first, "shape.correct": beside.action_id } },
    });
    for (const said of ["shape.gather", first, "shape.correct", beside.action_id, "Nothing was changed.", "`action`"])
      expect(text).toContain(said);
    expect(await bot.events()).toEqual(["gather started", "correct started"]);
  },
);

test("each is closed by its own id, and closing it again says so", async () => {
  const own = { action: beside.action_id, summary: "Corrected it." };
  expect((await bot.call(close, own)).data).toMatchObject({
    status: "completed",
    completed_action: "correct",
    next_action: null,
    next: { status: "started", behavior: "shape", action: "gather", data: { action_id: first } },
  });
  const again = (await bot.call(close, own)).data;
  expect(again).toMatchObject({ completed_action: "correct", recorded: "before", next: { action: "gather" } });
  expect(again.message).toContain("correct of shape was completed before; nothing was changed.");
  expect(await bot.events()).toEqual(["gather started", "correct started", "correct completed"]);
  expect((await bot.log()).at(-1)).toMatchObject({ outputs: { summary: "Corrected it." } });
  expect((await bot.call(close, { action: first, summary: "Asked." })).data).toMatchObject({ completed_action: "gather" });
});

test("the action of the sequence is closed by its id while the other one stays open", async () => {
  expect((await bot.call(close, { action: first, summary: "Asked." })).data).toMatchObject({ completed_action: "gather" });
  expect((await bot.call("small_bot_shape_correct")).data.data).toMatchObject({ action_id: beside.action_id });
});

test("who was shown the action of the sequence since, means that one", async () => {
  expect((await bot.call("small_bot_tool")).data).toMatchObject({ action: "gather", data: { action_id: first } });
  expect((await bot.call(close, { summary: "Asked." })).data).toMatchObject({ completed_action: "gather", next_action: "render" });
  expect((await bot.call(close, { summary: "Rendered." })).data).toMatchObject({ completed_action: "render" });
});

test("an independent action is not closed without word of what was done", async () => {
  expect((await bot.call(close, { action: beside.action_id })).data.error).toMatchObject({ code: "ENGINE_NO_RESULT" });
  expect(await bot.events()).toEqual(["gather started", "correct started"]);
});

test("the report of an independent action is recorded once, and the same again is known", async () => {
  const report = { ...beside.next_call, arguments: { ...beside.next_call.arguments, result: { summary: "Corrected it." } } };
  expect((await bot.run(report)).data).toMatchObject({ recorded: "now" });
  expect((await bot.run(report)).data).toMatchObject({ recorded: "before" });
  await bot.call("small_bot_shape_correct");
  expect((await bot.run(report)).data).toMatchObject({ recorded: "before" });
  expect(await bot.events()).toEqual(["gather started", "correct started", "correct completed", "correct started"]);
});
