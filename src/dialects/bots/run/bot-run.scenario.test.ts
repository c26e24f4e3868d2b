import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { answer, next, progress, report, type Caller, type Position } from "../../../engine/index.ts";
import { callBot } from "./call-bot.ts";
import { closeAction } from "./close-action.ts";
import { currentPlace } from "../views/index.ts";
import { openBot } from "./bot-position.ts";
import { smallBot } from "../../../../test/support/bot-sample.ts";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";

let engine: TestEngine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

async function open(files = smallBot()): Promise<TestEngine> {
  engine = await openTestEngine(files);
  await mkdir(join(engine.folder, "area"), { recursive: true });
  return engine;
}

const person = (caller: Caller): Caller => ({ ...caller, holder: { kind: "person", name: "p", session: "p" }, surface: "cli-terminal" });
const state = async ({ folder }: TestEngine) =>
  JSON.parse(await readFile(join(folder, "area/workflow_state.json"), "utf8")) as Record<string, unknown>;
const log = async ({ folder }: TestEngine) =>
  JSON.parse(await readFile(join(folder, "area/activity_log.json"), "utf8")) as Record<string, unknown>[];
const stepOf = ({ standing }: Position): string =>
  standing.kind === "action" ? standing.action.step : standing.kind === "question" ? `? ${standing.decision.step}` : standing.kind;

test("nothing is written before a project area is chosen; then the first action is started and both files say so", async () => {
  const bot = await open();
  const { context, caller } = bot;
  const position = await openBot(context, caller, "small_bot");
  expect(stepOf(position)).toBe("? project_area");
  await expect(readFile(join(bot.folder, "area/workflow_state.json"))).rejects.toThrow("ENOENT");
  const { position: after } = await progress(context, caller, { run: position.run, result: "area" });
  expect(stepOf(after)).toBe("shape.gather");
  expect(await state(bot)).toMatchObject({
    bot: "small_bot",
    current_behavior: "shape",
    current_action: "gather",
    action_state: "started",
    completed_actions: [],
  });
  expect(await log(bot)).toMatchObject([
    { behavior: "shape", action: "gather", action_state: "started", inputs: {}, outputs: {}, duration: null },
  ]);
});

test("an action is completed after its report and a person's word; one that goes on by itself needs none", async () => {
  const bot = await open();
  const { context, caller } = bot;
  const { run } = await openBot(context, caller, "small_bot", { project_area: "area" });
  await report(context, caller, { run, result: { summary: "Asked.", inputs: { who: "team" } } });
  const asked = await next(context, caller, { run });
  expect(stepOf(asked)).toBe("? shape.gather");
  expect(await state(bot)).toMatchObject({ action_state: "started" });
  const closed = await closeAction(context, caller, { bot: "small_bot", person: person(caller) });
  expect(closed).toMatchObject({ completed: { behaviour: "shape", action: "gather" }, next: "render", finished: false });
  expect(stepOf(closed.position)).toBe("shape.render");
  expect(await state(bot)).toMatchObject({
    current_action: "render",
    action_state: "started",
    completed_actions: [{ behavior: "shape", action: "gather", action_state: "completed" }],
  });
  await report(context, caller, {
    run,
    result: {
      content: [
        { path: "out/story.md", text: "# Story\n" },
        { path: "../x.md", text: "no" },
      ],
    },
  });
  expect(stepOf(await next(context, caller, { run }))).toBe("shape.check");
  expect(await readFile(join(bot.folder, "area/out/story.md"), "utf8")).toBe("# Story\n");
  const entries = await log(bot);
  expect(entries.map(({ action, action_state: of }) => `${String(action)} ${String(of)}`)).toEqual([
    "gather started",
    "gather completed",
    "render started",
    "render completed",
    "check started",
  ]);
  expect(entries[1]).toMatchObject({ inputs: { who: "team" }, duration: expect.any(Number) as number });
  expect(entries[3]).toMatchObject({ outputs: { files: ["area/out/story.md"] } });
  const last = await closeAction(context, caller, { bot: "small_bot", person: person(caller) });
  expect(last).toMatchObject({ completedBehaviour: "shape", nextBehaviour: { behaviour: "build", action: "gather" } });
  expect(stepOf(last.position)).toBe("build.gather");
});

test("going elsewhere is a person's decision; what is passed over is skipped, and going back opens it again", async () => {
  const bot = await open();
  const { context, caller } = bot;
  const { run } = await openBot(context, caller, "small_bot", { project_area: "area" });
  const asked = await callBot(context, caller, { bot: "small_bot", behaviour: "build", action: "render" });
  expect(asked.standing).toMatchObject({ kind: "question", decision: { answerBy: "person" } });
  expect(stepOf(await callBot(context, caller, { bot: "small_bot" }))).toBe("shape.gather");
  const decision = asked.standing.kind === "question" ? asked.standing.decision.id : "";
  await expect(answer(context, caller, { run, decision, answer: "go", relayed: true })).rejects.toMatchObject({
    code: "DECISION_FOR_PERSON",
  });
  await answer(context, person(caller), { run, decision, answer: "go", relayed: false });
  expect(stepOf(await next(context, caller, { run }))).toBe("build.render");
  expect(await state(bot)).toMatchObject({
    current_behavior: "build",
    out_of_order_confirmations: { build: { confirmed_by: "human", original_behavior: "shape" } },
  });
  const back = await callBot(context, caller, { bot: "small_bot", behaviour: "shape", action: "gather" });
  await answer(context, person(caller), {
    run,
    decision: back.standing.kind === "question" ? back.standing.decision.id : "",
    answer: "go",
    relayed: false,
  });
  expect(stepOf(await next(context, caller, { run }))).toBe("shape.gather");
});

test("an independent action runs beside and changes no place", async () => {
  const bot = await open();
  const { context, caller } = bot;
  const { run } = await openBot(context, caller, "small_bot", { project_area: "area" });
  const beside = await callBot(context, caller, { bot: "small_bot", behaviour: "shape", action: "correct", parameters: { what: "tone" } });
  expect(stepOf(beside)).toBe("shape.correct");
  const { position } = await progress(context, caller, { run, task: beside.strand, result: { summary: "Corrected." } });
  expect(stepOf(position)).toBe("shape.gather");
  const handle = await context.runs.open(run);
  expect(currentPlace(handle)).toEqual({ behaviour: "shape", action: "gather" });
  expect(await state(bot)).toMatchObject({ current_action: "gather", action_state: "started" });
  expect((await log(bot)).map(({ action, action_state: of }) => `${String(action)} ${String(of)}`)).toEqual([
    "gather started",
    "correct started",
    "correct completed",
  ]);
});

test("an action whose holder was lost asks whether to retry or continue; the same holder gets it again", async () => {
  const bot = await open();
  const { context, caller } = bot;
  const { run } = await openBot(context, caller, "small_bot", { project_area: "area" });
  expect(stepOf(await callBot(context, caller, { bot: "small_bot" }))).toBe("shape.gather");
  const other: Caller = { ...caller, holder: { ...caller.holder, session: "later" }, leaseOwner: "later" };
  const taken = await next(context, other, { run, takeOver: true });
  expect(taken.standing).toMatchObject({ kind: "question", decision: { kind: "lost" } });
  await expect(closeAction(context, other, { bot: "small_bot", person: person(other) })).rejects.toMatchObject({
    code: "ENGINE_NEEDS_ANSWER",
  });
  const { position } = await progress(context, other, { run, result: "retry" });
  expect(stepOf(position)).toBe("shape.gather");
});

test("what a project brings along is taken over, and a broken file is kept and told", async () => {
  const bot = await open();
  const { context, caller, folder } = bot;
  await writeFile(
    join(folder, "area/workflow_state.json"),
    JSON.stringify({
      current_behavior: "small_bot.shape",
      current_action: "small_bot.shape.render",
      completed_actions: [{ action_state: "small_bot.shape.gather", timestamp: "2026-03-02T09:40:00Z" }],
      mine: 7,
    }),
  );
  await writeFile(join(folder, "area/activity_log.json"), "{ not json");
  const position = await openBot(context, caller, "small_bot", { project_area: "area" });
  expect(stepOf(position)).toBe("? shape.render");
  expect(position.standing).toMatchObject({ kind: "question", decision: { kind: "lost" } });
  expect(position.state.scopes["run"]?.raw).toMatchObject({
    bot_interrupted: "shape.render",
    bot_problems: [expect.stringContaining(".broken-")],
  });
  expect(await state(bot)).toMatchObject({ mine: 7, current_action: "render" });
});
