import { afterAll, beforeAll, expect, test } from "vitest";
import type { ComposedEngine } from "../../../test/crash/compose-engine.ts";
import { AlwaysBench, codeOf } from "../../../test/crash/engine-bench.ts";
import type { Json } from "../../base/index.ts";
import { next } from "./next.ts";
import { progress } from "./progress.ts";
import { readState, updateState } from "./state.ts";
import { report } from "./report.ts";
import { start } from "./start.ts";
import type { Caller } from "../caller.ts";
import type { Position } from "./next.ts";

const bench = new AlwaysBench();
let engine: ComposedEngine;
beforeAll(async () => {
  engine = await bench.open();
  await engine.define(
    "tell:command",
    `
name: tell:command
default_state: { raw: {} }
steps:
  - { id: count, type: agent_shell_command, command: wc, output_format: lines, state_update: { path: raw.lines }, on_error: continue, error_state_update: { path: raw.why, value: "{{ error.message }}" } }
  - { id: after, type: user_message, message: x }
`,
  );
  await engine.define(
    "tell:question",
    `
name: tell:question
default_state: { raw: {} }
steps:
  - { id: ask, type: user_input, prompt: "Which?", state_update: { path: raw.which }, on_error: continue, error_state_update: { path: raw.why, value: "{{ error.message }}" } }
  - { id: after, type: user_message, message: x }
`,
  );
  await engine.define(
    "tell:tasks",
    `
name: tell:tasks
default_state: { raw: {} }
steps:
  - { id: all, type: parallel_foreach, items: ["a", "b"], sub_agent_task: one }
  - { id: after, type: user_message, message: x }
sub_agent_tasks:
  one:
    steps:
      - { id: first, type: user_message, message: x }
      - { id: second, type: user_message, message: y }
`,
  );
});
afterAll(() => bench.close());

interface Open {
  readonly run: string;
  readonly caller: Caller;
  readonly id: string;
  readonly value: (name: string) => Promise<Json | undefined>;
}

const idOf = ({ standing }: Position): string =>
  standing.kind === "action" ? standing.action.id : standing.kind === "question" ? standing.decision.id : standing.kind;
const stepOf = ({ standing }: Position): string =>
  standing.kind === "action" ? standing.action.step : standing.kind === "question" ? standing.decision.step : standing.kind;

async function opened(workflow: string): Promise<Open> {
  const caller = engine.caller();
  const position = await start(engine.context, caller, { workflow });
  const { run } = position;
  return { run, caller, id: idOf(position), value: async (name) => (await readState(engine.context, run)).state[name] };
}

test("what a command printed is read in the format of its step; a value stays as it is", async () => {
  const { context } = engine;
  const text = await opened("tell:command");
  expect(await report(context, text.caller, { run: text.run, result: "a\nb\n" })).toEqual({
    recorded: "now",
    action: text.id,
    step: "count",
  });
  expect(await text.value("lines")).toEqual(["a", "b"]);
  const value = await opened("tell:command");
  await report(context, value.caller, { run: value.run, result: 7 });
  expect(await value.value("lines")).toBe(7);
});

test("a step that stores its result is not done without one, and one that was written counts", async () => {
  const { context } = engine;
  const { run, caller, id, value } = await opened("tell:command");
  const refusal = await report(context, caller, { run, status: "success" }).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: "ENGINE_NO_RESULT", details: { action_id: id } });
  expect(stepOf(await next(context, caller, { run }))).toBe("count");
  await updateState(context, caller, { run, updates: [{ path: "raw.lines", value: "c\nd" }] });
  expect(await report(context, caller, { run, status: "success" })).toMatchObject({ recorded: "now", step: "count" });
  expect(await value("lines")).toBe("c\nd");
});

test("a failure has the words of the reporter, or says which step failed", async () => {
  const { context } = engine;
  for (const [said, told] of [
    [{ error: "no such file" }, "no such file"],
    [{ result: "it broke" }, "it broke"],
    [{ result: { a: 1 } }, "`count` was reported as failed."],
    [{}, "`count` was reported as failed."],
  ] as const) {
    const { run, caller, value } = await opened("tell:command");
    await report(context, caller, { run, status: "failed", ...said });
    expect(await value("why")).toBe(told);
    expect(await value("lines")).toBeUndefined();
  }
});

test("an answer is carried as it is, inside an object, or as it was written before; nothing does not answer", async () => {
  const { context } = engine;
  for (const result of ["left", { answer: "left" }]) {
    const { run, caller, id, value } = await opened("tell:question");
    expect(await report(context, caller, { run, result })).toEqual({ recorded: "now", action: id, step: "ask" });
    expect(await value("which")).toBe("left");
  }
  const { run, caller, id, value } = await opened("tell:question");
  const refusal = await report(context, caller, { run }).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: "ENGINE_BAD_VALUE", details: { action_id: id } });
  await updateState(context, caller, { run, updates: [{ path: "raw.which", value: "right" }] });
  await report(context, caller, { run });
  expect(await value("which")).toBe("right");
});

test("a question that is reported as failed is declined with the reason", async () => {
  const { context } = engine;
  for (const said of [{ error: "nobody is here" }, { result: "nobody is here" }]) {
    const { run, caller, value } = await opened("tell:question");
    await report(context, caller, { run, status: "failed", ...said });
    expect(await value("why")).toContain("nobody is here");
    expect(await value("which")).toBeUndefined();
  }
});

test("a step that must wait is handed out again at its time, and not before", async () => {
  const { context } = engine;
  const { run, caller } = await opened("tell:command");
  const until = (await context.store.now()) + 3_600_000;
  await report(context, caller, { run, blockedUntil: until, error: "too many requests" });
  const { state, standing } = await next(context, caller, { run, waitMs: 0 });
  expect(standing.kind).not.toBe("action");
  expect(JSON.stringify(state.strands)).toContain(String(until));
});

test("the same report again says that it was recorded before, and where its reporter stands", async () => {
  const { context } = engine;
  const { run, caller, id } = await opened("tell:command");
  expect((await progress(context, caller, { run, action: id, result: "a" })).reported.recorded).toBe("now");
  const again = await progress(context, caller, { run, action: id, result: "a" });
  expect(again.reported).toMatchObject({ recorded: "before", action: id });
  expect(stepOf(again.position)).toBe("after");
});

test("a sub-agent that says again what it reported stands in its own task, or at the task's end", async () => {
  const { context } = engine;
  const { run } = await opened("tell:tasks");
  const handle = await context.runs.open(run);
  const [task = ""] = Object.values(handle.state.strands).flatMap((strand) => strand.task ?? []);
  const agent = engine.caller("sub");
  const first = idOf(await next(context, agent, { run, task }));
  const after = await progress(context, agent, { run, task, action: first });
  expect(stepOf(after.position)).toBe("all.second");
  const repeated = await progress(context, agent, { run, action: first });
  expect(repeated.reported.recorded).toBe("before");
  expect(repeated.position.strand).toBe(after.position.strand);
  expect(stepOf(repeated.position)).toBe("all.second");
  const second = idOf(repeated.position);
  const ended = await progress(context, agent, { run, task, action: second });
  expect(ended.position.standing).toEqual({ kind: "task_ended", task, status: "completed" });
  const late = await progress(context, agent, { run, action: second });
  expect(late.reported.recorded).toBe("before");
  expect(late.position.standing).toEqual({ kind: "task_ended", task, status: "completed" });
});

test("a task is named as it was handed out; another name is refused with those that are open", async () => {
  const { context } = engine;
  const { run, caller } = await opened("tell:tasks");
  const handle = await context.runs.open(run);
  const tasks = Object.values(handle.state.strands).flatMap((strand) => strand.task ?? []);
  expect(tasks).toHaveLength(2);
  const refusal = await next(context, caller, { run, task: `${tasks[0]!}x` }).catch((error: unknown) => error);
  expect(refusal).toMatchObject({
    code: "ENGINE_NO_TASK",
    message: `Run \`${run}\` has no task \`${tasks[0]!}x\`. Did you mean \`${tasks[0]!}\`? Open tasks: ${tasks.join(", ")}.`,
  });
  expect(await codeOf(report(context, caller, { run, task: "nothing alike", step: "first" }))).toBe("ENGINE_NO_TASK");
});
