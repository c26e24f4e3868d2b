/** Bots and workflows of steps in one run, with one journal. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { answer, doctor, journal, next, progress, start, type Caller, type Position } from "../../src/engine/index.ts";
import { smallBot } from "../support/bot-sample.ts";
import { handedOut } from "../support/handed-out.ts";
import { openPlacedBot, shapeBot, type SeedBot } from "../support/seed-003-bench.ts";
import { openTestEngine, type TestEngine } from "../support/test-engine.ts";

let engine: TestEngine | undefined;
let bot: SeedBot | undefined;
afterEach(async () => {
  await bot?.close();
  await engine?.close();
  engine = bot = undefined;
});

const review = `name: review
description: For a test.
version: "1.0.0"
inputs: { what: { type: string, required: true } }
default_state: { raw: { seen: "" } }
steps:
  - { id: look, type: agent_shell_command, command: "cat {{ inputs.what }}", output_format: text, state_update: { path: raw.seen } }
  - { id: tell, type: user_message, message: "Seen: {{ seen }}" }
`;

test("an action that calls a workflow runs its steps in the same run, and is recorded like any other", async () => {
  const path = "base_actions/4_build_knowledge/action_config.json";
  const files = shapeBot({
    [path]: JSON.stringify({
      name: "build_knowledge",
      workflow: true,
      order: 4,
      next_action: "render_output",
      auto_progress: true,
      calls: "review",
      inputs: { what: "notes.md" },
    }),
  });
  bot = await openPlacedBot({ files: { ...files, ".waymark/workflows/review.yaml": review } });
  const closing = "story_bot_close_current_action";
  await bot.call(closing, { summary: "Asked." });
  const inside = await bot.call(closing, { summary: "Decided." });
  expect(inside.data).toMatchObject({ completed_action: "decide_planning_criteria", next_action: "build_knowledge" });
  expect(inside.data.next).toMatchObject({
    status: "running",
    action: "build_knowledge",
    data: { step: { id: handedOut("look"), definition: { command: "cat notes.md" } } },
  });
  expect(await bot.state()).toMatchObject({ current_action: "build_knowledge", action_state: "started" });
  const { run_id, action_id } = inside.data.next.data as Record<string, string>;
  const told = await bot.run({ tool: "workflow_progress", arguments: { run_id, action_id, result: "fine" } });
  expect(told.data).toMatchObject({ step: { id: handedOut("tell"), definition: { message: "Seen: fine" } } });
  const after = await bot.run({ tool: "workflow_progress", arguments: { run_id, action_id: told.data.action_id } });
  expect(after.data).toMatchObject({ step: { id: handedOut("shape.render_output") } });
  expect(await bot.events()).toEqual(
    expect.arrayContaining(["build_knowledge started", "build_knowledge completed", "render_output started"]),
  );
  expect((await bot.log()).find((entry) => entry.action === "build_knowledge" && entry.action_state === "completed")).toMatchObject({
    outputs: { workflow: "review" },
  });
  expect(await bot.engine.context.store.listRuns({})).toHaveLength(1);
  expect((await doctor(bot.engine.context, run_id ?? "")).problems).toEqual([]);
});

const outer = `name: outer
description: For a test.
version: "1.0.0"
default_state: { raw: { before: "" } }
steps:
  - { id: prepare, type: agent_shell_command, command: "ls", output_format: text, state_update: { path: raw.before } }
  - { id: shape_it, type: include_workflow, workflow: small_bot, inputs: { project_area: "area" } }
  - { id: after, type: user_message, message: "Prepared: {{ before }}" }
`;
const person = (caller: Caller): Caller => ({ ...caller, holder: { kind: "person", name: "p", session: "p" }, surface: "cli-terminal" });

test("a workflow that includes a bot walks through it and goes on, with one journal", async () => {
  engine = await openTestEngine({ ...smallBot(), ".waymark/workflows/outer.yaml": outer });
  const { context, caller, folder } = engine;
  let position: Position = await start(context, caller, { workflow: "outer" });
  const { run } = position;
  const seen: string[] = [];
  while (position.state.status === "running" && seen.length < 40) {
    const { standing } = position;
    if (standing.kind === "action") {
      seen.push(standing.action.step);
      ({ position } = await progress(context, caller, {
        run,
        action: standing.action.id,
        result: standing.action.what === "bot_action" ? { summary: "Done." } : "x",
      }));
    } else if (standing.kind === "question") {
      seen.push(`? ${standing.decision.step}`);
      await answer(context, person(caller), { run, decision: standing.decision.id, answer: "done", relayed: false });
      position = await next(context, caller, { run });
    } else break;
  }
  const one = (behaviour: string): string[] => [
    `${behaviour}.gather`,
    `? ${behaviour}.gather`,
    `${behaviour}.render`,
    `${behaviour}.check`,
    `? ${behaviour}.check`,
  ];
  expect(seen).toEqual(["prepare", ...one("shape"), ...one("build"), "after"]);
  expect(position.state.status).toBe("completed");
  const log = JSON.parse(await readFile(join(folder, "area/activity_log.json"), "utf8")) as { action: string }[];
  expect(log).toHaveLength(12);
  expect(JSON.parse(await readFile(join(folder, "area/workflow_state.json"), "utf8"))).toMatchObject({
    bot: "small_bot",
    current_behavior: "build",
    action_state: "completed",
  });
  expect(await context.store.listRuns({})).toHaveLength(1);
  expect((await journal(context, run, 0, 10_000)).length).toBeGreaterThan(0);
  expect((await doctor(context, run)).problems).toEqual([]);
});
