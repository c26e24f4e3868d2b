/** A sentence goes where the trigger words of a bot lead. */
import { afterEach, describe, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../../../test/process/cli-world.ts";
import { smallBot } from "../../../../test/support/bot-sample.ts";
import { openPlacedBot, openSeedBot, storyBot, type SeedBot } from "../../../../test/support/seed-003-bench.ts";

let bot: SeedBot | undefined;
let bench: CliBench | undefined;
afterEach(async () => {
  await bot?.close();
  await bench?.close();
  bot = undefined;
  bench = undefined;
});

const words = (of: unknown): string => JSON.stringify(of);

describe("a sentence", () => {
  test("leads to an independent action, which is told what was said and changes no place", async () => {
    bot = await openPlacedBot();
    const { data } = await bot.call("story_bot_tool", { sentence: "Please correct the bot: it asks too much." });
    expect(data).toMatchObject({
      action: "correct_bot",
      data: { independent: true, parameters: { sentence: expect.any(String) as string } },
    });
    expect(await bot.state()).toMatchObject({ current_action: "gather_context" });
  });

  test("leads to another behaviour only with a person's confirmation, and to the current one as it is", async () => {
    bot = await openPlacedBot({ answer: (question) => (question.includes("Leave") ? "go" : "done") });
    const wish = await bot.call("story_bot_tool", { sentence: "Now find the stories." });
    expect(wish.data).toMatchObject({
      status: "question",
      data: { about: "jump", question: expect.stringContaining("discovery.") as string },
    });
    expect((await bot.call("story_bot_tool", { sentence: "Make a story map." })).data).toMatchObject({
      status: "started",
      behavior: "shape",
      action: "gather_context",
    });
  });

  test("the higher priority wins, then what matches more, then the current behaviour; skipped places are left out", async () => {
    const files = smallBot({
      "behaviors/1_shape/trigger_words.json": words({ patterns: ["\\bplan\\b"], priority: 1 }),
      "behaviors/2_build/trigger_words.json": words({
        low: { patterns: ["plan the building"] },
        high: { patterns: ["make"], priority: 5 },
      }),
      "base_actions/check/trigger_words.json": words(["check it"]),
      "base_actions/correct/trigger_words.json": words(["make", "check it twice"]),
      "base_actions/render/trigger_words.json": words({ patterns: ["skipped"], priority: 9 }),
      "execution_settings.json": words({ "small_bot.shape.render": "skip", "small_bot.build.render": "skip" }),
    });
    bot = await openSeedBot({ files });
    await bot.call("small_bot_tool", { project_area: "docs" });
    const question = async (sentence: string): Promise<string> =>
      ((await bot!.call("small_bot_tool", { sentence })).data.data.question as string | undefined) ?? "none";
    expect(await question("PLAN the building")).toBe("none");
    expect(await question("make it")).toContain("go to build.gather");
    expect(await question("check it")).toContain("go to shape.check");
    expect((await bot.call("small_bot_tool", { sentence: "check it twice" })).data).toMatchObject({ action: "correct" });
    expect((await bot.call("small_bot_tool", { sentence: "skipped" })).data.error.code).toBe("ENGINE_NO_BOT_PLACE");
    expect((await bot.call("small_bot_build_tool", { sentence: "check it" })).data.data.question).toContain("go to build.check");
  });

  test("that no trigger word is in changes nothing and says what there is", async () => {
    bot = await openPlacedBot();
    const { data } = await bot.call("story_bot_tool", { sentence: "What is the weather like?" });
    expect(data.error).toMatchObject({ code: "ENGINE_NO_BOT_PLACE", fix: expect.stringContaining("shape") as string });
    expect(await bot.events()).toHaveLength(3);
  });

  test("that a trigger word would take for ever on is refused in time", async () => {
    bot = await openSeedBot({ files: smallBot({ "behaviors/1_shape/trigger_words.json": words(["^(a+)+$"]) }) });
    await bot.call("small_bot_tool", { project_area: "docs" });
    const { data } = await bot.call("small_bot_tool", { sentence: `${"a".repeat(60)}!` });
    expect(data.error).toMatchObject({ code: "ENGINE_NO_BOT_PLACE" });
  });

  test("begins a bot that was not begun", async () => {
    bot = await openSeedBot({ files: storyBot() });
    const { data } = await bot.call("story_bot_tool", { sentence: "Make a story map.", project_area: "docs" });
    expect(data).toMatchObject({ status: "started", behavior: "shape", action: "initialize_project" });
  });
});

test("at the command line, what is no name of a behaviour because it has spaces is a sentence", async () => {
  const opened = await openCliBench(storyBot());
  bench = opened;
  await opened.json(["bot", "story_bot", "--area", "docs"]);
  expect(await opened.json(["bot", "story_bot", "please correct the bot"])).toMatchObject({ action: "correct_bot" });
  expect((await opened.run(["bot", "story_bot", "please correct the bot", "gather_context"])).stderr).toContain("CLI_USAGE");
});
