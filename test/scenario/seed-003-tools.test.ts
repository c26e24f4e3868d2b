/** The toolsets of bots: what they cost, what they can do, when they are made; and how bots look to tools that know nothing of them. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { afterEach, describe, expect, test } from "vitest";
import { openClient, serverParts } from "../process/mcp-client.ts";
import { handedOut } from "../support/handed-out.ts";
import { openPlacedBot, openSeedBot, shapeBot, storyBot, type SeedBot } from "../support/seed-003-bench.ts";

let bot: SeedBot | undefined;
afterEach(async () => {
  await bot?.close();
  bot = undefined;
});
const own = ({ tools }: SeedBot): SeedBot["tools"] => tools.filter((tool) => tool.name.startsWith("story_bot_"));
const tokens = (tools: SeedBot["tools"]): number =>
  tools.reduce((sum, { name, description, inputSchema }) => sum + encode(JSON.stringify({ name, description, inputSchema })).length, 0);

describe("listing", () => {
  test("5 behaviours with 7 actions cost less than 2,000 tokens", async () => {
    bot = await openSeedBot();
    expect(own(bot)).toHaveLength(1 + 5 + 5 * 7 + 1);
    process.stdout.write(`${own(bot).length} tools, ${tokens(own(bot))} tokens\n`);
    expect(tokens(own(bot))).toBeLessThan(2000);
    for (const { name } of own(bot)) expect(name).toMatch(/^[A-Za-z][\w-]{0,59}$/);
  });

  test("a server without the toolset lists none and knows none", async () => {
    bot = await openSeedBot({ toolsets: [] });
    expect(own(bot)).toEqual([]);
    await expect(bot.call("story_bot_tool")).rejects.toThrow(/no tool/);
  });

  test("a changed folder counts from the next start on", async () => {
    bot = await openSeedBot({ files: shapeBot() });
    const path = join(bot.engine.folder, ".waymark/workflows/story_bot/behaviors/1_shape/behavior.json");
    await writeFile(path, JSON.stringify({ behaviorName: "shape", description: "Something else.", order: 1 }));
    const again = await bot.client();
    expect((await again.client.listTools()).tools.map((tool) => tool.description)).not.toContainEqual(
      expect.stringContaining("Something else."),
    );
    const restarted = await bot.engine.again();
    const client = await openClient({ context: restarted.context, ...serverParts, toolsets: ["bots"] });
    try {
      expect((await client.client.listTools()).tools.map((tool) => tool.description)).toContainEqual(
        expect.stringContaining("Something else."),
      );
    } finally {
      await client.close();
      await restarted.close();
    }
  });

  test("a bot with errors gets no tools, and the others do", async () => {
    const broken = Object.fromEntries(
      Object.entries(shapeBot()).map(([path, text]) => [path.replaceAll("story_bot", "bad_bot"), text.replaceAll("story_bot", "bad_bot")]),
    );
    broken[".waymark/workflows/bad_bot/base_actions/2_gather_context/action_config.json"] = "{ not json";
    bot = await openSeedBot({ files: { ...shapeBot(), ...broken } });
    expect(own(bot).length).toBeGreaterThan(0);
    expect(bot.tools.filter((tool) => tool.name.startsWith("bad_bot"))).toEqual([]);
  });
});

describe("three tools with the same power", () => {
  test("bot, behaviour and close go through a whole behaviour, beside it and elsewhere", async () => {
    bot = await openSeedBot({
      toolsets: ["bots-compact"],
      files: storyBot(),
      answer: (question) => (question.includes("Leave") ? "go" : "done"),
    });
    expect(own(bot).map((tool) => tool.name)).toEqual(["story_bot_tool", "story_bot_behavior_tool", "story_bot_close_current_action"]);
    const go = (behavior: string, action?: string) =>
      bot!.run({ tool: "story_bot_behavior_tool", arguments: { behavior, ...(action === undefined ? {} : { action }) } });
    await bot.call("story_bot_tool");
    await bot.call("story_bot_close_current_action", { summary: "Chose docs.", project_area: "docs" });
    expect((await go("shape")).data).toMatchObject({ action: "gather_context", status: "started" });
    expect((await go("shape", "gather_context")).data).toMatchObject({ action: "gather_context", status: "started" });
    expect((await go("shape", "correct_bot")).data).toMatchObject({ action: "correct_bot", data: { independent: true } });
    const wish = await go("discovery", "build_knowledge");
    expect(wish.data).toMatchObject({ data: { about: "jump" } });
    await bot.run(wish.data.data.ask_person_call);
    expect((await bot.call("story_bot_tool")).data).toMatchObject({ behavior: "discovery", action: "build_knowledge" });
    for (const next of ["render_output", "validate_rules"])
      expect((await bot.call("story_bot_close_current_action", { summary: `On to ${next}.` })).data.next_action).toBe(next);
    expect((await bot.call("story_bot_close_current_action", { summary: "Done." })).data).toMatchObject({
      completed_behavior: "discovery",
      next_behavior: "exploration",
    });
  });

  test("arguments may stand beside the parameters", async () => {
    bot = await openSeedBot({ answer: () => "done" });
    await bot.call("story_bot_tool");
    const closed = await bot.run({
      tool: "story_bot_close_current_action",
      arguments: { summary: "Chose docs.", project_area: "docs", parameters: '{"who": "team"}' },
    });
    expect(closed.data).toMatchObject({ completed_action: "initialize_project" });
    expect((await bot.log())[1]).toMatchObject({ inputs: { who: "team" }, outputs: { summary: "Chose docs." } });
  });
});

describe("what an agent is told", () => {
  test("bot, behaviour, base and behaviour lines in this order, placeholders filled, the scope of the project", async () => {
    bot = await openPlacedBot();
    await writeFile(join(bot.engine.folder, "docs/scope.json"), JSON.stringify({ type: "story", value: ["pay"], exclude: ["refund"] }));
    const next = await bot.call("story_bot_close_current_action", { summary: "Asked." });
    const text = next.data.next.data.instructions as string;
    const order = [
      "You help a team",
      "below docs:",
      "Goal: A story map",
      "Decide how to go about shape",
      "Decisions to make:",
      "When done, proceed to build_knowledge",
    ];
    expect(order.map((part) => text.indexOf(part))).toEqual(order.map((part) => text.indexOf(part)).toSorted((a, b) => a - b));
    expect(order.every((part) => text.includes(part))).toBe(true);
    expect(text).not.toContain("{{");
    expect(next.data.next.data.scope).toEqual({ type: "story", value: ["pay"], exclude: ["refund"] });
    expect(next.text).toContain('Scope: only {"type":"story"');
  });

  test("a line of one's own about what comes next does not make two", async () => {
    bot = await openPlacedBot({
      files: shapeBot({ "base_actions/2_gather_context/instructions.md": "Ask.\nWhen done, proceed to somewhere_else\nListen." }),
    });
    const { data } = await bot.call("story_bot_tool");
    expect(data.data.instructions.match(/When done, proceed to .*/g)).toEqual(["When done, proceed to decide_planning_criteria"]);
    expect(data.data.instructions).toContain("Listen.");
  });

  test("instructions longer than a reply are cut, and a file has all of them", async () => {
    bot = await openPlacedBot({
      files: shapeBot({ "base_actions/2_gather_context/instructions.md": `Ask.\n${"Listen well. ".repeat(2000)}` }),
    });
    const reply = await bot.call("story_bot_tool");
    expect(JSON.stringify(reply.raw).length).toBeLessThan(8000);
    expect(reply.text).toContain("Read all of it in");
    expect(reply.data.data.whole).toMatch(/\.md$/);
  });

  test("actions that a setting combines come in one text and are closed in one go; skipped ones are passed over", async () => {
    const settings = { "story_bot.shape.gather_context": "combine_next", "story_bot.shape.build_knowledge": "skip" };
    bot = await openPlacedBot({ files: shapeBot({ "execution_settings.json": JSON.stringify(settings) }) });
    const both = await bot.call("story_bot_tool");
    expect(both.data).toMatchObject({
      action: "gather_context",
      data: { combined: ["decide_planning_criteria"], next_action: "render_output" },
    });
    expect(both.data.data.instructions).toContain("Then, in the same go: decide_planning_criteria");
    expect(both.data.data.instructions.match(/When done, proceed to .*/g)).toEqual(["When done, proceed to render_output"]);
    const closed = await bot.call("story_bot_close_current_action", { summary: "Both." });
    expect(closed.data).toMatchObject({ completed_action: "decide_planning_criteria", next_action: "render_output" });
    expect(bot.asked.at(-1)).toContain("shape.decide_planning_criteria");
    expect((await bot.events()).slice(-5)).toEqual([
      "gather_context started",
      "gather_context completed",
      "decide_planning_criteria started",
      "decide_planning_criteria completed",
      "render_output started",
    ]);
  });
});

describe("tools that know nothing of bots", () => {
  test("start, next and progress drive a bot: instructions, questions and the count of actions", async () => {
    bot = await openSeedBot({ files: shapeBot({}, { done_by: "relay" }), toolsets: [] });
    const started = await bot.run({ tool: "workflow_start", arguments: { workflow: "story_bot", inputs: { project_area: "docs" } } });
    expect(started.data).toMatchObject({
      step: {
        id: handedOut("shape.initialize_project"),
        type: "bot_action",
        definition: { behavior: "shape", action: "initialize_project" },
      },
      progress: { done: 0, total: 6 },
    });
    expect(started.data.step.instructions).toContain("When done, proceed to gather_context");
    expect(started.data.step.instructions).toContain("Report an object: summary");
    const { run_id, action_id } = started.data as Record<string, string>;
    const asked = await bot.run({ tool: "workflow_progress", arguments: { run_id, action_id, result: { summary: "Chosen." } } });
    expect(asked.data).toMatchObject({
      status: "question",
      step: { id: handedOut("shape.initialize_project"), definition: { prompt: expect.stringContaining("Chosen.") as string } },
    });
    const next = await bot.run({ tool: "workflow_progress", arguments: { run_id, action_id: asked.data.action_id, result: "done" } });
    expect(next.data).toMatchObject({ step: { id: handedOut("shape.gather_context") }, progress: { done: 1, total: 6 } });
  });
});
