/** Two windows on one bot: what the one is told that does not hold it. */
import { freeHolders } from "../../../../test/support/free-holders.ts";
import { afterEach, expect, test } from "vitest";
import { smallBot } from "../../../../test/support/bot-sample.ts";
import { openSeedBot, type SeedBot } from "../../../../test/support/seed-003-bench.ts";

let bot: SeedBot | undefined;
afterEach(async () => {
  await bot?.close();
  bot = undefined;
});

async function held(): Promise<{ readonly first: SeedBot; readonly other: Awaited<ReturnType<SeedBot["client"]>>; readonly run: string }> {
  const first = await openSeedBot({ files: smallBot({}, { done_by: "relay" }) });
  bot = first;
  const { data } = await first.call("small_bot_tool", { project_area: "docs" });
  expect(data).toMatchObject({ status: "started", action: "gather" });
  return { first, other: await first.client(), run: data.data.run_id };
}

test.each([
  ["small_bot_tool", {}],
  ["small_bot_shape_tool", {}],
  ["small_bot_shape_gather", {}],
  ["small_bot_close_current_action", { parameters: { summary: "Mine." } }],
])("%s in another window is refused with the call for later, and never with one that brings the same error", async (tool, args) => {
  const { first, other } = await held();
  const refused = await other.call(tool, args);
  expect(refused).toMatchObject({
    isError: true,
    data: {
      error: { code: "STRAND_HELD" },
      later: { when: "when its holder is done or gone", tool: "small_bot_tool", arguments: {} },
    },
  });
  expect(refused.data).not.toHaveProperty("next_call");
  expect((await first.call("small_bot_tool")).data).toMatchObject({ status: "started", action: "gather" });
  expect(await first.events()).toEqual(["gather started"]);
});

test("who comes when its holder is gone is asked what about the action, and drives the bot then", async () => {
  const { first, other } = await held();
  const { later } = (await other.call("small_bot_tool", {})).data;
  await freeHolders(first.engine.context);
  expect((await other.call(later.tool, later.arguments)).isError).toBe(false);
  expect((await other.call("small_bot_tool", {})).data).toMatchObject({ status: "question", data: { about: "interrupted" } });
  expect((await other.call("small_bot_tool", { parameters: { answer: "retry" } })).data).toMatchObject({ status: "started" });
  expect((await first.call("small_bot_tool")).data).toMatchObject({ error: { code: "STRAND_HELD" }, later: { tool: "small_bot_tool" } });
});

test("after continue the question says that nobody reported the action", async () => {
  const { first, other, run } = await held();
  await freeHolders(first.engine.context);
  await other.call("workflow_resume", { run_id: run });
  const asked = await other.call("small_bot_tool", { parameters: { answer: "continue" } });
  expect(asked.data).toMatchObject({ status: "question", action: "gather", data: { about: "done" } });
  expect(asked.data.data.question).toBe("shape.gather: it was interrupted, and nobody reported what was done. Is it done?");
});
