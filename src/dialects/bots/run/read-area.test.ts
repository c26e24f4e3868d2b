import { afterEach, expect, test } from "vitest";
import { smallBot } from "../../../../test/support/bot-sample.ts";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";
import { openBot } from "./bot-position.ts";

let engine: TestEngine;
afterEach(() => engine.close());

const at = "2026-03-02T09:40:00Z";
const done = (...places: string[]) =>
  places.map((place) => {
    const [behavior, action] = place.split(".");
    return { bot: "small_bot", behavior, action, action_state: "completed", timestamp: at };
  });

/** Where the bot begins in a project area that has this state, and what it says about it. */
async function begun(state: object): Promise<{ readonly step: string; readonly problems: unknown; readonly asks: boolean }> {
  engine = await openTestEngine({
    ...smallBot(),
    "area/workflow_state.json": JSON.stringify({ bot: "small_bot", timestamp: at, ...state }),
  });
  const { standing, state: held } = await openBot(engine.context, engine.caller, "small_bot", { project_area: "area" });
  const problems = held.scopes["run"]?.raw["bot_problems"] ?? [];
  if (standing.kind === "question") return { step: standing.decision.step, problems, asks: true };
  return { step: standing.kind === "action" ? standing.action.step : standing.kind, problems, asks: false };
}

test("an action that was started and not completed is asked about", async () => {
  const state = { current_behavior: "shape", current_action: "render", action_state: "started", completed_actions: done("shape.gather") };
  expect(await begun(state)).toEqual({ step: "shape.render", problems: [], asks: true });
});

test("a current action that is completed counts, listed or not, and the next one follows", async () => {
  const state = { current_behavior: "shape", current_action: "render", action_state: "completed" };
  expect(await begun({ ...state, completed_actions: done("shape.gather") })).toEqual({ step: "shape.check", problems: [], asks: false });
  await engine.close();
  expect(await begun({ ...state, completed_actions: done("shape.gather", "shape.render") })).toMatchObject({ step: "shape.check" });
});

test("a behaviour without a current action continues after its last completed one, or begins with its first", async () => {
  const state = { current_behavior: "build", current_action: null, action_state: null };
  expect(await begun({ ...state, completed_actions: done("build.gather") })).toMatchObject({ step: "build.render", asks: false });
  await engine.close();
  expect(await begun({ ...state, completed_actions: [] })).toMatchObject({ step: "build.gather" });
});

test("after a behaviour that is complete comes the first open action behind it", async () => {
  const completed = done("shape.gather", "shape.render", "shape.check", "build.gather");
  const state = { current_behavior: "shape", current_action: "check", action_state: "completed", completed_actions: completed };
  expect(await begun(state)).toMatchObject({ step: "build.render", problems: [] });
});

test("actions that the bot does not have are left out and told", async () => {
  const state = {
    current_behavior: "shape",
    current_action: "paint",
    action_state: "started",
    completed_actions: done("shape.gather", "old.thing"),
  };
  expect(await begun(state)).toEqual({
    step: "shape.render",
    problems: [
      "The state names old.thing, which is not an action of small_bot; it is left out.",
      "The state names shape.paint, which is not an action of small_bot; it is left out.",
    ],
    asks: false,
  });
});

test("a state of another bot, and completed actions of another bot, say nothing about this one", async () => {
  const state = { current_behavior: "shape", current_action: "check", action_state: "started" };
  expect(await begun({ ...state, bot: "other_bot" })).toEqual({ step: "shape.gather", problems: [], asks: false });
  await engine.close();
  const others = done("shape.gather").map((each) => ({ ...each, bot: "other_bot" }));
  expect(await begun({ current_behavior: "shape", current_action: null, completed_actions: others })).toMatchObject({
    step: "shape.gather",
  });
});

test("where everything was completed before, the bot begins again and says so", async () => {
  const all = ["shape", "build"].flatMap((behaviour) => ["gather", "render", "check"].map((action) => `${behaviour}.${action}`));
  const state = { current_behavior: "build", current_action: "check", action_state: "completed", completed_actions: done(...all) };
  expect(await begun(state)).toEqual({
    step: "shape.gather",
    problems: ["Everything was completed before: small_bot begins again, and the log is kept."],
    asks: false,
  });
});
