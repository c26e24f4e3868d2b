/** Story 5 of the seed: the state is kept, and an interruption is noticed. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openPlacedBot, shapeBot, type SeedBot, type State } from "../support/seed-003-bench.ts";

let bot: SeedBot;
beforeEach(async () => {
  bot = await openPlacedBot();
});
afterEach(() => bot.close());

const close = (parameters: object = {}) => bot.call("story_bot_close_current_action", { summary: "Asked.", ...parameters });

describe("story 5: the state of a behaviour", () => {
  test("5.1 an action starts", async () => {
    expect(await bot.events()).toContain("gather_context started");
  });

  test("5.2 the state then names behaviour, action and started", async () => {
    expect(await bot.state()).toMatchObject({ current_behavior: "shape", current_action: "gather_context", action_state: "started" });
  });

  test("5.3 an action completes", async () => {
    expect((await close()).data).toMatchObject({ status: "completed", completed_action: "gather_context" });
    expect(await bot.events()).toContain("gather_context completed");
  });

  test("5.4 the state then says completed: at the end of the last action it stays so", async () => {
    await bot.close();
    bot = await openPlacedBot({ files: shapeBot() });
    for (let at = 0; at < 5; at += 1) await close({ summary: `Asked ${at}.` });
    expect((await bot.call("story_bot_tool")).data).toMatchObject({ status: "completed" });
    expect(await bot.state()).toMatchObject({ current_behavior: "shape", current_action: "validate_rules", action_state: "completed" });
  });

  test("5.5 it lies in the project area as workflow_state.json", async () => {
    expect(await bot.exists("docs/workflow_state.json")).toBe(true);
    expect(await bot.exists("workflow_state.json")).toBe(false);
  });

  test("5.6 it has the time of the last event of an action", async () => {
    const last = (await bot.log()).at(-1);
    expect((await bot.state()).timestamp).toBe(last?.timestamp);
    expect(new Date((await bot.state()).timestamp).toISOString()).toBe(last?.timestamp);
  });

  test("5.7 its action_state is started or completed", async () => {
    const seen: string[] = [(await bot.state()).action_state];
    await close();
    seen.push((await bot.state()).action_state, ...(await bot.state()).completed_actions.map((entry) => entry.action_state));
    expect(new Set(seen)).toEqual(new Set(["started", "completed"]));
  });

  test("5.8 completed_actions is the whole history, with times and states", async () => {
    await close();
    const { completed_actions: all } = await bot.state();
    expect(all.map((entry) => entry.action)).toEqual(["initialize_project", "gather_context"]);
    for (const entry of all)
      expect(entry).toMatchObject({ behavior: "shape", action_state: "completed", timestamp: expect.stringMatching(/Z$/) as string });
  });

  test.each([
    ["5.9", "current_behavior", "shape"],
    ["5.10", "current_action", "gather_context"],
  ])("%s it has %s", async (_number, key, value) => {
    expect((await bot.state())[key as keyof State]).toBe(value);
  });

  test("5.11 after an interruption the work is taken up again, by another window with nothing but the files and the store", async () => {
    await bot.engine.context.holding.release((await holderOf(bot)) ?? "");
    const other = await bot.client();
    const asked = await other.call("story_bot_tool");
    expect(asked.data).toMatchObject({ behavior: "shape", action: "gather_context" });
    const again = await other.call("story_bot_tool", { parameters: { answer: "retry" } });
    expect(again.data).toMatchObject({ status: "started", action: "gather_context", data: { interrupted_before: true } });
    expect((await other.call("story_bot_close_current_action", { parameters: { summary: "Asked." } })).data.next_action).toBe(
      "decide_planning_criteria",
    );
  });

  test("5.12 an action that was started asks whether to retry or to continue, and nothing goes on before", async () => {
    await bot.engine.context.holding.release((await holderOf(bot)) ?? "");
    const other = await bot.client();
    const asked = await other.call("story_bot_tool");
    expect(asked.data).toMatchObject({ status: "question", data: { about: "interrupted", answers: ["retry", "continue"] } });
    expect(asked.text).toContain("It was started at 20");
    expect((await other.call("story_bot_tool")).data).toMatchObject({ status: "question", data: { about: "interrupted" } });
    const early = await other.call("story_bot_close_current_action", { parameters: { summary: "Asked." } });
    expect(early.data.error.code).toBe("ENGINE_NEEDS_ANSWER");
    expect(await bot.state()).toMatchObject({ current_action: "gather_context", action_state: "started" });
    const on = await other.call("story_bot_tool", { parameters: { answer: "continue" } });
    expect(on.data).toMatchObject({ status: "question", action: "gather_context", data: { about: "done" } });
  });
});

/** Who drives the bot now, as its leases know them. */
async function holderOf({ engine }: SeedBot): Promise<string | undefined> {
  const [lease] = await engine.context.store.readLeases("strand/");
  return lease?.owner;
}
