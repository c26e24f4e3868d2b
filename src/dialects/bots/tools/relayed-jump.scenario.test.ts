/** An agent that passes on a person's word about a jump: it does not count, and the person's own command is told. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { smallBot } from "../../../../test/support/bot-sample.ts";
import { openSeedBot, type SeedBot } from "../../../../test/support/seed-003-bench.ts";

let bot: SeedBot;
beforeEach(async () => {
  bot = await openSeedBot({ files: smallBot({}, { done_by: "relay" }) });
  await bot.call("small_bot_tool", { project_area: "docs" });
});
afterEach(() => bot.close());

interface Wish {
  readonly run_id: string;
  readonly decision_id: string;
  readonly question: string;
  readonly command_for_person: string;
}

const wishFor = async (tool: string): Promise<Wish> => (await bot.call(tool)).data.data as Wish;

test.each([
  ["small_bot_tool", "go"],
  ["small_bot_tool", "stay"],
  ["small_bot_close_current_action", "go"],
])("%s with %s says that only a person can answer, with the command for them", async (tool, word) => {
  const wish = await wishFor("small_bot_build_render");
  const { data, text } = await bot.call(tool, { answer: word });
  expect(data.error).toMatchObject({
    code: "DECISION_FOR_PERSON",
    details: { decision: wish.decision_id, command_for_person: wish.command_for_person, options: ["go", "stay"] },
  });
  expect(text).toContain(wish.question);
  expect(text).toContain(`waymark decide ${wish.run_id} ${wish.decision_id}`);
  expect((await bot.call("small_bot_tool")).data).toMatchObject({
    action: "gather",
    data: { waits_for_person: [{ question: wish.question }] },
  });
});

test("with two jumps open, both are told", async () => {
  const wishes = [await wishFor("small_bot_build_render"), await wishFor("small_bot_build_check")];
  const { data, text } = await bot.call("small_bot_tool", { answer: "go" });
  expect(data.error.code).toBe("DECISION_FOR_PERSON");
  for (const { question, command_for_person: command } of wishes) {
    expect(text).toContain(question);
    expect(text).toContain(command);
  }
});

test("an answer to the question of the action itself counts while a jump is open", async () => {
  const { run_id } = await wishFor("small_bot_build_render");
  await bot.run({ tool: "workflow_progress", arguments: { run_id, result: { summary: "1" } } });
  expect((await bot.call("small_bot_tool", { answer: "go" })).data.error.code).toBe("DECISION_FOR_PERSON");
  expect((await bot.call("small_bot_tool", { answer: "redo" })).data).toMatchObject({ status: "started", action: "gather" });
});

test("without a jump, there is nothing to answer", async () => {
  expect((await bot.call("small_bot_tool", { answer: "go" })).data.error.code).toBe("ENGINE_NO_DECISION");
});
