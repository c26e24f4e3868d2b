import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { smallBot } from "../../../../test/support/bot-sample.ts";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";
import { answer, journal, progress, type Caller, type Position } from "../../../engine/index.ts";
import { callBot, type BotCall } from "./call-bot.ts";
import { closeAction } from "./close-action.ts";

let engine: TestEngine;
beforeEach(async () => {
  engine = await openTestEngine(smallBot());
  for (const area of ["area", "other"]) await mkdir(join(engine.folder, area), { recursive: true });
});
afterEach(() => engine.close());

const call = (wish: Omit<BotCall, "bot"> = {}): Promise<Position> => callBot(engine.context, engine.caller, { bot: "small_bot", ...wish });
const inArea = { parameters: { project_area: "area" } };
const person = (): Caller => ({ ...engine.caller, holder: { kind: "person", name: "p", session: "p" }, surface: "cli-terminal" });
const close = () => closeAction(engine.context, engine.caller, { bot: "small_bot", result: { summary: "s" }, person: person() });
const stepOf = ({ standing }: Position): string =>
  standing.kind === "action" ? standing.action.step : standing.kind === "question" ? `? ${standing.decision.question}` : standing.kind;

test("the first call asks for the project area, or takes it along", async () => {
  const asked = await call();
  expect(asked.standing).toMatchObject({ kind: "question", decision: { step: "project_area" } });
  const begun = await call(inArea);
  expect(begun.run).toBe(asked.run);
  expect(stepOf(begun)).toBe("shape.gather");
});

test("the project area is chosen once: the same again asks for nothing, another one is refused", async () => {
  const { run } = await call(inArea);
  expect(stepOf(await call({ parameters: { project_area: "./area/" } }))).toBe("shape.gather");
  const { length } = await journal(engine.context, run, 0, 1_000);
  await expect(call({ parameters: { project_area: "other" } })).rejects.toMatchObject({
    code: "ENGINE_NO_AREA",
    message: "The project area of `small_bot` is `area`, so it cannot be `other`. Nothing was changed.",
  });
  await expect(call({ parameters: { project_area: "../out" } })).rejects.toMatchObject({ code: "ENGINE_NO_AREA" });
  expect(await journal(engine.context, run, 0, 1_000)).toHaveLength(length);
});

test("a place that does not exist is refused with those that do, and with the one that was perhaps meant", async () => {
  await call(inArea);
  await expect(call({ behaviour: "biuld" })).rejects.toMatchObject({
    code: "ENGINE_NO_BOT_PLACE",
    message: "`small_bot` has no behaviour `biuld`. Did you mean `build`?",
    fix: "Use one of: shape, build.",
  });
  await expect(call({ action: "zzzzzzzz" })).rejects.toMatchObject({
    code: "ENGINE_NO_BOT_PLACE",
    message: "`small_bot` has no action `zzzzzzzz`.",
    fix: "Use one of: gather, render, check, correct.",
  });
  await expect(call({ behaviour: "nowhere", sentence: "go on" })).rejects.toMatchObject({ code: "ENGINE_NO_BOT_PLACE" });
});

test("the current place by its name does not jump, and another one is asked once however often it is wished for", async () => {
  const { run } = await call(inArea);
  for (const wish of [{ behaviour: "shape" }, { action: "gather" }, { behaviour: "shape", action: "gather" }])
    expect(stepOf(await call(wish))).toBe("shape.gather");
  const asked = await call({ action: "check" });
  expect(stepOf(asked)).toBe("? Leave shape.gather and go to shape.check?");
  const { length } = await journal(engine.context, run, 0, 1_000);
  expect((await call({ action: "check" })).standing).toEqual(asked.standing);
  expect(await journal(engine.context, run, 0, 1_000)).toHaveLength(length);
});

test("a behaviour is entered at the action after its last completed one", async () => {
  const { run } = await call(inArea);
  expect(stepOf(await call({ behaviour: "build" }))).toBe("? Leave shape.gather and go to build.gather?");
  await close();
  const away = await call({ behaviour: "build" });
  expect(stepOf(away)).toBe("? Leave shape.render and go to build.gather?");
  const decision = away.standing.kind === "question" ? away.standing.decision.id : "";
  await answer(engine.context, person(), { run, decision, answer: "go", relayed: false });
  expect(stepOf(await call())).toBe("build.gather");
  expect(stepOf(await call({ behaviour: "shape" }))).toBe("? Leave build.gather and go to shape.render?");
});

test("an action beside the sequence has one strand while it is open, and one of its own when it is called again", async () => {
  const { context, caller } = engine;
  const { run } = await call(inArea);
  const beside = await call({ action: "correct", parameters: { what: "tone" } });
  expect(stepOf(beside)).toBe("shape.correct");
  expect(beside.standing).toMatchObject({ action: { args: { item: { parameters: { what: "tone" } } } } });
  expect((await call({ action: "correct" })).strand).toBe(beside.strand);
  await progress(context, caller, { run, task: beside.strand, result: { summary: "Corrected." } });
  const again = await call({ action: "correct" });
  expect([stepOf(again), again.strand === beside.strand]).toEqual(["shape.correct", false]);
});

test("a bot that is complete stays so until a place is named; an action beside it is refused", async () => {
  const { run } = await call(inArea);
  for (let action = 0; action < 6; action += 1) await close();
  const over = await call();
  expect([over.run, over.state.status]).toEqual([run, "completed"]);
  await expect(call({ action: "correct" })).rejects.toMatchObject({
    code: "ENGINE_NO_ACTION",
    message: "`small_bot` is complete, so `correct` has nothing to run beside. Nothing was changed.",
    fix: expect.stringContaining("waymark bot small_bot shape"),
  });
  const again = await call({ behaviour: "shape", ...inArea });
  expect(again.run).not.toBe(run);
  expect(again.state.status).toBe("running");
});
