/** Story 3 of the seed: a call goes where the bot stands. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { currentPlace } from "../../src/dialects/bots/views/index.ts";
import { end } from "../../src/engine/index.ts";
import { openPlacedBot, openSeedBot, type SeedBot } from "../support/seed-003-bench.ts";

let bot: SeedBot | undefined;
afterEach(async () => {
  await bot?.close();
  bot = undefined;
});

describe("story 3: forwarding", () => {
  test("3.1 the tool of a behaviour is taken for its current action", async () => {
    bot = await openPlacedBot();
    const { data } = await bot.call("story_bot_shape_tool");
    expect(data).toMatchObject({ status: "started", behavior: "shape", action: "gather_context" });
  });

  test("3.2 the place is read from what was persisted, by a process that knows nothing else", async () => {
    bot = await openPlacedBot();
    const later = await bot.engine.again();
    try {
      const [row] = await later.context.store.listRuns({ workflow: "story_bot" });
      expect(currentPlace(await later.context.runs.open(row!.id))).toEqual({ behaviour: "shape", action: "gather_context" });
    } finally {
      await later.close();
    }
  });

  test("3.3 behaviour and action are those the state file names", async () => {
    bot = await openPlacedBot();
    const { data } = await bot.call("story_bot_tool");
    expect({ behavior: data.behavior, action: data.action }).toEqual({
      behavior: (await bot.state()).current_behavior,
      action: (await bot.state()).current_action,
    });
  });

  test("3.4 the call is forwarded to that action: its instructions come back", async () => {
    bot = await openPlacedBot();
    const { data } = await bot.call("story_bot_tool");
    expect(data.data.instructions).toContain("Gather the context of shape");
    expect(data.data.instructions).not.toContain("Choose the project area");
  });

  test("3.5 whoever comes back is exactly where they left off", async () => {
    bot = await openPlacedBot();
    await bot.call("story_bot_close_current_action", { summary: "Asked." });
    const run = (await bot.call("story_bot_tool")).data.data.run_id as string;
    // The run is gone; only the two files are left.
    await end(bot.engine.context, bot.person, { run, status: "cancelled" });
    const { data } = await bot.call("story_bot_tool", { project_area: "docs" });
    expect(data).toMatchObject({ behavior: "shape", action: "decide_planning_criteria", data: { about: "interrupted" } });
    expect(data.data.run_id).not.toBe(run);
  });

  test("3.6 without a state file it is the first action of the first behaviour", async () => {
    bot = await openSeedBot();
    expect((await bot.call("story_bot_tool")).data).toMatchObject({ behavior: "shape", action: "initialize_project" });
    expect(await bot.exists("docs/workflow_state.json")).toBe(false);
  });
});

describe("places that a state file of another tool names", () => {
  const from = async (state: object): Promise<SeedBot> => {
    const opened = await openSeedBot();
    bot = opened;
    await writeFile(join(opened.engine.folder, "docs/workflow_state.json"), JSON.stringify(state));
    return opened;
  };
  const done = (...ids: string[]) => ids.map((id) => ({ action_state: `story_bot.${id}`, timestamp: "2026-03-02T09:40:00.123456" }));

  test("a known action that was completed: the one after it", async () => {
    const { call } = await from({
      current_behavior: "shape",
      current_action: "gather_context",
      action_state: "completed",
      completed_actions: [],
    });
    expect((await call("story_bot_tool", { project_area: "docs" })).data).toMatchObject({
      action: "decide_planning_criteria",
      status: "started",
    });
  });

  test("an unknown action of a known behaviour: the one after the last completed", async () => {
    const { call } = await from({
      current_behavior: "story_bot.discovery",
      current_action: "story_bot.discovery.dance",
      completed_actions: done("discovery.initialize_project", "discovery.gather_context"),
    });
    const { data } = await call("story_bot_tool", { project_area: "docs" });
    expect(data).toMatchObject({ behavior: "discovery", action: "decide_planning_criteria" });
    expect(data.data.problems).toEqual([expect.stringContaining("discovery.dance")]);
  });

  test("a behaviour in which nothing was completed: its first action", async () => {
    const { call } = await from({ current_behavior_name: "exploration", completed_actions: done("shape.gather_context") });
    expect((await call("story_bot_tool", { project_area: "docs" })).data).toMatchObject({
      behavior: "exploration",
      action: "initialize_project",
    });
  });

  test("everything was completed: it begins again and says so", async () => {
    const actions = [
      "initialize_project",
      "gather_context",
      "decide_planning_criteria",
      "build_knowledge",
      "render_output",
      "validate_rules",
    ];
    const all = ["shape", "prioritization", "discovery", "exploration", "specification"].flatMap((each) =>
      actions.map((action) => `${each}.${action}`),
    );
    const { call } = await from({
      current_behavior: "specification",
      current_action: "validate_rules",
      action_state: "completed",
      completed_actions: done(...all),
    });
    const { data } = await call("story_bot_tool", { project_area: "docs" });
    expect(data).toMatchObject({
      behavior: "shape",
      action: "initialize_project",
      data: { problems: [expect.stringContaining("begins again")] },
    });
  });
});
