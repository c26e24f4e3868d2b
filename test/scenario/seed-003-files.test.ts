/** The two files and what actions submit: views of the journal, never silently reset, never outside the project area. */
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { undoContent } from "../../src/dialects/bots/run/index.ts";
import { openPlacedBot, openSeedBot, shapeBot, storyBot, type Entry, type SeedBot } from "../support/seed-003-bench.ts";

let bot: SeedBot | undefined;
afterEach(async () => {
  await bot?.close();
  bot = undefined;
});
const closing = "story_bot_close_current_action";
const docs = ({ engine }: SeedBot, name: string): string => join(engine.folder, "docs", name);

describe("a file that is not as Waymark wrote it", () => {
  test("an edited state is told at once, and again when it is written again; what was in it is kept", async () => {
    bot = await openPlacedBot();
    const edited = JSON.stringify({ ...(await bot.state()), current_action: "validate_rules" });
    await writeFile(docs(bot, "workflow_state.json"), edited);
    const told = await bot.call("story_bot_tool");
    expect(told.data).toMatchObject({ action: "gather_context", status: "started" });
    expect(told.data.data.problems).toEqual([
      expect.stringMatching(/workflow_state\.json was changed.*shape\.validate_rules.*shape\.gather_context.*Waymark goes by its journal/),
    ]);
    expect(told.text).toContain("! docs/workflow_state.json was changed");
    const next = await bot.call(closing, { summary: "Asked." });
    expect(next.data.next.data.problems).toEqual([expect.stringContaining("is kept in docs/workflow_state.json.edited-")]);
    const copy = (await readdir(join(bot.engine.folder, "docs"))).find((name) => name.includes(".edited-"));
    expect(await readFile(docs(bot, copy ?? ""), "utf8")).toBe(edited);
    expect(await bot.state()).toMatchObject({ current_action: "decide_planning_criteria", action_state: "started" });
    expect((await bot.call(closing, { summary: "Decided." })).data.next.data.problems).toBeUndefined();
  });

  test("an unreadable state, a shortened log and removed files are told, and written again", async () => {
    bot = await openPlacedBot();
    await writeFile(docs(bot, "workflow_state.json"), "{ oh no");
    await writeFile(docs(bot, "activity_log.json"), JSON.stringify((await bot.log()).slice(1)));
    const { problems } = (await bot.call("story_bot_tool")).data.data as { problems: string[] };
    expect(problems).toEqual([
      expect.stringMatching(/activity_log\.json was changed outside Waymark\. 1 of the recorded entries/),
      expect.stringMatching(/workflow_state\.json was changed outside Waymark and cannot be read/),
    ]);
    await bot.call(closing, { summary: "Asked." });
    expect(await bot.events()).toHaveLength(5);
    await rm(docs(bot, "workflow_state.json"));
    expect((await bot.call("story_bot_tool")).data.data.problems).toContainEqual(
      expect.stringContaining("workflow_state.json was removed."),
    );
    await bot.call(closing, { summary: "Decided." });
    expect(await bot.state()).toMatchObject({ current_action: "build_knowledge" });
  });

  test("keys of others stay, and nobody is bothered with them", async () => {
    bot = await openPlacedBot();
    await writeFile(docs(bot, "workflow_state.json"), JSON.stringify({ ...(await bot.state()), mine: { a: 1 } }, null, 4));
    expect((await bot.call("story_bot_tool")).data.data.problems).toBeUndefined();
    await bot.call(closing, { summary: "Asked." });
    expect(await bot.state()).toMatchObject({ mine: { a: 1 }, current_action: "decide_planning_criteria" });
    expect((await readdir(join(bot.engine.folder, "docs"))).filter((name) => name.includes("edited"))).toEqual([]);
  });

  test("files that a project brings are read when the area is chosen: its place counts, broken ones are kept and told", async () => {
    bot = await openSeedBot({ answer: () => "done" });
    const brought = {
      current_behavior: "story_bot.shape",
      current_action: "story_bot.shape.render_output",
      action_state: "started",
      mine: 1,
      completed_actions: [{ action_state: "story_bot.shape.gather_context", timestamp: "2026-03-02 09:40:00.5" }],
    };
    await writeFile(docs(bot, "behavior_action_state.json"), JSON.stringify(brought));
    await writeFile(docs(bot, "activity_log.json"), "not a log");
    await bot.call("story_bot_tool");
    const next = await bot.call(closing, { summary: "Chose docs.", project_area: "docs" });
    expect(next.data.next).toMatchObject({ status: "question", action: "render_output", data: { about: "interrupted" } });
    expect(next.data.next.data.problems).toEqual([
      expect.stringMatching(/activity_log\.json.*is kept as docs\/activity_log\.json\.broken-/),
    ]);
    expect((await bot.state()).completed_actions.map((entry) => entry.action)).toEqual(["gather_context", "initialize_project"]);
    expect(await bot.state()).toMatchObject({ current_action: "render_output", action_state: "started" });
  });

  test("a log of any known form is taken over, oldest first", async () => {
    bot = await openSeedBot();
    const entry = (at: number, name: string): object => ({
      action_state: `story_bot.shape.${name}`,
      status: "completed",
      timestamp: `2026-03-02T09:${at}:00`,
    });
    await writeFile(
      docs(bot, "activity_log.json"),
      JSON.stringify({ _default: { 10: entry(30, "build_knowledge"), 2: entry(20, "gather_context") } }),
    );
    await bot.call("story_bot_tool", { project_area: "docs" });
    expect(await bot.events()).toEqual(["gather_context completed", "build_knowledge completed", "initialize_project started"]);
    for (const each of await bot.log()) expect(each).toMatchObject({ inputs: {}, outputs: {} });
  });
});

describe("two bots in one project area", () => {
  test("the state shows the one that acted last, each keeps its place, and no entry of either is lost", async () => {
    const second = Object.fromEntries(
      Object.entries(shapeBot()).map(([path, text]) => [path.replaceAll("story_bot", "map_bot"), text.replaceAll("story_bot", "map_bot")]),
    );
    bot = await openPlacedBot({ files: { ...shapeBot(), ...second } });
    await bot.call("map_bot_tool", { project_area: "docs" });
    expect(await bot.state()).toMatchObject({ bot: "map_bot", current_action: "initialize_project" });
    const back = await bot.call(closing, { summary: "Asked." });
    expect(back.data.next.data.problems).toBeUndefined();
    expect(await bot.state()).toMatchObject({ bot: "story_bot", current_action: "decide_planning_criteria" });
    await bot.call("map_bot_close_current_action", { summary: "Here.", project_area: "docs" });
    const log = (await bot.log()) as readonly (Entry & { bot: string })[];
    expect(log.filter((each) => each.bot === "story_bot")).toHaveLength(5);
    expect(log.filter((each) => each.bot === "map_bot").map((each) => `${each.action} ${each.action_state}`)).toEqual([
      "initialize_project started",
      "initialize_project completed",
      "gather_context started",
    ]);
    expect(log.map((each) => each.timestamp)).toEqual(log.map((each) => each.timestamp).toSorted());
    expect((await bot.call("story_bot_tool")).data.data.problems).toBeUndefined();
    expect((await bot.call("story_bot_tool")).data).toMatchObject({ action: "decide_planning_criteria" });
  });
});

describe("content", () => {
  const submit = (more: object = {}) =>
    bot!.call(closing, {
      summary: "Wrote.",
      content: [
        { path: "notes/a.md", text: "new a\n" },
        { path: "docs/b.md", text: "new b\n" },
        { path: "../evil.md", text: "x" },
        { path: "/tmp/evil.md", text: "x" },
        { path: "workflow_state.json", text: "{}" },
      ],
      ...more,
    });

  test("is written inside the project area only, and never over the two files", async () => {
    bot = await openPlacedBot();
    const before = await bot.state();
    await submit();
    expect(await readFile(docs(bot, "notes/a.md"), "utf8")).toBe("new a\n");
    expect(await readFile(docs(bot, "b.md"), "utf8")).toBe("new b\n");
    expect(await bot.exists("evil.md")).toBe(false);
    expect(bot.asked.at(-1)).toMatch(
      /Written: docs\/notes\/a\.md, docs\/b\.md\. Not done: .*evil\.md is outside.*written by Waymark alone/,
    );
    expect((await bot.state()).completed_actions.length).toBe(before.completed_actions.length + 1);
    expect((await bot.log()).findLast((entry) => entry.action_state === "completed")?.outputs).toMatchObject({
      files: ["docs/notes/a.md", "docs/b.md"],
    });
  });

  test("can be taken back: what was there is there again, what was new is named, what somebody changed stays", async () => {
    bot = await openPlacedBot();
    await writeFile(docs(bot, "b.md"), "old b\n");
    await submit();
    const [run] = await bot.engine.context.store.listRuns({ workflow: "story_bot" });
    const undone = await undoContent(bot.engine.context, bot.person, { run: run!.id });
    expect(undone).toMatchObject({
      place: { behaviour: "shape", action: "gather_context" },
      restored: ["docs/b.md"],
      added: [{ path: "docs/notes/a.md" }],
      left: [],
    });
    expect(await readFile(docs(bot, "b.md"), "utf8")).toBe("old b\n");
    await expect(undoContent(bot.engine.context, bot.person, { run: run!.id })).rejects.toMatchObject({ code: "ENGINE_NO_ACTION" });
    await submit({ summary: "Wrote again." });
    await writeFile(docs(bot, "b.md"), "mine\n");
    expect(await undoContent(bot.engine.context, bot.person, { run: run!.id })).toMatchObject({
      restored: [],
      left: [{ path: "docs/b.md" }],
    });
    expect(await readFile(docs(bot, "b.md"), "utf8")).toBe("mine\n");
  });
});

describe("the project area", () => {
  const withoutChooser = (config: object = {}): Record<string, string> =>
    shapeBot(
      { "base_actions/1_initialize_project/action_config.json": null, "base_actions/1_initialize_project/instructions.md": null },
      config,
    );

  test("a bot without an action for it is asked for it first, and writes nothing before", async () => {
    bot = await openSeedBot({ files: withoutChooser() });
    const asked = await bot.call("story_bot_tool");
    expect(asked.data).toMatchObject({ status: "question", data: { about: "project_area" } });
    expect(await bot.exists("docs/workflow_state.json")).toBe(false);
    expect((await bot.call("story_bot_shape_render_output")).data).toMatchObject({ data: { about: "project_area" } });
    expect((await bot.call(closing)).data.error.code).toBe("ENGINE_NO_AREA");
    expect((await bot.call("story_bot_tool", { project_area: "../out" })).data.error.code).toBe("ENGINE_NO_AREA");
    expect((await bot.call("story_bot_tool", { project_area: "./docs/" })).data).toMatchObject({
      status: "started",
      action: "gather_context",
    });
    expect(await bot.exists("docs/workflow_state.json")).toBe(true);
  });

  test.each([["../x"], ["/etc"], [".waymark/workflows"], ["a/../../x"]])("%s cannot be it", async (area) => {
    bot = await openSeedBot({ files: withoutChooser() });
    expect((await bot.call("story_bot_tool", { project_area: area })).data.error.code).toBe("ENGINE_NO_AREA");
  });

  test("the workspace itself can be it", async () => {
    bot = await openSeedBot({ files: withoutChooser() });
    await bot.call("story_bot_tool", { project_area: "." });
    expect(await bot.exists("workflow_state.json")).toBe(true);
    expect(await bot.exists("activity_log.json")).toBe(true);
  });

  test("no action but the one that is there for it moves it", async () => {
    bot = await openPlacedBot({ files: storyBot() });
    await bot.call(closing, { summary: "Asked.", project_area: "elsewhere" });
    expect(await bot.exists("elsewhere/workflow_state.json")).toBe(false);
    expect(await bot.state()).toMatchObject({ current_action: "decide_planning_criteria" });
  });
});
