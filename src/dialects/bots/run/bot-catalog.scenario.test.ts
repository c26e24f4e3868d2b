/** What the list of workflows and the workspace itself say about a bot. */
import { rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { callBot } from "./call-bot.ts";
import { currentPlace } from "../views/index.ts";
import { smallBot } from "../../../../test/support/bot-sample.ts";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";

let engine: TestEngine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

async function open(files = smallBot()): Promise<TestEngine> {
  engine = await openTestEngine(files);
  return engine;
}

const base = ".waymark/workflows/small_bot";
const codesOf = async ({ context }: TestEngine): Promise<readonly string[]> =>
  (await context.catalog.load("small_bot")).diagnostics.filter(({ code }) => code !== "BOTS_NO_INSTRUCTIONS").map(({ code }) => code);

describe("the list of workflows", () => {
  test("notices a change of any file of a bot, not only of its configuration", async () => {
    const bot = await open();
    const { context, folder } = bot;
    const problems = async () => (await context.catalog.list()).find(({ name }) => name === "small_bot")?.problems;
    expect(await problems()).toBe(0);
    await bot.write(`${base}/base_actions/check/action_config.json`, "{ not json");
    expect(await problems()).toBeGreaterThan(0);
    await bot.write(
      `${base}/base_actions/check/action_config.json`,
      JSON.stringify({ name: "check", workflow: true, order: 3, next_action: null }),
    );
    expect(await problems()).toBe(0);
    await bot.write(`${base}/behaviors/1_shape/instructions.md`, "Shape it.\n@missing.md");
    expect(await problems()).toBe(1);
    await rm(join(folder, base, "behaviors/1_shape/instructions.md"));
    expect(await problems()).toBe(0);
  });
});

describe("execution_settings.json of the workspace", () => {
  const settings = (of: object): string => JSON.stringify(of);

  test("counts for the bots of the workspace, before what lies in the bot's own folder, and from the next start on", async () => {
    const bot = await open({
      ...smallBot({ "execution_settings.json": settings({ "small_bot.shape.gather": "manual" }) }),
      "execution_settings.json": settings({ "small_bot.shape.gather": "skip", "other_bot.shape.gather": "skip" }),
    });
    const { context, caller } = bot;
    const { run } = await callBot(context, caller, { bot: "small_bot", parameters: { project_area: "area" } });
    expect(currentPlace(await context.runs.open(run))).toEqual({ behaviour: "shape", action: "render" });
    const { files } = await context.catalog.load("small_bot");
    expect(files.map(({ path }) => path).filter((path) => path.endsWith("execution_settings.json"))).toHaveLength(2);
    const before = (await context.catalog.load("small_bot")).hash;
    await bot.write("execution_settings.json", settings({}));
    expect((await context.catalog.load("small_bot")).hash).not.toBe(before);
  });

  test("what is wrong with it is told with its own path", async () => {
    const bot = await open({ ...smallBot(), "execution_settings.json": settings({ "small_bot.shape.gahter": "skip" }) });
    const { diagnostics } = await bot.context.catalog.load("small_bot");
    expect(diagnostics).toContainEqual(
      expect.objectContaining({
        code: "BOTS_UNKNOWN_SETTING",
        place: expect.objectContaining({ file: join(bot.folder, "execution_settings.json") }) as object,
      }),
    );
    await bot.write("execution_settings.json", "{ not json");
    expect(await codesOf(bot)).toContain("BOTS_JSON_SYNTAX");
    await expect(bot.context.catalog.loadValid("small_bot")).rejects.toMatchObject({ code: "ENGINE_INVALID_WORKFLOW" });
  });

  test("one that leads out of the workspace is an error and no bot goes on without it", async () => {
    const bot = await open();
    await writeFile(join(bot.folder, "../elsewhere.json"), settings({ "small_bot.shape.gather": "skip" }));
    await symlink("../elsewhere.json", join(bot.folder, "execution_settings.json"));
    expect(await codesOf(bot)).toEqual(["HOST_PATH_OUTSIDE"]);
    await expect(bot.context.catalog.loadValid("small_bot")).rejects.toMatchObject({ code: "ENGINE_INVALID_WORKFLOW" });
    expect((await bot.context.catalog.list())[0]).toMatchObject({ problems: 1 });
  });
});
