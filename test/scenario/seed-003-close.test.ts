/** Closing, going elsewhere and beginning again: who may say what, and what a repeat does. */
import { afterEach, describe, expect, test } from "vitest";
import { callBot, closeAction } from "../../src/dialects/bots/run/index.ts";
import { openPlacedBot, openSeedBot, shapeBot, storyBot, type SeedBot } from "../support/seed-003-bench.ts";

let bot: SeedBot | undefined;
afterEach(async () => {
  await bot?.close();
  bot = undefined;
});
const closing = "story_bot_close_current_action";

describe("closing", () => {
  test("the same close again completes nothing more: by the id it was handed out with, by its name, and at the same time", async () => {
    bot = await openPlacedBot();
    const { action_id } = (await bot.call("story_bot_tool")).data.data as { action_id: string };
    const both = await Promise.all([bot.call(closing, { summary: "Asked." }), bot.call(closing, { summary: "Asked." })]);
    expect(both.map((reply) => reply.data.completed_action)).toEqual(["gather_context", "gather_context"]);
    for (const action of [action_id, "gather_context", "shape.gather_context"]) {
      const again = await bot.call(closing, { action });
      expect(again.data).toMatchObject({
        status: "completed",
        completed_action: "gather_context",
        next_action: "decide_planning_criteria",
      });
      expect(again.data.message).toContain("was completed before");
    }
    expect((await bot.state()).completed_actions.map((entry) => entry.action)).toEqual(["initialize_project", "gather_context"]);
    expect((await bot.events()).filter((event) => event === "gather_context completed")).toHaveLength(1);
  });

  test("what is neither open nor completed cannot be closed, nor what was never begun", async () => {
    bot = await openSeedBot();
    expect((await bot.call(closing)).data.error).toMatchObject({
      code: "ENGINE_NO_ACTION",
      message: expect.stringContaining("not begun") as string,
    });
    await bot.call("story_bot_tool", { project_area: "docs" });
    expect((await bot.call(closing, { action: "render_output" })).data.error).toMatchObject({ code: "ENGINE_NO_ACTION" });
    expect((await bot.call(closing, { action: "dance" })).isError).toBe(true);
    expect(await bot.events()).toEqual(["initialize_project started"]);
  });

  test("without a project area nothing can be closed, and nothing is written", async () => {
    bot = await openSeedBot({ answer: () => "done" });
    await bot.call("story_bot_tool");
    expect((await bot.call(closing, { summary: "Here." })).data.error).toMatchObject({ code: "ENGINE_NO_AREA" });
    const outside = await bot.call(closing, { summary: "There.", project_area: "../elsewhere" });
    expect(outside.data.error).toMatchObject({
      code: "ENGINE_NO_AREA",
      message: expect.stringContaining("is outside the workspace") as string,
    });
    expect(bot.asked).toEqual([]);
    // Reported by a tool that knows nothing of project areas: it cannot be called done either.
    const { run_id, action_id } = (await bot.call("story_bot_tool")).data.data as Record<string, string>;
    await bot.run({ tool: "workflow_progress", arguments: { run_id, action_id, result: { summary: "Here." } } });
    const refused = await closeAction(bot.engine.context, bot.person, { bot: "story_bot" }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "ENGINE_NO_AREA", fix: expect.stringContaining("redo") as string });
    expect(await bot.exists("docs/workflow_state.json")).toBe(false);
    expect(await bot.exists("workflow_state.json")).toBe(false);
  });

  test("a bot for a person's word: the client's user is asked; may decline; may want it done again", async () => {
    let answer = "redo";
    bot = await openPlacedBot({ answer: (question) => (question.includes("initialize") ? "done" : answer) });
    const redo = await bot.call(closing, { summary: "Asked." });
    expect(redo.data).toMatchObject({ status: "started", action: "gather_context" });
    expect(await bot.state()).toMatchObject({ current_action: "gather_context", action_state: "started" });
    answer = "done";
    expect((await bot.call(closing, { summary: "Asked again." })).data).toMatchObject({ completed_action: "gather_context" });
    expect((await bot.events()).filter((event) => event.startsWith("gather_context"))).toEqual([
      "gather_context started",
      "gather_context started",
      "gather_context completed",
    ]);
  });

  test("a client that cannot ask is told the command for the person; the work is recorded, and the person closes it elsewhere", async () => {
    bot = await openSeedBot();
    await bot.call("story_bot_tool");
    const refused = await bot.call(closing, { summary: "Chose docs.", project_area: "docs" });
    expect(refused.data.error).toMatchObject({
      code: "DECISION_FOR_PERSON",
      details: {
        command_for_person: expect.stringMatching(/^waymark bot close story_bot d\d+$/) as string,
        question: expect.stringContaining("Chose docs.") as string,
      },
    });
    expect(refused.data).not.toHaveProperty("next_call");
    expect(refused.data.later).toEqual({ when: "when they have answered", tool: "story_bot_tool", arguments: {} });
    const { command_for_person } = refused.data.error.details;
    const open = await bot.call("story_bot_tool");
    expect(open.data).toMatchObject({ status: "question", data: { about: "done", command_for_person } });
    expect((await bot.call("story_bot_tool", { answer: "done" })).data.error.code).toBe("DECISION_FOR_PERSON");
    // The agent still drives the bot; the person's word needs no strand of it.
    const closed = await closeAction(bot.engine.context, bot.person, { bot: "story_bot" });
    expect(closed).toMatchObject({ completed: { action: "initialize_project" }, next: "gather_context", repeated: false });
    expect(await bot.state()).toMatchObject({ current_action: "gather_context", action_state: "started" });
    expect((await bot.call("story_bot_tool")).data).toMatchObject({ status: "started", action: "gather_context" });
  });

  test("a close that waits for a person's word says the same when it is sent again", async () => {
    bot = await openSeedBot();
    const { action_id: action } = (await bot.call("story_bot_tool")).data.data as { action_id: string };
    const close = { action, summary: "Chose docs.", project_area: "docs" };
    const first = (await bot.call(closing, close)).data.error;
    expect(first.code).toBe("DECISION_FOR_PERSON");
    expect((await bot.call(closing, close)).data.error).toMatchObject({ code: first.code, message: first.message });
  });

  test("a bot that lets the agent pass it on: done and redo are recorded as relayed", async () => {
    bot = await openSeedBot({ files: shapeBot({}, { done_by: "relay" }) });
    await bot.call("story_bot_tool");
    const closed = await bot.call(closing, { summary: "Chose docs.", project_area: "docs" });
    expect(closed.data).toMatchObject({ completed_action: "initialize_project", next_action: "gather_context" });
    expect((await bot.call("story_bot_tool")).text).toContain("when the person says it is done");
    const [row] = await bot.engine.context.store.listRuns({ workflow: "story_bot" });
    const records = await bot.engine.context.store.readRecords(row!.id, 0, 1000);
    const answers = records
      .flatMap((record) => JSON.parse(record.events) as { type: string; by?: { relayed: boolean } }[])
      .filter((event) => event.type === "decision_closed");
    expect(answers.map((event) => event.by?.relayed)).toEqual([true]);
  });
});

describe("going elsewhere", () => {
  test("ahead: a person is asked, what is passed over is skipped, and it is on record", async () => {
    bot = await openPlacedBot({ answer: (question) => (question.includes("Leave") ? "go" : "done") });
    const wish = await bot.call("story_bot_discovery_render_output");
    expect(wish.data).toMatchObject({ status: "question", data: { about: "jump", answer_by: "person", answers: ["go", "stay"] } });
    expect((await bot.call("story_bot_tool")).data).toMatchObject({
      action: "gather_context",
      data: { waits_for_person: [{ question: expect.stringContaining("discovery.render_output") as string }] },
    });
    await bot.run(wish.data.data.ask_person_call);
    expect((await bot.call("story_bot_tool")).data).toMatchObject({ behavior: "discovery", action: "render_output", status: "started" });
    expect(await bot.state()).toMatchObject({
      current_behavior: "discovery",
      current_action: "render_output",
      out_of_order_confirmations: { discovery: { confirmed_by: "human", original_behavior: "shape" } },
    });
  });

  test("back: later completions leave the list and stay in the log; the behaviour's tool goes on after its last completed action", async () => {
    bot = await openPlacedBot({ answer: (question) => (question.includes("Leave") ? "go" : "done") });
    await bot.call(closing, { summary: "Asked." });
    await bot.call(closing, { summary: "Decided." });
    const before = await bot.events();
    await bot.run((await bot.call("story_bot_shape_gather_context")).data.data.ask_person_call);
    expect((await bot.call("story_bot_tool")).data).toMatchObject({ action: "gather_context" });
    expect((await bot.state()).completed_actions.map((entry) => entry.action)).toEqual(["initialize_project"]);
    expect((await bot.events()).slice(0, before.length)).toEqual(before);
    await bot.call(closing, { summary: "Asked again." });
    await bot.run((await bot.call("story_bot_discovery_tool")).data.data.ask_person_call);
    const home = await bot.call("story_bot_shape_tool");
    expect(home.data.data.question).toContain("shape.decide_planning_criteria");
  });

  test("a person who stays changes nothing, and no agent can answer for them", async () => {
    bot = await openPlacedBot({ answer: (question) => (question.includes("Leave") ? "stay" : "done") });
    const wish = await bot.call("story_bot_discovery_tool");
    const { run_id, decision_id } = wish.data.data as Record<string, string>;
    const forged = await bot.run({ tool: "workflow_decide", arguments: { run_id, decision_id, answer: "go" } });
    expect(forged.data.error.code).toBe("DECISION_FOR_PERSON");
    await bot.run(wish.data.data.ask_person_call);
    expect((await bot.call("story_bot_tool")).data).toMatchObject({ behavior: "shape", action: "gather_context", status: "started" });
    expect((await bot.state()).out_of_order_confirmations).toBeUndefined();
  });

  test("an unknown place is refused with what there is", async () => {
    bot = await openPlacedBot();
    await expect(callBot(bot.engine.context, bot.person, { bot: "story_bot", behaviour: "shap" })).rejects.toThrow(/being driven|shape/);
    const compact = await openSeedBot({ toolsets: ["bots-compact"] });
    try {
      await compact.call("story_bot_tool", { project_area: "docs" });
      const wrong = await compact.run({ tool: "story_bot_behavior_tool", arguments: { behavior: "shape", action: "gather_contxt" } });
      expect(wrong.data.error).toMatchObject({ code: "ENGINE_NO_BOT_PLACE", message: expect.stringContaining("gather_context") as string });
    } finally {
      await compact.close();
    }
  });
});

describe("the end of a bot", () => {
  test("it stays at its end until a place is named; then it begins again in the same area, and the log is kept", async () => {
    bot = await openPlacedBot({ files: shapeBot() });
    for (let at = 0; at < 5; at += 1) await bot.call(closing, { summary: `Done ${at}.` });
    const over = await bot.call("story_bot_tool");
    expect(over.data).toMatchObject({ status: "completed", behavior: "shape", action: "validate_rules" });
    expect((await bot.call(closing)).data).toMatchObject({
      status: "completed",
      completed_action: "validate_rules",
      completed_behavior: "shape",
    });
    expect((await bot.call("story_bot_shape_correct_bot")).data.error.message).toContain("is complete");
    const events = await bot.events();
    const again = await bot.call("story_bot_shape_tool");
    expect(again.data).toMatchObject({ status: "started", action: "initialize_project" });
    expect(again.data.data.run_id).not.toBe(over.data.data.run_id);
    expect((await bot.events()).slice(0, events.length)).toEqual(events);
    expect(await bot.state()).toMatchObject({ current_action: "initialize_project", action_state: "started", completed_actions: [] });
  });

  test("no name of an action means anything: a bot with other names runs the same way", async () => {
    const renamed = Object.fromEntries(
      Object.entries(storyBot()).map(([path, text]) => {
        const to = (held: string): string =>
          held
            .replaceAll("validate_rules", "taste_soup")
            .replaceAll("correct_bot", "whistle")
            .replaceAll("gather_context", "peel")
            .replaceAll("initialize_project", "wash_hands");
        return [to(path), to(text)];
      }),
    );
    bot = await openSeedBot({ files: renamed, answer: () => "done" });
    expect((await bot.call("story_bot_tool")).data).toMatchObject({ action: "wash_hands" });
    const next = await bot.call(closing, { summary: "Clean.", project_area: "docs" });
    expect(next.data).toMatchObject({ completed_action: "wash_hands", next_action: "peel" });
    expect((await bot.call("story_bot_shape_whistle")).data).toMatchObject({ action: "whistle", data: { independent: true } });
  });
});
