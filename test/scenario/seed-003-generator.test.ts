/** Stories 1 and 2 of the seed: tools are made from what is on disk. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listBots, type ListedBot } from "../../src/dialects/bots/run/index.ts";
import { openSeedBot, storyBot, type SeedBot } from "../support/seed-003-bench.ts";

const behaviours = ["shape", "prioritization", "discovery", "exploration", "specification"];
const sequence = ["initialize_project", "gather_context", "decide_planning_criteria", "build_knowledge", "render_output", "validate_rules"];

/** The sample bot with one action more in the sequence, one more beside it, and a file that is no action. */
const changed = storyBot({
  "base_actions/9_celebrate/action_config.json": JSON.stringify({ name: "celebrate", workflow: true, order: 8, next_action: null }),
  "base_actions/9_celebrate/instructions.md": "Celebrate.",
  "base_actions/7_validate_rules/action_config.json": JSON.stringify({
    name: "validate_rules",
    workflow: true,
    order: 7,
    next_action: "celebrate",
  }),
  "base_actions/tell_joke/action_config.json": JSON.stringify({ name: "tell_joke", workflow: false, order: null, next_action: null }),
  "base_actions/tell_joke/instructions.md": "Tell one.",
  "base_actions/notes.md": "No action.",
});

let bot: SeedBot;
let other: SeedBot;
let listed: ListedBot;
let listedOther: ListedBot;
beforeAll(async () => {
  bot = await openSeedBot();
  other = await openSeedBot({ files: changed });
  [listed, listedOther] = [(await listBots(bot.engine.context))[0]!, (await listBots(other.engine.context))[0]!];
});
afterAll(async () => {
  await bot.close();
  await other.close();
});

const namesOf = ({ tools }: SeedBot): string[] => tools.map((tool) => tool.name).filter((name) => name.startsWith("story_bot_"));

describe("story 1: tools of a bot", () => {
  test("1.1 the folder with the actions is looked through when the tools are made", () => {
    expect(namesOf(other).length - namesOf(bot).length).toBe(2 * behaviours.length);
    expect(namesOf(other)).toEqual(expect.arrayContaining(["story_bot_shape_celebrate", "story_bot_shape_tell_joke"]));
  });

  test("1.2 every folder in it that holds a configuration is an action, and nothing else is", () => {
    const found = listedOther.definition!.behaviours[0]!.actions.map((action) => action.name);
    expect(found).toEqual([...sequence, "celebrate"]);
    expect(listedOther.definition!.independent.map((action) => action.name).toSorted()).toEqual(["correct_bot", "tell_joke"]);
  });

  test("1.3 the configuration of each action is read", () => {
    const files = listed.definition!.behaviours[0]!.actions.map((action) => action.file);
    expect(files).toHaveLength(sequence.length);
    for (const file of files) expect(file).toMatch(/base_actions\/\d_\w+\/action_config\.json$/);
  });

  test("1.4 it says name, whether it is part of the sequence, its order and what follows", () => {
    const [, gather] = listed.definition!.behaviours[0]!.actions;
    expect(gather).toMatchObject({ name: "gather_context", workflow: true, order: 2, next: "decide_planning_criteria" });
    expect(listed.definition!.independent[0]).toMatchObject({ name: "correct_bot", workflow: false, order: null, next: null });
  });

  test("1.5 every action that was found has a tool", () => {
    const wanted = behaviours.flatMap((behaviour) => [...sequence, "correct_bot"].map((action) => `story_bot_${behaviour}_${action}`));
    expect(namesOf(bot)).toEqual(expect.arrayContaining(wanted));
    expect(namesOf(bot)).toHaveLength(1 + behaviours.length + wanted.length + 1);
  });

  test("1.6 the flag decides whether a tool knows the place: one moves with it, the other never does", async () => {
    await bot.call("story_bot_tool");
    await bot.call("workflow_decide");
    const inside = await bot.call("story_bot_shape_initialize_project");
    expect(inside.data).toMatchObject({ status: "started", action: "initialize_project", data: { next_action: "gather_context" } });
    expect(inside.data.data.independent).toBeUndefined();
    const beside = await other.call("story_bot_tool", { project_area: "docs" });
    expect(beside.data).toMatchObject({ action: "initialize_project" });
    expect((await other.call("story_bot_shape_tell_joke")).data).toMatchObject({ action: "tell_joke", data: { independent: true } });
    expect((await other.call("story_bot_tool")).data).toMatchObject({ action: "initialize_project" });
  });
});

describe("story 2: tools of behaviours", () => {
  test("2.1 the behaviours come from the configuration of the bot, in its order", async () => {
    expect(listed.definition!.behaviours.map((behaviour) => behaviour.name)).toEqual(behaviours);
    const config = JSON.parse(storyBot()[".waymark/workflows/story_bot/bot_config.json"] ?? "") as { behaviors: string[] };
    const turned = JSON.stringify({ ...config, behaviors: ["specification", "shape"] });
    const few = await openSeedBot({
      files: Object.fromEntries(
        Object.entries(storyBot({ "bot_config.json": turned })).filter(
          ([path]) => !/\d_(?:prioritization|discovery|exploration)\//.test(path),
        ),
      ),
    });
    try {
      expect((await listBots(few.engine.context))[0]!.definition!.behaviours.map((each) => each.name)).toEqual(["specification", "shape"]);
    } finally {
      await few.close();
    }
  });

  test("2.2 each behaviour has a tool of its own for each action", () => {
    for (const behaviour of behaviours) {
      const own = listed.tools!.full.filter((tool) => tool.behaviour === behaviour && tool.kind === "action");
      expect(own.map((tool) => tool.action)).toEqual([...sequence, "correct_bot"]);
    }
  });

  test("2.3 the configuration of every action folder counts for every behaviour", () => {
    const found = listedOther.definition!.behaviours.map(({ actions }) => actions.find(({ name }) => name === "celebrate"));
    expect(found.map((action) => [action?.order, action?.next])).toEqual(behaviours.map(() => [8, null]));
  });

  test("2.4 an action of the sequence leads on by its next action", async () => {
    const ways = listed.definition!.behaviours.map(({ actions }) => actions.map((action) => action.next));
    expect(ways).toEqual(behaviours.map(() => [...sequence.slice(1), null]));
    expect((await other.call("story_bot_tool")).text).toContain("When done, proceed to gather_context");
  });

  test("2.5 an action outside of the sequence leads nowhere", async () => {
    const { data, text } = await other.call("story_bot_shape_correct_bot");
    expect(data.data.next_action).toBeNull();
    expect(text).not.toMatch(/When done, proceed|is complete/);
  });

  test("2.6 a behaviour knows the order of its actions from their numbers, not from the names of folders", async () => {
    const last = "base_actions/7_validate_rules/action_config.json";
    const config = JSON.parse(storyBot()[`.waymark/workflows/story_bot/${last}`] ?? "") as object;
    const moved = await openSeedBot({
      files: storyBot({
        [last]: null,
        "base_actions/7_validate_rules/instructions.md": null,
        "base_actions/10_validate_rules/action_config.json": JSON.stringify({ ...config, order: 10 }),
        "base_actions/10_validate_rules/instructions.md": "Check it.",
      }),
    });
    try {
      const [first] = (await listBots(moved.engine.context))[0]!.definition!.behaviours;
      expect(first!.actions.map((action) => action.order)).toEqual([1, 2, 3, 4, 5, 10]);
      expect(first!.actions.map((action) => action.name)).toEqual(sequence);
    } finally {
      await moved.close();
    }
  });
});
