import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { smallBot } from "../../../../test/support/bot-sample.ts";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";
import { answerBot, openBot } from "./bot-position.ts";
import { callBot } from "./call-bot.ts";
import { closeAction, type CloseRequest } from "./close-action.ts";
import { journal, next } from "../../../engine/index.ts";
import type { ClosedAction } from "./closed-action.ts";

let engine: TestEngine;
beforeEach(async () => {
  engine = await openTestEngine(smallBot());
  await mkdir(join(engine.folder, "area"), { recursive: true });
});
afterEach(() => engine.close());

const open = () => openBot(engine.context, engine.caller, "small_bot", { project_area: "area" });
const person = () => ({ ...engine.caller, holder: { kind: "person" as const, name: "p", session: "p" }, surface: "cli-terminal" });
const close = (request: Partial<CloseRequest> = {}): Promise<ClosedAction> =>
  closeAction(engine.context, engine.caller, { bot: "small_bot", result: { summary: "s" }, person: person(), ...request });

/** Everything but whole positions, which are long. */
const told = ({ position: _position, ...rest }: ClosedAction): unknown => rest;

test("a bot that was never called has nothing to close, and one that does not exist is another mistake", async () => {
  await expect(close()).rejects.toMatchObject({ code: "ENGINE_NO_ACTION", message: expect.stringContaining("was not begun here") });
  await expect(close({ bot: "no_bot" })).rejects.not.toMatchObject({ code: "ENGINE_NO_ACTION" });
});

test("without a project area nothing is closed", async () => {
  const { run } = await openBot(engine.context, engine.caller, "small_bot");
  await expect(close()).rejects.toMatchObject({ code: "ENGINE_NO_AREA", message: expect.stringContaining("has no project area yet") });
  await expect(answerBot(engine.context, engine.caller, { bot: "small_bot", answer: "../out" })).rejects.toMatchObject({
    code: "ENGINE_NO_AREA",
  });
  await expect(answerBot(engine.context, engine.caller, { bot: "small_bot", answer: 7 })).rejects.toMatchObject({ code: "ENGINE_NO_AREA" });
  const position = await answerBot(engine.context, engine.caller, { bot: "small_bot", answer: "./area/" });
  expect(position.run).toBe(run);
  expect(position.standing).toMatchObject({ kind: "action", action: { step: "shape.gather" } });
});

test("an answer to another question than the open one is refused", async () => {
  const { standing } = await openBot(engine.context, engine.caller, "small_bot");
  const decision = standing.kind === "question" ? standing.decision.id : "";
  const say = (which: string) => answerBot(engine.context, engine.caller, { bot: "small_bot", answer: "area", decision: which });
  await expect(say(`${decision}0`)).rejects.toMatchObject({ code: "ENGINE_NO_DECISION" });
  expect((await say(decision)).standing.kind).toBe("action");
  await expect(say(decision)).rejects.toMatchObject({ code: "ENGINE_NO_DECISION" });
});

test("an action is not done without word of what was done", async () => {
  const { standing } = await open();
  await expect(close({ saysNothing: true })).rejects.toMatchObject({
    code: "ENGINE_NO_RESULT",
    details: { action_id: standing.kind === "action" ? standing.action.id : "" },
  });
  expect((await close()).completed).toEqual({ behaviour: "shape", action: "gather" });
});

test("an action is named by its name, its place or the id it was handed out with", async () => {
  const { standing } = await open();
  const id = standing.kind === "action" ? standing.action.id : "";
  expect(told(await close({ action: id }))).toEqual({
    bot: "small_bot",
    completed: { behaviour: "shape", action: "gather" },
    next: "render",
    finished: false,
    repeated: false,
  });
  expect((await close({ action: "shape.render" })).completed.action).toBe("render");
  expect((await close({ action: "check" })).completed.action).toBe("check");
});

test("what was closed before is told again and changes nothing", async () => {
  const { run, standing } = await open();
  const id = standing.kind === "action" ? standing.action.id : "";
  await close();
  const { length } = await journal(engine.context, run, 0, 1_000);
  for (const action of ["gather", "shape.gather", id])
    expect(told(await close({ action })), action).toEqual({
      bot: "small_bot",
      completed: { behaviour: "shape", action: "gather" },
      next: "render",
      finished: false,
      repeated: true,
    });
  expect(await journal(engine.context, run, 0, 1_000)).toHaveLength(length);
});

test("an action that is neither open nor completed is refused with the one that is open", async () => {
  const { run } = await open();
  const { length } = await journal(engine.context, run, 0, 1_000);
  for (const action of ["render", "build.gather", "a999"])
    await expect(close({ action }), action).rejects.toMatchObject({
      code: "ENGINE_NO_ACTION",
      message: `\`${action}\` is not the current action of \`small_bot\`, nor was it completed. Current is \`shape.gather\`. Nothing was changed.`,
    });
  expect(await journal(engine.context, run, 0, 1_000)).toHaveLength(length);
});

test("an action beside the sequence is not one that can be closed again", async () => {
  const { context, caller } = engine;
  const { run } = await open();
  const beside = await callBot(context, caller, { bot: "small_bot", behaviour: "shape", action: "correct" });
  expect(beside.standing).toMatchObject({ kind: "action", action: { step: "shape.correct" } });
  await expect(close({ action: "correct" })).rejects.toMatchObject({ code: "ENGINE_NO_ACTION" });
  expect((await next(context, caller, { run })).standing).toMatchObject({ kind: "action", action: { step: "shape.gather" } });
});

test("the last action of a behaviour names the next one, and the last of all ends the bot", async () => {
  await open();
  for (const action of ["gather", "render"]) await close({ action });
  expect(told(await close({ action: "check" }))).toEqual({
    bot: "small_bot",
    completed: { behaviour: "shape", action: "check" },
    completedBehaviour: "shape",
    nextBehaviour: { behaviour: "build", action: "gather" },
    finished: false,
    repeated: false,
  });
  for (const action of ["build.gather", "build.render"]) await close({ action });
  const last = { bot: "small_bot", completed: { behaviour: "build", action: "check" }, completedBehaviour: "build", finished: true };
  expect(told(await close({ action: "build.check" }))).toEqual({ ...last, repeated: false });
  expect(told(await close())).toEqual({ ...last, repeated: true });
});
