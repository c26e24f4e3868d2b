import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { smallBot } from "../../../../test/support/bot-sample.ts";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";
import type { JsonObject } from "../../../base/index.ts";
import { chosenArea } from "./project-area.ts";
import { answer, next, report } from "../../../engine/index.ts";
import { openBot } from "./bot-position.ts";

let engine: TestEngine;
let run: string;
const chooser = { name: "initialize_project", workflow: true, order: 0, next_action: "gather" };
beforeEach(async () => {
  engine = await openTestEngine(smallBot({ "base_actions/initialize_project/action_config.json": JSON.stringify(chooser) }));
  for (const area of ["area", "other"]) await mkdir(join(engine.folder, area), { recursive: true });
  ({ run } = await openBot(engine.context, engine.caller, "small_bot"));
});
afterEach(() => engine.close());

/** Reports the open action, and says what a person is asked about it. */
async function asked(result: JsonObject): Promise<{ readonly question: string; readonly say: (word: string) => Promise<unknown> }> {
  const { context, caller } = engine;
  await report(context, caller, { run, result });
  const { standing } = await next(context, caller, { run });
  if (standing.kind !== "question") throw new Error(`${standing.kind} is not a question`);
  const person = { ...caller, holder: { kind: "person" as const, name: "p", session: "p" }, surface: "cli-terminal" };
  const say = async (word: string) => {
    await answer(context, person, { run, decision: standing.decision.id, answer: word, relayed: false });
    return next(context, caller, { run });
  };
  return { question: standing.decision.question, say };
}

test("the action that is there for it chooses the project area, and the question names it", async () => {
  const { question } = await asked({ summary: "Chosen.", project_area: "area", content: { "a.md": "a" } });
  expect(question).toBe("shape.initialize_project: Chosen. The project area is area. Written: area/a.md. Is it done?");
});

test("without a project area, or with one that cannot be, the question says what to do", async () => {
  const missing = "No project area was named (project_area), so nothing can be kept: answer `redo` to choose one.";
  const { question, say } = await asked({ summary: "Done." });
  expect(question).toBe(`shape.initialize_project: Done. ${missing} Is it done?`);
  await say("redo");
  const refusal = chosenArea(engine.folder, "../x");
  const told = "refused" in refusal ? refusal.refused : "";
  expect(told).toContain("`../x`");
  expect((await asked({ project_area: "../x" })).question).toBe(
    `shape.initialize_project: the work was reported. Not done: ${told} ${missing} Is it done?`,
  );
});

test("an action that is not there for it leaves the project area as it is", async () => {
  const { say } = await asked({ summary: "Chosen.", project_area: "area" });
  await say("done");
  expect((await asked({ summary: "Gathered.", project_area: "other" })).question).toBe("shape.gather: Gathered. Is it done?");
});
