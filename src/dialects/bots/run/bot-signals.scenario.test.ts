/** Two small files of other engines in the project area: one says that an action is done, one limits the work. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { smallBot } from "../../../../test/support/bot-sample.ts";
import { openSeedBot, type SeedBot } from "../../../../test/support/seed-003-bench.ts";

let bot: SeedBot | undefined;
afterEach(async () => {
  await bot?.close();
  bot = undefined;
});

async function open(): Promise<SeedBot> {
  bot = await openSeedBot({ files: smallBot() });
  await mkdir(join(bot.engine.folder, "docs"), { recursive: true });
  return bot;
}
const put = ({ engine }: SeedBot, name: string, text: string) => writeFile(join(engine.folder, "docs", name), text);
const signal = async ({ engine }: SeedBot): Promise<unknown> =>
  JSON.parse(await readFile(join(engine.folder, "docs/action_is_done.json"), "utf8"));

describe("action_is_done.json", () => {
  test("that says true reports the open action when the bot is called next; a person is still asked, and it counts once", async () => {
    const held = await open();
    const { call } = held;
    await call("small_bot_tool", { project_area: "docs" });
    await put(held, "action_is_done.json", '{"action_is_done": false}');
    expect((await call("small_bot_tool")).data).toMatchObject({ status: "started", action: "gather" });
    await put(held, "action_is_done.json", '{"action_is_done": true, "by": "me"}');
    const asked = await call("small_bot_tool");
    expect(asked.data).toMatchObject({ status: "question", action: "gather", data: { about: "done" } });
    expect(asked.data.data.question).toContain("action_is_done.json");
    expect(await held.events()).toEqual(["gather started"]);
    expect((await call("small_bot_tool")).data).toMatchObject({ status: "question", data: { about: "done" } });
    const { closeAction } = await import("./close-action.ts");
    await closeAction(held.engine.context, held.person, { bot: "small_bot" });
    expect((await call("small_bot_tool")).data).toMatchObject({ status: "started", action: "render" });
    expect(await signal(held)).toEqual({ action_is_done: false, by: "me" });
    expect((await call("small_bot_tool")).data).toMatchObject({ status: "started", action: "render" });
    // One that goes on by itself needs nobody.
    await put(held, "action_is_done.json", '{"action_is_done": true}');
    expect((await call("small_bot_tool")).data).toMatchObject({ status: "started", action: "check" });
    expect((await held.events()).slice(-3)).toEqual(["render started", "render completed", "check started"]);
  });

  test("from before an action was started says nothing about it", async () => {
    const held = await open();
    await put(held, "action_is_done.json", '{"action_is_done": true}');
    expect((await held.call("small_bot_tool", { project_area: "docs" })).data).toMatchObject({ status: "started", action: "gather" });
    expect(await signal(held)).toEqual({ action_is_done: false });
    expect((await held.call("small_bot_tool")).data).toMatchObject({ status: "started", action: "gather" });
  });

  test.each(['{"action_is_done": "yes"}', "{ not json", "[]"])("%s is told and counts for nothing", async (text) => {
    const held = await open();
    await held.call("small_bot_tool", { project_area: "docs" });
    await put(held, "action_is_done.json", text);
    const { data } = await held.call("small_bot_tool");
    expect(data).toMatchObject({ status: "started", action: "gather" });
    expect(data.data.problems).toEqual([expect.stringContaining("docs/action_is_done.json")]);
    expect(await readFile(join(held.engine.folder, "docs/action_is_done.json"), "utf8")).toBe(text);
  });
});

describe("scope.json", () => {
  test.each(["{ not json", '["all"]'])("%s limits nothing, and that is told", async (text) => {
    const held = await open();
    await put(held, "scope.json", text);
    const { data } = await held.call("small_bot_tool", { project_area: "docs" });
    expect(data.data.scope).toBeUndefined();
    expect(data.data.problems).toEqual([expect.stringContaining("docs/scope.json")]);
    await put(held, "scope.json", '{"type": "story"}');
    await held.call("small_bot_tool", { answer: "x" });
    expect((await held.call("small_bot_tool")).data.data.problems ?? []).toEqual([]);
  });
});

describe("the project area", () => {
  test("named in a call answers the bot's question for it, also when the run was begun before", async () => {
    const held = await open();
    expect((await held.call("small_bot_tool")).data).toMatchObject({ status: "question", data: { about: "project_area" } });
    const { callBot } = await import("./call-bot.ts");
    const { context, caller } = held.engine;
    await held.engine.context.holding.release((await context.store.readLeases("strand/"))[0]?.owner ?? "");
    const { standing } = await callBot(context, caller, { bot: "small_bot", parameters: { project_area: "docs" } });
    expect(standing).toMatchObject({ kind: "action", action: { step: "shape.gather" } });
  });

  test("cannot be another one later, and that is said", async () => {
    const held = await open();
    await held.call("small_bot_tool", { project_area: "docs" });
    expect((await held.call("small_bot_tool", { project_area: "docs" })).data).toMatchObject({ status: "started" });
    expect((await held.call("small_bot_tool", { project_area: "other" })).data.error).toMatchObject({
      code: "ENGINE_NO_AREA",
      message: expect.stringContaining("`docs`") as string,
    });
  });
});
