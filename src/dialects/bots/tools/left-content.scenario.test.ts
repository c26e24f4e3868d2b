/** Content of a report that could not be written: it is told before the action counts as done. */
import { afterEach, describe, expect, test } from "vitest";
import { smallBot } from "../../../../test/support/bot-sample.ts";
import { openSeedBot, type SeedBot } from "../../../../test/support/seed-003-bench.ts";

let bot: SeedBot | undefined;
afterEach(async () => {
  await bot?.close();
  bot = undefined;
});

const close = "small_bot_close_current_action";
const left = "../evil.txt is outside the project area.";
const content = [
  { path: "good.json", text: "{}\n" },
  { path: "../evil.txt", text: "x" },
];

async function opened(
  files = smallBot({}, { done_by: "relay" }),
  answer?: () => string,
): Promise<{ readonly by: SeedBot; readonly action: string }> {
  const by = await openSeedBot({ files, ...(answer === undefined ? {} : { answer }) });
  bot = by;
  const { data } = await by.call("small_bot_tool", { project_area: "docs" });
  return { by, action: data.data.action_id };
}

describe("where an agent passes on that it is done", () => {
  test("the question stays open, and text and data of the reply say what was not done", async () => {
    const { by, action } = await opened();
    const reply = await by.call(close, { action, summary: "gathered", content });
    expect(reply).toMatchObject({
      isError: false,
      data: {
        status: "question",
        behavior: "shape",
        action: "gather",
        data: { about: "done", not_done: [left], answers: ["done", "redo"] },
      },
    });
    expect(reply.text).toContain(`Not done: ${left}`);
    expect(reply.text).toContain("`redo` hands the action out again");
    expect(reply.data).not.toHaveProperty("completed_action");
    expect(await by.exists("docs/good.json")).toBe(true);
    expect(await by.exists("evil.txt")).toBe(false);
    expect(await by.events()).toEqual(["gather started"]);
  });

  test("the same close again counts as little, by its id and by its words", async () => {
    const { by, action } = await opened();
    for (const named of [{ action }, { action }, { action: "gather" }, {}, {}]) {
      const reply = await by.call(close, { ...named, summary: "gathered", content });
      expect(reply.data).toMatchObject({ status: "question", data: { not_done: [left] } });
    }
    expect(await by.events()).toEqual(["gather started"]);
  });

  test.each([
    ["the bot's tool", "small_bot_tool", { answer: "done" }],
    ["a close without a report", close, {}],
    ["a close with the answer alone", close, { answer: "done" }],
  ])("a word of its own counts: %s", async (_, tool, parameters) => {
    const { by, action } = await opened();
    await by.call(close, { action, summary: "gathered", content });
    await by.call(tool, parameters);
    expect(await by.events()).toEqual(["gather started", "gather completed", "render started"]);
  });

  test("redo hands the action out again, and a report that is written as a whole is done at once", async () => {
    const { by, action } = await opened();
    await by.call(close, { action, summary: "gathered", content });
    const again = await by.call(close, { answer: "redo" });
    expect(again.data).toMatchObject({ status: "started", action: "gather" });
    const done = await by.call(close, { action: again.data.data.action_id, summary: "gathered", content: content.slice(0, 1) });
    expect(done.data).toMatchObject({ status: "completed", completed_action: "gather" });
  });
});

test("where a person is asked by the client, their word counts, and they were shown what was not done", async () => {
  const { by, action } = await opened(smallBot(), () => "done");
  const done = await by.call(close, { action, summary: "gathered", content });
  expect(by.asked).toEqual([expect.stringContaining(`Not done: ${left}`)]);
  expect(done.data).toMatchObject({ status: "completed", completed_action: "gather" });
});

test("an action that nobody confirms is completed, and the reply says what was not done", async () => {
  const { by } = await opened();
  const { data } = await by.call(close, { summary: "gathered" });
  expect(data.next).toMatchObject({ action: "render" });
  const reply = await by.call(close, { summary: "rendered", content });
  expect(reply.data).toMatchObject({
    completed_action: "render",
    not_done: [`Not done in shape.render: ${left}`],
    next: { action: "check", data: { problems: [`Not done in shape.render: ${left}`] } },
  });
  expect(reply.text).toContain(`Not done in shape.render: ${left}`);
});

test("of combined actions the last one is not called done in the same call", async () => {
  const files = smallBot(
    { "execution_settings.json": JSON.stringify({ "small_bot.shape.gather": "combine_next", "small_bot.shape.render": "combine_next" }) },
    { done_by: "relay" },
  );
  const { by } = await opened(files);
  const reply = await by.call(close, { summary: "all", content });
  expect(reply.data).toMatchObject({
    status: "question",
    action: "check",
    data: { about: "done", problems: [`Not done in shape.gather: ${left}`] },
  });
  expect(reply.text).toContain(left);
  await by.call(close, { summary: "all", content });
  expect(await by.events()).not.toContain("check completed");
  expect((await by.call("small_bot_tool", { answer: "done" })).data).toMatchObject({ behavior: "build", action: "gather" });
});
