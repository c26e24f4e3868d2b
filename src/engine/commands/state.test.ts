import { afterAll, beforeAll, expect, test } from "vitest";
import type { ComposedEngine } from "../../../test/crash/compose-engine.ts";
import { AlwaysBench, codeOf } from "../../../test/crash/engine-bench.ts";
import { dependencies, readState, updateState, type StateUpdate } from "./state.ts";
import { next } from "./next.ts";
import { progress } from "./progress.ts";
import { start } from "./start.ts";
import type { Caller } from "../caller.ts";

const bench = new AlwaysBench();
let engine: ComposedEngine;
beforeAll(async () => {
  engine = await bench.open();
  await engine.define(
    "state:sum",
    `
name: state:sum
default_state: { raw: { count: 3, list: [], map: { a: 1 }, free: 1 } }
state_schema:
  computed:
    rest: { from: raw.count, transform: "if (input > 10) throw new Error('too many'); return 10 - input;", on_error: propagate }
    half: { from: computed.rest, transform: "input / 2" }
    other: { from: raw.free, transform: "input + 1" }
steps:
  - { id: a, type: user_message, message: x }
  - { id: b, type: state_update, path: raw.count, value: "{{ free * 11 }}", on_error: continue, error_state_update: { path: raw.why, value: "{{ error.type }}" } }
  - { id: c, type: user_message, message: "{{ count }}" }
`,
  );
  await engine.define(
    "state:tasks",
    `
name: state:tasks
default_state: { raw: { n: 0 } }
steps: [{ id: all, type: parallel_foreach, items: [{ id: A }, { id: B }], sub_agent_task: each }]
sub_agent_tasks: { each: { steps: [{ id: work, type: user_message, message: x }] } }
`,
  );
});
afterAll(() => bench.close());

async function started() {
  const caller = engine.caller();
  const { run } = await start(engine.context, caller, { workflow: "state:sum" });
  const write = (updates: readonly StateUpdate[], more: object = {}) => updateState(engine.context, caller, { run, updates, ...more });
  const value = async (name: string) => (await readState(engine.context, run)).state[name];
  return { run, caller, write, value };
}

test("each operation does what its name says, and counts by one when no value is given", async () => {
  const { write, value } = await started();
  for (const [operation, result] of [
    ["increment", 4],
    ["decrement", 3],
    ["multiply", 3],
  ] as const) {
    await write([{ path: "raw.count", operation }]);
    expect(await value("count"), operation).toBe(result);
  }
  await write([{ path: "raw.count", operation: "multiply", value: 2 }]);
  await write([
    { path: "raw.list", operation: "append", value: "x" },
    { path: "raw.map", operation: "merge", value: { b: 2 } },
    { path: "raw.free" },
  ]);
  expect([await value("count"), await value("list"), await value("map"), await value("free")]).toEqual([6, ["x"], { a: 1, b: 2 }, null]);
});

test("a write answers the computed fields that changed by it, and a version that has grown", async () => {
  const { run, write } = await started();
  const { version } = await readState(engine.context, run);
  const told = await write([{ path: "raw.count", value: 4 }]);
  expect(told).toEqual({ version: version + 1, changed: { rest: 6, half: 3 }, recorded: "now" });
  expect((await readState(engine.context, run)).version).toBe(version + 1);
});

test("a write with a key counts once", async () => {
  const { write, value } = await started();
  const once = [{ path: "raw.count", operation: "increment" }] as const;
  expect(await write(once, { key: "k" })).toMatchObject({ recorded: "now" });
  expect(await write(once, { key: "k" })).toMatchObject({ recorded: "before", changed: {} });
  expect(await value("count")).toBe(4);
});

test("a key counts for its task and its updates, not for who says it: what is said with it elsewhere is not lost", async () => {
  const { context } = engine;
  const caller = engine.caller();
  const { run } = await start(context, caller, { workflow: "state:tasks" });
  const agents = ["A", "B"].map((task) => ({ task, caller: engine.caller(task) }));
  const write = (by: Caller, request: object) =>
    updateState(context, by, { run, key: "1", updates: [{ path: "raw.n", operation: "increment" }], ...request });
  const said: string[] = [];
  for (const { task, caller: agent } of agents) {
    await next(context, agent, { run, task });
    said.push((await write(agent, { task })).recorded, (await write(agent, { task })).recorded);
  }
  expect(said).toEqual(["now", "before", "now", "before"]);
  expect((await write(caller, { task: "A" })).recorded).toBe("before");
  expect((await write(caller, { task: "A", updates: [{ path: "raw.n", operation: "increment", value: 5 }] })).recorded).toBe("now");
  expect((await write(caller, {})).recorded).toBe("now");
  await progress(context, agents[0]!.caller, { run, task: "A" });
  expect((await write(caller, { task: "A" })).recorded).toBe("before");
  expect((await readState(context, run)).state["n"]).toBe(8);
});

test("a write that expects another version is refused", async () => {
  const { run, write, value } = await started();
  const { version } = await readState(engine.context, run);
  expect(await codeOf(write([{ path: "raw.count", value: 4 }], { expectedVersion: version + 1 }))).not.toBe("ok");
  expect(await value("count")).toBe(3);
  expect(await write([{ path: "raw.count", value: 4 }], { expectedVersion: version })).toMatchObject({ recorded: "now" });
});

test("a write after which a field that must not fail would fail is refused whole", async () => {
  const { write, value } = await started();
  const refusal = await write([
    { path: "raw.free", value: 7 },
    { path: "raw.count", value: 11 },
  ]).catch((error: unknown) => error);
  expect(refusal).toMatchObject({
    code: "COMPUTED_REFUSED",
    message: expect.stringMatching(/^The computed field `rest` refuses this: .*too many/),
  });
  expect([await value("count"), await value("free")]).toEqual([3, 1]);
  expect(await codeOf(write([{ path: "raw.count", value: 10 }]))).toBe("ok");
});

test("a step whose write such a field refuses has failed, and its value is not written", async () => {
  const { run, caller, value } = await started();
  await progress(engine.context, caller, { run });
  const { standing } = await next(engine.context, caller, { run });
  expect(standing).toMatchObject({ kind: "action", action: { step: "c", args: { message: "3" } } });
  expect(await value("why")).toBe("COMPUTED_REFUSED");
});

test("a wrong path, place or operation is refused, and nothing is written", async () => {
  const { run, write } = await started();
  const { version } = await readState(engine.context, run);
  const good = { path: "raw.count", value: 5 };
  expect(await codeOf(write([good, { path: "raw..x", value: 1 }]))).toBe("ENGINE_BAD_PATH");
  expect(await codeOf(write([good, { path: "computed.rest", value: 1 }]))).toBe("ENGINE_BAD_PATH");
  expect(await codeOf(write([good, { path: "raw.count", operation: "shift" as "set" }]))).toBe("ENGINE_BAD_VALUE");
  expect((await readState(engine.context, run)).version).toBe(version);
});

test("paths can be read alone", async () => {
  const { run } = await started();
  expect((await readState(engine.context, run, ["raw.count", "computed.half"])).state).toEqual({ "raw.count": 3, "computed.half": 3.5 });
});

test("what a computed field is made of, and what is made of it, is known at every distance", async () => {
  const { run } = await started();
  expect(await dependencies(engine.context, run, "half")).toEqual({
    direct_deps: ["computed.rest"],
    all_deps: expect.arrayContaining(["computed.rest", "raw.count"]),
    dependents: [],
  });
  expect((await dependencies(engine.context, run, "rest")).dependents).toEqual(["half"]);
});

test("a task that does not exist is refused, and says that none is open", async () => {
  const { write } = await started();
  const refusal = await write([{ path: "raw.count", value: 4 }], { task: "t1" }).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: "ENGINE_NO_TASK", message: expect.stringMatching(/has no task `t1`\. It has no open tasks\.$/) });
});
