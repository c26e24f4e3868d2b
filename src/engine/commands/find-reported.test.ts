import { afterAll, beforeAll, expect, test } from "vitest";
import type { ComposedEngine } from "../../../test/crash/compose-engine.ts";
import { AlwaysBench } from "../../../test/crash/engine-bench.ts";
import { handOutId } from "../../kernel/index.ts";
import { next } from "./next.ts";
import { progress } from "./progress.ts";
import { readState } from "./state.ts";
import { report } from "./report.ts";
import { start } from "./start.ts";
import type { Caller } from "../caller.ts";
import type { Position } from "./next.ts";

const bench = new AlwaysBench();
let engine: ComposedEngine;
beforeAll(async () => {
  engine = await bench.open();
  await engine.define(
    "find:two",
    "name: find:two\nsteps: [{ id: one, type: user_message, message: x }, { id: two, type: user_message, message: y }]\n",
  );
  await engine.define(
    "find:tasks",
    `
name: find:tasks
steps:
  - { id: all, type: parallel_foreach, items: ["a", "b"], sub_agent_task: each }
  - { id: after, type: user_message, message: x }
sub_agent_tasks: { each: { steps: [{ id: work, type: user_message, message: x }] } }
`,
  );
});
afterAll(() => bench.close());

/** Defines the workflow so that an author's step has the id that one of its hand-outs gets. */
async function named(name: string, body: (step: string) => string, hand: (workflow: string) => Promise<string>) {
  await engine.define(name, `name: ${name}\n${body("other")}`);
  const id = await hand(name);
  await engine.define(name, `name: ${name}\n${body(id)}`);
  return id;
}

const twoMessages = (step: string) =>
  `steps: [{ id: one, type: user_message, message: x }, { id: ${step}, type: user_message, message: y }]\n`;

const besideTasks = (step: string) => `
default_state: { raw: { done: [] } }
steps:
  - { id: all, type: parallel_foreach, items: [{ id: A }, { id: B }], sub_agent_task: each, wait_for_all: false }
  - { id: ${step}, type: mcp_call, mcp: { method: m }, state_update: { path: raw.done, operation: append, value: "main: {{ result }}" } }
sub_agent_tasks:
  each:
    steps:
      - { id: work, type: mcp_call, mcp: { method: m }, state_update: { path: raw.done, operation: append, value: "{{ item.id }}: {{ result }}" } }
`;

const idOf = ({ standing }: Position): string => (standing.kind === "action" ? standing.action.id : standing.kind);

async function opened(workflow: string) {
  const caller = engine.caller();
  const position = await start(engine.context, caller, { workflow });
  const refusal = (request: object) => report(engine.context, caller, { run: position.run, ...request }).catch((error: unknown) => error);
  return { run: position.run, caller, id: idOf(position), refusal };
}

test("a step id that carries the id of its hand-out is about that one, now and when it is said again", async () => {
  const { run, caller, id } = await opened("find:two");
  const said = { run, step: handOutId("one", id) };
  expect(await report(engine.context, caller, said)).toEqual({ recorded: "now", action: id, step: "one" });
  expect(await report(engine.context, caller, said)).toEqual({ recorded: "before", action: id, step: "one" });
  expect(await report(engine.context, caller, { run, action: said.step })).toEqual({ recorded: "before", action: id, step: "one" });
});

test("the id of one step with the name of another is about neither", async () => {
  const { id, refusal } = await opened("find:two");
  expect(await refusal({ step: handOutId("two", id) })).toMatchObject({ code: "ENGINE_WRONG_STEP", details: { open_steps: ["one"] } });
});

test("a step that is not open is refused with the one that is, and the last one is known again", async () => {
  const { run, caller, id, refusal } = await opened("find:two");
  expect(await refusal({ step: "two" })).toMatchObject({
    code: "ENGINE_WRONG_STEP",
    message: `\`two\` is not open in run \`${run}\`; open is \`one\`. Nothing was changed.`,
    details: { open_steps: ["one"], action_id: id },
  });
  const { position } = await progress(engine.context, caller, { run });
  expect(await report(engine.context, caller, { run, step: "one" })).toEqual({ recorded: "before", action: id, step: "one" });
  expect(idOf(await next(engine.context, caller, { run }))).toBe(idOf(position));
});

test("where only what was shown counts, an open step that was not shown has to be asked for", async () => {
  const { run, caller, id } = await opened("find:two");
  const { context } = await bench.open();
  expect(await report(context, caller, { run, shownOnly: true }).catch((error: unknown) => error)).toMatchObject({
    code: "ENGINE_WRONG_STEP",
    message: `\`one\` of run \`${run}\` is open, but it has not been handed out to you. Nothing was changed.`,
  });
  expect(await report(context, caller, { run, shownOnly: true, action: id })).toMatchObject({ recorded: "now" });
});

test("a report when all is done says that nothing is open", async () => {
  const { run, caller, refusal } = await opened("find:two");
  for (let step = 0; step < 2; step += 1) await progress(engine.context, caller, { run });
  expect(await refusal({})).toMatchObject({
    code: "ENGINE_NO_ACTION",
    message: `Nothing is open to report on in run \`${run}\`. Nothing was changed.`,
    details: { status: "completed" },
  });
  expect(await refusal({ step: "three" })).toMatchObject({
    message: `Nothing is open to report on in run \`${run}\` under \`three\`. Nothing was changed.`,
  });
});

test("a step that is open in several tasks has to be named by its own id", async () => {
  const { context } = engine;
  const { run, refusal, caller } = await opened("find:tasks");
  const { state } = await context.runs.open(run);
  const tasks = Object.values(state.strands).flatMap((strand) => strand.task ?? []);
  const ids: string[] = [];
  for (const task of tasks) ids.push(idOf(await next(context, engine.caller(task), { run, task })));
  const names = ids.map((id) => handOutId("all.work", id));
  expect(await refusal({ step: "all.work" })).toMatchObject({
    code: "ENGINE_WRONG_STEP",
    message: `\`all.work\` could be about 2 open steps of run \`${run}\`: ${names.join(", ")}. Nothing was changed.`,
    details: { open_steps: names },
  });
  expect((await next(context, caller, { run, waitMs: 0 })).standing.kind).toBe("action");
});

test("the step that handed out tasks ends with them, and its report after that counts as made", async () => {
  const { context } = engine;
  const { run, caller, id } = await opened("find:tasks");
  const { state } = await context.runs.open(run);
  for (const task of Object.values(state.strands).flatMap((strand) => strand.task ?? [])) {
    const agent = engine.caller(task);
    await next(context, agent, { run, task });
    await progress(context, agent, { run, task });
  }
  expect(await report(context, caller, { run, action: id })).toEqual({ recorded: "before", action: id, step: id });
  expect(await report(context, caller, { run, step: handOutId("all", id) })).toEqual({ recorded: "before", action: id, step: "all" });
});

test("a step that its author calls like the id of an earlier hand-out is reported by that name, and the hand-out by its id", async () => {
  const { context } = engine;
  const id = await named("find:a1", twoMessages, async (workflow) => (await opened(workflow)).id);
  const { run, caller, id: first } = await opened("find:a1");
  expect(first).toBe(id);
  const said = { run, action: id, shownOnly: true };
  await report(context, caller, said);
  await next(context, caller, { run });
  expect(await report(context, caller, said)).toMatchObject({ recorded: "before", action: id });
  expect(await report(context, caller, { run, step: id, shownOnly: true })).toMatchObject({ recorded: "now", step: id });
  expect((await context.runs.open(run)).state.status).toBe("completed");
});

test("a step that its author calls like the id of another open hand-out is meant by that name, also when it is said again", async () => {
  const { context } = engine;
  const ofB = async (run: string, caller: Caller) => idOf(await next(context, caller, { run, task: "B" }));
  const id = await named("find:a2", besideTasks, async (workflow) => {
    const { run, caller } = await opened(workflow);
    return ofB(run, caller);
  });
  const { run, caller } = await opened("find:a2");
  expect(await ofB(run, caller)).toBe(id);
  await next(context, caller, { run });
  const said = { run, step: id, result: "of main", shownOnly: true };
  expect(await report(context, caller, said)).toMatchObject({ recorded: "now", step: id });
  await next(context, caller, { run });
  expect(await report(context, caller, said)).toMatchObject({ recorded: "before", step: id });
  expect((await readState(context, run)).state["done"]).toEqual(["main: of main"]);
  expect(await report(context, caller, { run, action: id, result: "of B", shownOnly: true })).toMatchObject({ recorded: "now" });
  expect((await readState(context, run)).state["done"]).toEqual(["main: of main", "B: of B"]);
});

test("a step inside a task or an included workflow is meant by the author's own part of its id, where one fits", async () => {
  const { context } = engine;
  await engine.define("find:inner", "name: find:inner\nsteps: [{ id: cc, type: user_message, message: x }]\n");
  await engine.define(
    "find:outer",
    `
name: find:outer
steps:
  - { id: child, type: include_workflow, workflow: "find:inner" }
  - { id: cc, type: user_message, message: x }
  - { id: all, type: parallel_foreach, items: ["a", "b"], sub_agent_task: each }
sub_agent_tasks: { each: { steps: [{ id: work, type: user_message, message: x }] } }
`,
  );
  const { run, caller } = await opened("find:outer");
  const say = (request: object) => report(context, caller, { run, shownOnly: true, ...request });
  expect(await say({ step: "cc" })).toMatchObject({ recorded: "now", step: "find:inner/cc" });
  expect(await say({ step: "cc" })).toMatchObject({ recorded: "before", step: "find:inner/cc" });
  await next(context, caller, { run });
  expect(await say({ step: "cc" })).toMatchObject({ recorded: "now", step: "cc" });
  await next(context, caller, { run });
  expect(await say({ step: "cc" })).toMatchObject({ recorded: "before", step: "cc" });
  const tasks = Object.values((await context.runs.open(run)).state.strands).flatMap(({ task }) => task ?? []);
  for (const task of tasks) await next(context, caller, { run, task });
  expect(await say({ step: "work" }).catch((error: unknown) => error)).toMatchObject({ code: "ENGINE_WRONG_STEP" });
  expect(await say({ step: "work", task: tasks[0] })).toMatchObject({ recorded: "now", step: "all.work" });
  expect(await say({ step: "work" })).toMatchObject({ recorded: "now", step: "all.work" });
});

test("the author's own part of an id that is open again, and was not shown, is not taken for the step before", async () => {
  const { context } = engine;
  const { run, caller } = await opened("find:outer");
  await report(context, caller, { run, step: "cc" });
  const { context: other } = await bench.open();
  expect(await report(other, caller, { run, step: "cc", shownOnly: true }).catch((error: unknown) => error)).toMatchObject({
    code: "ENGINE_WRONG_STEP",
    message: `\`cc\` of run \`${run}\` is open, but it has not been handed out to you. Nothing was changed.`,
  });
});

test("a report by an id that was handed out again names what is open in its own task, also without the name of the task", async () => {
  const { run } = await opened("find:tasks");
  const [first, second] = [engine.caller("first"), engine.caller("second")];
  const before = await next(engine.context, first, { run, task: "all.0" });
  const { standing } = await next(engine.context, second, { run, task: "all.0", takeOver: true });
  const refusal = { code: "HOLDER_LOST", message: expect.stringContaining("is held by agent `second`, not by you.") as string };
  const say = (by: Caller) => report(engine.context, by, { run, action: idOf(before) });
  await expect(say(first)).rejects.toMatchObject(refusal);
  await expect(say(second)).rejects.toMatchObject({
    code: "ENGINE_WRONG_STEP",
    details: { open_steps: [expect.stringMatching(/work$/)], action_id: standing.kind === "action" ? standing.action.id : "" },
  });
});
