/** What can be called when a bot has come to its end. */
import { afterEach, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../../../test/process/cli-world.ts";
import { smallBot } from "../../../../test/support/bot-sample.ts";
import { openSeedBot, type SeedBot } from "../../../../test/support/seed-003-bench.ts";

let bot: SeedBot | undefined;
let bench: CliBench | undefined;
afterEach(async () => {
  await bot?.close();
  await bench?.close();
  bot = undefined;
  bench = undefined;
});

const files = () => smallBot({}, { behaviors: ["shape"], done_by: "relay" });
const oneBehaviour = () => Object.fromEntries(Object.entries(files()).filter(([path]) => !path.includes("2_build")));

test("an independent action of a finished bot is refused with what to do, changes nothing, and works when that was done", async () => {
  bot = await openSeedBot({ files: oneBehaviour() });
  await bot.call("small_bot_tool", { project_area: "docs" });
  for (const summary of ["1", "2", "3"]) await bot.call("small_bot_close_current_action", { summary });
  const before = { log: await bot.log(), state: await bot.state() };
  const { data } = await bot.call("small_bot_shape_correct", { what: "tone" });
  expect(data.error).toMatchObject({
    code: "ENGINE_NO_ACTION",
    message: expect.stringMatching(/`small_bot` is complete.*`correct`.*Nothing was changed/) as string,
    fix: expect.stringMatching(/Begin it again.*`waymark bot small_bot shape`.*`correct`/) as string,
  });
  expect({ log: await bot.log(), state: await bot.state() }).toEqual(before);
  expect((await bot.call("small_bot_tool")).data).toMatchObject({ status: "completed" });
  await bot.call("small_bot_shape_tool");
  expect((await bot.call("small_bot_shape_correct", { what: "tone" })).data).toMatchObject({
    action: "correct",
    data: { independent: true },
  });
  expect(await bot.state()).toMatchObject({ current_action: "gather", action_state: "started" });
});

test("the command line says the same", async () => {
  const opened = await openCliBench(oneBehaviour());
  bench = opened;
  await opened.json(["bot", "small_bot", "--area", "docs"]);
  for (let at = 0; at < 3; at += 1) await opened.json(["bot", "close", "small_bot", "--result", "Did it."], { terminal: true });
  const refused = await opened.run(["bot", "small_bot", "shape", "correct"]);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain("waymark bot small_bot shape");
});

test("an independent action that is open when the last one is closed can still be reported", async () => {
  bot = await openSeedBot({ files: oneBehaviour() });
  await bot.call("small_bot_tool", { project_area: "docs" });
  for (const summary of ["1", "2"]) await bot.call("small_bot_close_current_action", { summary });
  const beside = await bot.call("small_bot_shape_correct");
  const closed = await bot.call("small_bot_close_current_action", { action: "check", summary: "3" });
  expect(closed.data).toMatchObject({ completed_action: "check", completed_behavior: "shape", next: { action: "correct" } });
  expect((await bot.call("small_bot_tool")).data).toMatchObject({ status: "started", action: "correct", data: { independent: true } });
  const { next_call: next, fill_in: fill } = beside.data.data;
  expect(fill).toEqual({ result: expect.stringContaining("summary") });
  expect((await bot.run(next)).data.error.code).toBe("ENGINE_NO_RESULT");
  const reported = await bot.run({ ...next, arguments: { ...next.arguments, result: { summary: "Corrected." } } });
  expect(reported.isError, reported.text).toBe(false);
  expect((await bot.events()).slice(-3)).toEqual(["correct started", "check completed", "correct completed"]);
  expect((await bot.call("small_bot_tool")).data).toMatchObject({ status: "completed" });
});
