/** The domain rules of the seed, one test each. */
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { listBots } from "../../src/dialects/bots/run/index.ts";
import { openPlacedBot, openSeedBot, shapeBot, type Entry, type SeedBot, type State } from "../support/seed-003-bench.ts";

const folder = ".waymark/workflows/story_bot";
const base = "base_actions/2_gather_context/action_config.json";
const config = { name: "gather_context", workflow: true, order: 2, next_action: "decide_planning_criteria" };

let opened: SeedBot | undefined;
afterEach(async () => {
  const held = opened;
  opened = undefined;
  await held?.close();
});

describe("rules for configurations", () => {
  let bot: SeedBot;
  beforeAll(async () => {
    bot = await openSeedBot({ files: shapeBot() });
  });
  afterAll(() => bot.close());

  /** Writes one configuration, looks, and puts back what was there. */
  async function withConfig<T>(path: string, held: object | undefined, look: () => Promise<T>): Promise<T> {
    const file = join(bot.engine.folder, folder, path);
    const before = await readFile(file, "utf8");
    await (held === undefined ? rm(file) : writeFile(file, JSON.stringify(held)));
    try {
      return await look();
    } finally {
      await writeFile(file, before);
    }
  }

  async function errors(): Promise<{ readonly message: string; readonly file: string }[]> {
    const { diagnostics } = await bot.engine.context.catalog.load("story_bot");
    return diagnostics.filter((each) => each.severity === "error").map(({ message, place }) => ({ message, file: place?.file ?? "" }));
  }

  const definition = async () => (await listBots(bot.engine.context))[0]!.definition!;

  test("R1 each action folder has a configuration with name, workflow, order and next_action", async () => {
    expect(await withConfig(base, config, errors)).toEqual([]);
    for (const key of ["name", "workflow", "order", "next_action"]) {
      const found = await withConfig(base, { ...config, [key]: undefined }, errors);
      expect(found.length, key).toBeGreaterThan(0);
      expect(found[0]?.file, key).toContain(base);
    }
    expect((await withConfig(base, undefined, errors)).some(({ message }) => message.includes("gather_context"))).toBe(true);
  });

  test("R2 what kind of action it is, its configuration alone decides", async () => {
    const { independent, behaviours } = await definition();
    expect(independent.map((each) => each.name)).toEqual(["correct_bot"]);
    expect(behaviours[0]!.actions.map((each) => each.name)).not.toContain("correct_bot");
    const last = { name: "validate_rules", workflow: true, order: 7, next_action: "correct_bot" };
    const beside = { name: "correct_bot", workflow: true, order: 9, next_action: null };
    const turned = await withConfig("base_actions/7_validate_rules/action_config.json", last, () =>
      withConfig("base_actions/correct_bot/action_config.json", beside, definition),
    );
    expect(turned.independent).toEqual([]);
    expect(turned.behaviours[0]!.actions.at(-1)).toMatchObject({ name: "correct_bot", workflow: true, order: 9 });
  });

  test("R3 an action of the sequence must have an order and may have a next action", async () => {
    expect((await withConfig(base, { ...config, order: null }, errors))[0]?.message).toContain("order");
    const { actions } = (await definition()).behaviours[0]!;
    expect(actions.every((action) => typeof action.order === "number")).toBe(true);
    expect(actions.map((action) => action.next === null)).toEqual([false, false, false, false, false, true]);
  });

  test("R4 an independent action has neither order nor next action", async () => {
    const path = "base_actions/correct_bot/action_config.json";
    const plain = { name: "correct_bot", workflow: false, order: null, next_action: null };
    expect(await withConfig(path, plain, errors)).toEqual([]);
    for (const wrong of [{ next_action: "validate_rules" }, { order: 6 }])
      expect((await withConfig(path, { ...plain, ...wrong }, errors))[0]?.file).toContain(path);
  });
});

describe("rules for what is kept", () => {
  let bot: SeedBot;
  const states: State[] = [];
  const logs: (readonly Entry[])[] = [];
  beforeAll(async () => {
    bot = await openPlacedBot();
    const keep = async (): Promise<void> => {
      states.push(await bot.state());
      logs.push(await bot.log());
    };
    await keep();
    await bot.call("story_bot_close_current_action", { summary: "Asked.", inputs: { who: "team" } });
    await keep();
    const beside = await bot.call("story_bot_shape_correct_bot", { what: "tone" });
    await keep();
    const { tool, arguments: args } = beside.data.data.next_call;
    await bot.run({ tool, arguments: { ...args, result: { summary: "Corrected." } } });
    await keep();
  });
  afterAll(() => bot.close());

  test("R5 the state is persisted when an action starts and when it completes", () => {
    expect(states[0]).toMatchObject({ current_action: "gather_context", action_state: "started" });
    expect(states[1]?.completed_actions.at(-1)).toMatchObject({ action: "gather_context", action_state: "completed" });
    expect(states[1]).toMatchObject({ current_action: "decide_planning_criteria", action_state: "started" });
  });

  test("R6 a call is routed by the state, never by a default", async () => {
    const { data } = await bot.call("story_bot_tool");
    expect(data).toMatchObject({ behavior: states[3]?.current_behavior, action: states[3]?.current_action });
    expect(data.action).not.toBe("initialize_project");
  });

  test("R7 the log has every execution, with its time", () => {
    expect(logs[3]?.map((entry) => `${entry.action} ${entry.action_state}`)).toEqual([
      "initialize_project started",
      "initialize_project completed",
      "gather_context started",
      "gather_context completed",
      "decide_planning_criteria started",
      "correct_bot started",
      "correct_bot completed",
    ]);
    const times = logs[3]?.map((entry) => Date.parse(entry.timestamp)) ?? [];
    expect(times.every((time) => !Number.isNaN(time))).toBe(true);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  test("R8 the line about the next action stands only where there is one, in the sequence", async () => {
    const { text } = await bot.call("story_bot_tool");
    expect(text.match(/^When done, proceed to .*$/gm)).toEqual(["When done, proceed to build_knowledge"]);
  });

  test("R9 independent actions have no such line", async () => {
    expect((await bot.call("story_bot_shape_correct_bot")).text).not.toContain("When done, proceed");
  });

  test("R10 the state lies at workflow_state.json of the project area", async () => {
    expect(await readdir(join(bot.engine.folder, "docs"))).toContain("workflow_state.json");
  });

  test("R11 the log lies at activity_log.json of the project area", async () => {
    expect(await readdir(join(bot.engine.folder, "docs"))).toContain("activity_log.json");
  });

  test("R12 configurations are those of base_actions, one folder per action", async () => {
    const [{ definition } = { definition: undefined }] = await listBots(bot.engine.context);
    const all = [...definition!.behaviours.flatMap((each) => each.actions), ...definition!.independent];
    expect(all).toHaveLength(5 * 6 + 1);
    for (const action of all) expect(action.file).toMatch(new RegExp(`base_actions/(?:\\d_)?${action.name}/action_config\\.json$`));
  });

  test("R14 the state has behaviour, action, action_state, completed_actions and timestamp", () => {
    expect(states.map((state) => Object.keys(state))).toEqual(
      Array(4).fill(["bot", "current_behavior", "current_action", "action_state", "timestamp", "completed_actions"]),
    );
  });

  test("R15 an action is started or completed, in both files", () => {
    const words = [...states.map((state) => state.action_state), ...logs.flat().map((entry) => entry.action_state)];
    expect(new Set(words)).toEqual(new Set(["started", "completed"]));
  });

  test("R17 entries have time, behaviour, action, action_state, inputs, outputs and duration", () => {
    expect(logs.map((entries) => entries.length)).toEqual([3, 5, 6, 7]);
    for (const entry of logs.flat())
      expect(Object.keys(entry)).toEqual(["timestamp", "bot", "behavior", "action", "action_state", "inputs", "outputs", "duration"]);
    expect(logs[3]?.find((entry) => entry.action === "gather_context" && entry.duration !== null)).toMatchObject({
      inputs: { who: "team" },
      outputs: { summary: "Asked." },
    });
  });

  test("R18 each start and each completion updates both files, also of an independent action", () => {
    for (const at of [1, 2, 3]) {
      expect(logs[at]!.length).toBeGreaterThan(logs[at - 1]!.length);
      expect(states[at]!.timestamp).toBe(logs[at]!.at(-1)!.timestamp);
    }
  });

  test("R19 correct_bot is not part of the sequence and has nothing to do with validate_rules", async () => {
    const [{ definition } = { definition: undefined }] = await listBots(bot.engine.context);
    expect(definition!.behaviours.flatMap((each) => each.actions.map((action) => action.name))).not.toContain("correct_bot");
    expect(definition!.behaviours.flatMap((each) => each.actions.map((action) => action.next))).not.toContain("correct_bot");
    expect(definition!.independent).toMatchObject([{ name: "correct_bot", workflow: false, next: null }]);
    const [before, , , after] = states;
    expect({ ...after, timestamp: "", completed_actions: [] }).toMatchObject({
      current_action: "decide_planning_criteria",
      action_state: "started",
    });
    expect(after!.completed_actions.map((entry) => entry.action)).toEqual([
      ...before!.completed_actions.map((entry) => entry.action),
      "gather_context",
    ]);
  });

  test("R20 validate_rules ends the sequence", async () => {
    const [{ definition } = { definition: undefined }] = await listBots(bot.engine.context);
    expect(definition!.behaviours.map(({ actions }) => [actions.at(-1)?.name, actions.at(-1)?.next])).toEqual(
      Array(5).fill(["validate_rules", null]),
    );
  });
});

describe("rules for coming back", () => {
  test("R13 without workflow_state.json it is the first action of the first behaviour", async () => {
    opened = await openSeedBot();
    expect((await opened.call("story_bot_tool", { project_area: "docs" })).data).toMatchObject({
      behavior: "shape",
      action: "initialize_project",
      status: "started",
    });
  });

  test("R16 a state that says started asks whether to retry or to continue that action", async () => {
    opened = await openSeedBot();
    const state = {
      current_behavior: "shape",
      current_action: "build_knowledge",
      action_state: "started",
      completed_actions: [],
      timestamp: "2026-03-02T10:15:00.000Z",
    };
    await writeFile(join(opened.engine.folder, "docs/workflow_state.json"), JSON.stringify(state));
    const { data } = await opened.call("story_bot_tool", { project_area: "docs" });
    expect(data).toMatchObject({
      status: "question",
      action: "build_knowledge",
      data: { about: "interrupted", answers: ["retry", "continue"] },
    });
    expect((await opened.call("story_bot_tool", { answer: "retry" })).data).toMatchObject({ status: "started", action: "build_knowledge" });
  });
});
