/** Settings that combine behaviours and actions, and what is told of those that cannot have an effect. */
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

const withSettings = (settings: object, config: object = {}): Record<string, string> => ({
  ...smallBot({}, config),
  "execution_settings.json": JSON.stringify(settings),
});
const close = "small_bot_close_current_action";

test("a behaviour that is combined with the next one: its last action comes in one text with the first of the next", async () => {
  const settings = { "small_bot._behavior.shape": "combine_with_next" };
  bot = await openSeedBot({ files: withSettings(settings, { done_by: "relay" }) });
  await bot.call("small_bot_tool", { project_area: "docs" });
  await bot.call(close, { summary: "Gathered." });
  const rendered = await bot.call(close, { summary: "Rendered." });
  expect(rendered.data).toMatchObject({ next_action: "check", next: { data: { combined: ["build.gather"], next_action: "render" } } });
  const text = rendered.data.next.data.instructions as string;
  expect(text).toContain("Then, in the same go: gather of build");
  expect(text).toContain("Build it.");
  expect(text.match(/Shape it\./g)).toHaveLength(1);
  expect(text.match(/When done, proceed to .*/g)).toEqual(["When done, proceed to render"]);
  const both = await bot.call(close, { summary: "Both." });
  expect(both.data).toMatchObject({ completed_action: "gather", completed_behavior: "shape", next_action: "render" });
  expect(both.data.message).toContain("The workflow of shape is complete");
  expect((await bot.events()).slice(-5)).toEqual([
    "check started",
    "check completed",
    "gather started",
    "gather completed",
    "render started",
  ]);
});

test("a person is asked once, for the last of what was combined", async () => {
  bot = await openSeedBot({ files: withSettings({ "small_bot._behavior.shape": "combine_with_next" }), answer: () => "done" });
  await bot.call("small_bot_tool", { project_area: "docs" });
  for (const summary of ["Gathered.", "Rendered.", "Both."]) await bot.call(close, { summary });
  expect(bot.asked).toEqual([expect.stringContaining("shape.gather"), expect.stringContaining("build.gather")]);
});

test("an action that runs a workflow ends the chain: nothing of that workflow is reported along with others", async () => {
  const files = smallBot({
    "base_actions/render/action_config.json": JSON.stringify({
      name: "render",
      workflow: true,
      order: 2,
      next_action: "check",
      calls: "tidy",
    }),
    "execution_settings.json": JSON.stringify({ "small_bot.shape.gather": "combine_next" }),
  });
  const steps = "name: tidy\ndescription: Tidies.\nversion: 1.0.0\nsteps:\n  - id: look\n    type: user_message\n    message: Look.\n";
  const wait = "  - id: ask\n    type: user_input\n    prompt: What?\n    state_update: {path: raw.what, value: response}\n";
  bot = await openSeedBot({ files: { ...files, ".waymark/workflows/tidy.yaml": `${steps}${wait}` }, answer: () => "done" });
  const first = await bot.call("small_bot_tool", { project_area: "docs" });
  expect(first.data).toMatchObject({ action: "gather" });
  expect(first.data.data.combined).toBeUndefined();
  const closed = await bot.call(close, { summary: "Gathered." });
  expect(closed.data).toMatchObject({ completed_action: "gather", next: { action: "render" } });
  expect(await bot.events()).toEqual(["gather started", "gather completed", "render started"]);
});

test("on the command line combined actions are shown one by one, and closed one by one", async () => {
  const opened = await openCliBench(withSettings({ "small_bot.shape.gather": "combine_next", "small_bot.shape.render": "combine_next" }));
  bench = opened;
  const terminal = { terminal: true };
  await opened.json(["bot", "small_bot", "--area", "docs"]);
  expect(await opened.json(["bot", "close", "small_bot", "--result", "Gathered."], terminal)).toMatchObject({
    completed_action: "gather",
    next: { action: "render" },
  });
  const state = JSON.parse(await opened.read("docs/workflow_state.json")) as { completed_actions: { action: string }[] };
  expect(state.completed_actions.map(({ action }) => action)).toEqual(["gather"]);
});
