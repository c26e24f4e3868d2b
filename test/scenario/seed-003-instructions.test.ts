/** Story 4 of the seed: what comes next is part of the instructions. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPlacedBot, type SeedBot } from "../support/seed-003-bench.ts";
import type { ToolReply } from "../process/mcp-client.ts";

const lines = (reply: ToolReply): string[] => [...reply.text.matchAll(/^When done, proceed to (\w+)$/gm)].map((match) => match[1] ?? "");

let bot: SeedBot;
let gather: ToolReply;
let closed: ToolReply;
let beside: ToolReply;
let last: ToolReply;
let over: ToolReply;
beforeAll(async () => {
  bot = await openPlacedBot();
  let count = 0;
  const close = async (named: object = {}): Promise<ToolReply> =>
    bot.call("story_bot_close_current_action", { ...named, summary: `Done ${(count += 1)}.` });
  gather = await bot.call("story_bot_tool");
  beside = await bot.call("story_bot_shape_correct_bot");
  closed = await close({ action: "gather_context" });
  await close();
  await close();
  await close();
  last = await bot.call("story_bot_tool");
  over = await close();
});
afterAll(() => bot.close());

describe("story 4: the next action", () => {
  test("4.1 a completed action of the sequence", () => {
    expect(closed.isError).toBe(false);
    expect(closed.data).toMatchObject({ status: "completed", completed_action: "gather_context" });
  });

  test("4.2 its successor is read from its configuration", () => {
    expect(closed.data.next_action).toBe("decide_planning_criteria");
    expect(gather.data.data.next_action).toBe("decide_planning_criteria");
  });

  test("4.3 with a successor", () => {
    expect(gather.data.data.next_action).not.toBeNull();
  });

  test("4.4 the instructions say where to proceed, in exactly one line, and the reply to the completion says it again", () => {
    expect(lines(gather)).toEqual(["decide_planning_criteria"]);
    expect(gather.data.data.instructions.match(/When done, proceed to/g)).toHaveLength(1);
    expect(closed.data.message).toContain("When done, proceed to decide_planning_criteria");
  });

  test("4.5 without a successor", () => {
    expect(last.data).toMatchObject({ action: "validate_rules", data: { next_action: null } });
  });

  test("4.6 the instructions and the reply say that the workflow is complete", () => {
    expect(last.data.data.instructions).toContain("its workflow is complete");
    expect(lines(last)).toEqual([]);
    expect(over.data).toMatchObject({ completed_action: "validate_rules", next_action: null, completed_behavior: "shape" });
    expect(over.data.message).toContain("The workflow of shape is complete");
  });

  test("4.7 an action outside of the sequence", () => {
    expect(beside.data).toMatchObject({ action: "correct_bot", data: { independent: true } });
  });

  test("4.8 says nothing about what follows", () => {
    expect(lines(beside)).toEqual([]);
    expect(beside.text).not.toContain("is complete");
  });

  test("4.9 nobody has to remember the sequence: each reply names the next action and the next call", () => {
    expect(closed.data.next).toMatchObject({ behavior: "shape", action: "decide_planning_criteria" });
    const { action_id: action } = gather.data.data;
    expect(gather.data.data.next_call).toEqual({ tool: "story_bot_close_current_action", arguments: { parameters: { action } } });
    expect(gather.data.data.fill_in).toEqual({ "parameters.summary": "what was done" });
    expect(over.data).toMatchObject({
      next_behavior: "prioritization",
      next: { behavior: "prioritization", action: "initialize_project" },
    });
  });
});
