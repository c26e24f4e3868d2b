/** A question about leaving a place is closed when the bot has left it otherwise. */
import { afterEach, describe, expect, test } from "vitest";
import { smallBot } from "../../../../test/support/bot-sample.ts";
import { openSeedBot, type SeedBot } from "../../../../test/support/seed-003-bench.ts";
import { answer, status } from "../../../engine/index.ts";

let bot: SeedBot | undefined;
afterEach(async () => {
  await bot?.close();
  bot = undefined;
});
const close = "small_bot_close_current_action";

interface Wish {
  readonly run_id: string;
  readonly decision_id: string;
}

async function opened(behaviors = ["shape", "build"]): Promise<SeedBot> {
  const files = smallBot({}, { done_by: "relay", behaviors });
  bot = await openSeedBot({
    files: Object.fromEntries(Object.entries(files).filter(([path]) => behaviors.includes("build") || !path.includes("2_build"))),
  });
  await bot.call("small_bot_tool", { project_area: "docs" });
  return bot;
}

async function wishFor({ call }: SeedBot, tool: string): Promise<Wish> {
  const { data } = await call(tool);
  expect(data).toMatchObject({ status: "question", data: { about: "jump" } });
  return data.data as Wish;
}

const go = ({ engine, person }: SeedBot, { run_id: run, decision_id: decision }: Wish): Promise<unknown> =>
  answer(engine.context, person, { run, decision, answer: "go", relayed: false });

describe("a jump that was asked for", () => {
  test("is not open any more when the action is closed, and go is refused with the reason", async () => {
    const by = await opened();
    const wish = await wishFor(by, "small_bot_build_render");
    const closed = await by.call(close, { summary: "1" });
    expect(closed.data).toMatchObject({ completed_action: "gather", next: { action: "render" } });
    expect(closed.data.next.data).not.toHaveProperty("waits_for_person");
    await expect(go(by, wish)).rejects.toMatchObject({
      code: "ENGINE_NO_DECISION",
      message: expect.stringContaining("`small_bot` has left shape.gather") as string,
    });
    expect((await by.call("small_bot_tool")).data).toMatchObject({ behavior: "shape", action: "render", status: "started" });
    const { handle } = await status(by.engine.context, wish.run_id);
    expect(Object.values(handle.state.strands).filter(({ entry }) => entry === "jump")).toEqual([]);
  });

  test("stays open as long as the bot is there, also when the action is done again", async () => {
    const by = await opened();
    const wish = await wishFor(by, "small_bot_build_render");
    await by.run({ tool: "workflow_progress", arguments: { run_id: wish.run_id, result: { summary: "1" } } });
    expect((await by.call(close, { answer: "redo" })).data).toMatchObject({ status: "started", action: "gather" });
    await go(by, wish);
    expect((await by.call("small_bot_tool")).data).toMatchObject({ behavior: "build", action: "render" });
  });

  test("is closed when another jump was chosen", async () => {
    const by = await opened();
    const [first, second] = [await wishFor(by, "small_bot_build_render"), await wishFor(by, "small_bot_build_check")];
    await go(by, second);
    expect((await by.call("small_bot_tool")).data).toMatchObject({ behavior: "build", action: "check" });
    await expect(go(by, first)).rejects.toMatchObject({ code: "ENGINE_NO_DECISION" });
    expect((await by.call("small_bot_tool")).data).toMatchObject({ behavior: "build", action: "check" });
  });

  test("does not keep the bot from its end", async () => {
    const by = await opened(["shape"]);
    for (const summary of ["1", "2"]) await by.call(close, { summary });
    await wishFor(by, "small_bot_shape_gather");
    expect((await by.call(close, { summary: "3" })).data).toMatchObject({ completed_action: "check", next: { status: "completed" } });
  });

  test("leaves an independent action beside it alone", async () => {
    const by = await opened();
    await wishFor(by, "small_bot_build_render");
    const beside = await by.call("small_bot_shape_correct");
    const { next_call: next } = beside.data.data;
    await by.run({ ...next, arguments: { ...next.arguments, result: { summary: "Corrected." } } });
    expect((await by.call("small_bot_tool")).data).toMatchObject({
      action: "gather",
      data: { waits_for_person: [{ question: "Leave shape.gather and go to build.render?" }] },
    });
  });
});
