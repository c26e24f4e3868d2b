/** A question is answered by an answer, never by nothing and never by what was there before. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answer, type Caller } from "../../../src/engine/index.ts";
import { openCliBench } from "../../process/cli-world.ts";
import { openWorld, type McpWorld, type TestClient, type ToolReply } from "../../process/mcp-client.ts";
import { everyTool } from "../../support/literal-client.ts";

const workflows = {
  "ask:old": `default_state: { raw: { who: nobody } }\nsteps: [{ id: ask, type: user_input, prompt: "Who?", state_update: { path: raw.who } }]`,
  "ask:append": `default_state: { raw: { who: [Bob] } }\nsteps: [{ id: ask, type: user_input, prompt: "Who?", state_update: { path: raw.who, operation: append } }]`,
  "ask:new": `steps: [{ id: ask, type: user_input, prompt: "Who?", state_update: { path: raw.who } }]`,
  "ask:twice": `
steps:
  - { id: each, type: foreach, items: [a, b], steps: [{ id: ask, type: user_input, prompt: "{{ item }}?", state_update: { path: raw.who } }] }`,
  "ask:person": `steps: [{ id: ask, type: user_input, answer_by: person, prompt: "Delete?", options: [yes, no], state_update: { path: raw.who } }]`,
  "ask:rule": `default_state: { raw: { who: old } }\nsteps: [{ id: ask, type: user_input, prompt: "Who?", attempts: 1, validation: { pattern: "^[a-z]+$", error_message: no }, state_update: { path: raw.who } }]`,
  "ask:choice": `steps: [{ id: ask, type: user_input, prompt: "Which?", attempts: 1, options: [red, green], state_update: { path: raw.who } }]`,
  "ask:often": `default_state: { raw: { who: old } }\nsteps: [{ id: ask, type: user_input, prompt: "Who?", attempts: 3, validation: { pattern: "^[a-z]+$", error_message: no }, state_update: { path: raw.who } }]`,
  "ask:often-new": `steps: [{ id: ask, type: user_input, prompt: "Who?", validation: { pattern: "^[a-z]+$" }, state_update: { path: raw.who } }]`,
  "ask:often-append": `default_state: { raw: { who: [old] } }\nsteps: [{ id: ask, type: user_input, prompt: "Who?", validation: { pattern: "^[a-z]+$" }, state_update: { path: raw.who, operation: append } }]`,
  "ask:last": `steps: [{ id: ask, type: user_input, prompt: "Who?", attempts: 1, validation: { pattern: "^[a-z]+$" }, on_error: continue, state_update: { path: raw.who } }, { id: then, type: user_message, message: then }]`,
};

let world: McpWorld;
let call: TestClient["call"];
beforeAll(async () => {
  world = await openWorld(workflows);
  ({ call } = await world.client(everyTool));
});
afterAll(() => world.close());

interface Begun {
  readonly run: string;
  readonly step: string;
  readonly action: string;
}
const begun = async (workflow: string): Promise<Begun> => {
  const { run_id } = (await call("workflow_start", { workflow })).data;
  const { data } = await call("workflow_get_next_step", { workflow_id: run_id });
  return { run: run_id, step: data.step.id, action: data.action_id };
};
const stateOf = async (run: string): Promise<unknown> => (await call("workflow_state_read", { workflow_id: run })).data;
const statusOf = async (run: string): Promise<unknown> => (await call("workflow_status", { run_id: run })).data.status;

describe.each<[string, unknown]>([
  ["ask:old", { who: "nobody" }],
  ["ask:append", { who: ["Bob"] }],
  ["ask:rule", { who: "old" }],
  ["ask:choice", {}],
  ["ask:new", {}],
])("%s", (workflow, before) => {
  const nothing: readonly [string, (at: { run: string; step: string; action: string }) => Promise<unknown>][] = [
    ["workflow_progress with the run alone", ({ run }) => call("workflow_progress", { run_id: run })],
    ["workflow_progress with the action alone", ({ run, action }) => call("workflow_progress", { run_id: run, action_id: action })],
    [
      "workflow_progress with a success",
      ({ run, action }) => call("workflow_progress", { run_id: run, action_id: action, status: "success" }),
    ],
    ["workflow_step_complete", ({ run, step }) => call("workflow_step_complete", { workflow_id: run, step_id: step, status: "success" })],
    ["workflow_decide", ({ run }) => call("workflow_decide", { run_id: run })],
    ["workflow_decide with null", ({ run }) => call("workflow_decide", { run_id: run, answer: null })],
    ["workflow_decide with an empty text", ({ run }) => call("workflow_decide", { run_id: run, answer: "" })],
    [
      "workflow_progress with an empty text",
      ({ run, action }) => call("workflow_progress", { run_id: run, action_id: action, result: " " }),
    ],
  ];

  test.each(nothing)("stays open after %s", async (_, send) => {
    const at = await begun(workflow);
    await send(at);
    expect(await stateOf(at.run)).toEqual(before);
    expect(await statusOf(at.run)).toBe("running");
    expect((await call("workflow_next", { run_id: at.run })).data).toMatchObject({ action_id: at.action });
  });
});

describe("an answer", () => {
  test("of a person is what the state holds, whatever the agent stored before", async () => {
    const { run, action } = await begun("ask:person");
    await call("workflow_state_update", { workflow_id: run, updates: [{ path: "raw.who", value: "yes" }] });
    const person: Caller = { holder: { kind: "person", name: "p", session: "p" }, surface: "cli-terminal", leaseOwner: "p" };
    await answer(world.engine.context, person, { run, decision: action, answer: "no", relayed: false });
    expect(await stateOf(run)).toEqual({ who: "no" });
  });

  test("that is relayed is what the state holds, and its rule counts for what the agent stored", async () => {
    const at = await begun("ask:rule");
    await call("workflow_state_update", { workflow_id: at.run, updates: [{ path: "raw.who", value: "77" }] });
    await call("workflow_progress", { run_id: at.run, action_id: at.action, result: "bob" });
    expect(await stateOf(at.run)).toEqual({ who: "bob" });
  });

  test("that the agent stored since the hand-out is taken, once", async () => {
    const at = await begun("ask:append");
    await call("workflow_state_update", { workflow_id: at.run, updates: [{ path: "raw.who", operation: "append", value: "Ada" }] });
    await call("workflow_step_complete", { workflow_id: at.run, step_id: at.step, status: "success" });
    expect(await statusOf(at.run)).toBe("completed");
    expect(await stateOf(at.run)).toEqual({ who: ["Bob", "Ada"] });
  });

  test("that replaces an old value by an equal one is taken", async () => {
    const at = await begun("ask:old");
    await call("workflow_state_update", { workflow_id: at.run, updates: [{ path: "raw.who", value: "nobody" }] });
    await call("workflow_step_complete", { workflow_id: at.run, step_id: at.step, status: "success" });
    expect(await statusOf(at.run)).toBe("completed");
  });

  test("can be given with workflow_step_complete", async () => {
    const at = await begun("ask:append");
    await call("workflow_step_complete", { workflow_id: at.run, step_id: at.step, status: "success", result: "Ada" });
    expect(await stateOf(at.run)).toEqual({ who: ["Bob", "Ada"] });
  });

  test("of the round before does not answer the question of this one", async () => {
    const at = await begun("ask:twice");
    await call("workflow_progress", { run_id: at.run, action_id: at.action, result: "Ada" });
    await call("workflow_progress", { run_id: at.run });
    const { step } = (await call("workflow_get_next_step", { workflow_id: at.run })).data;
    expect(step?.definition.prompt).toBe("b?");
    await call("workflow_step_complete", { workflow_id: at.run, step_id: step.id });
    expect(await statusOf(at.run)).toBe("running");
  });
});

describe.each<[string, "set" | "append", unknown, unknown]>([
  ["ask:often", "set", { who: "old" }, { who: "bob" }],
  ["ask:often-new", "set", {}, { who: "bob" }],
  ["ask:often-append", "append", { who: ["old"] }, { who: ["old", "bob"] }],
])("a wrong answer that was stored: %s", (workflow, operation, before, after) => {
  const answers: readonly [string, (at: Begun) => Promise<ToolReply>][] = [
    ["workflow_step_complete", ({ run, step }) => call("workflow_step_complete", { workflow_id: run, step_id: step, status: "success" })],
    ["workflow_progress", ({ run, action }) => call("workflow_progress", { run_id: run, action_id: action })],
  ];
  const store = ({ run }: Begun, value: string): Promise<ToolReply> =>
    call("workflow_state_update", { workflow_id: run, updates: [{ path: "raw.who", operation, value }] });

  test.each(answers)("is taken back when %s is refused, and another one that is stored counts", async (_, send) => {
    const at = await begun(workflow);
    await store(at, "77");
    expect((await send(at)).data.error).toMatchObject({ code: "ANSWER_REFUSED" });
    expect(await stateOf(at.run)).toEqual(before);
    expect((await send(at)).data.error).toMatchObject({ code: "ANSWER_REFUSED" });
    await store(at, "bob");
    expect((await send(at)).isError).toBe(false);
    expect(await stateOf(at.run)).toEqual(after);
    expect(await statusOf(at.run)).toBe("completed");
  });

  test("is not there for the next client, which is asked for the answer", async () => {
    const at = await begun(workflow);
    await store(at, "77");
    await call("workflow_step_complete", { workflow_id: at.run, step_id: at.step });
    const { data } = await call("workflow_get_next_step", { workflow_id: at.run });
    expect(data.fill_in).toHaveProperty("result");
    expect(data.step.definition).toHaveProperty("state_update");
    const { tool, arguments: args } = data.write_call;
    await call(tool, { ...args, updates: [{ path: "raw.who", operation, value: "bob" }] });
    expect((await call(data.next_call.tool, data.next_call.arguments)).isError).toBe(false);
    expect(await stateOf(at.run)).toEqual(after);
  });
});

describe("the last wrong answer", () => {
  test.each(["ask:rule", "ask:last"])("sent again gets the same refusal, whatever came meanwhile: %s", async (workflow) => {
    const at = await begun(workflow);
    const sent = { run_id: at.run, action_id: at.action, result: "77" };
    const first = await call("workflow_progress", sent);
    expect(first.data.error).toMatchObject({ code: "ANSWER_REFUSED", message: expect.stringContaining("last try") });
    const status = await statusOf(at.run);
    const second = await call("workflow_progress", sent);
    expect(second.data.error).toEqual(first.data.error);
    expect((await call("workflow_step_complete", { workflow_id: at.run, step_id: at.step, result: "77" })).data.error).toEqual(
      first.data.error,
    );
    expect((await call("workflow_decide", { run_id: at.run, decision_id: at.action, answer: "77" })).data.error).toMatchObject({
      code: "ANSWER_REFUSED",
    });
    expect(await statusOf(at.run)).toBe(status);
    if (workflow === "ask:rule") return;
    const next = (await call("workflow_next", { run_id: at.run })).data;
    expect(next.step.definition.message).toBe("then");
    await call("workflow_progress", { run_id: at.run, action_id: next.action_id });
    expect(await statusOf(at.run)).toBe("completed");
    expect((await call("workflow_progress", sent)).data.error).toMatchObject({ code: "ANSWER_REFUSED" });
  });
});

test("on the command line a question with an old value stays open without an answer", async () => {
  const bench = await openCliBench({
    ".waymark/workflows/ask.yaml": `name: ask\ndescription: d\nversion: "1.0.0"\n${workflows["ask:append"]}`,
  });
  const { run_id: run } = await bench.json(["start", "ask"]);
  for (const line of [
    ["done", String(run)],
    ["decide", String(run)],
  ])
    expect((await bench.run(line)).code, line[0]).not.toBe(0);
  expect(await bench.json(["status", String(run)])).toMatchObject({ status: "running" });
  expect(await bench.json(["state", String(run)])).toMatchObject({ state: { who: ["Bob"] } });
  await bench.close();
});

test.each<[string, string, string]>([
  ["workflow_progress", "workflow_decide", "answer"],
  ["workflow_decide", "workflow_progress", "result"],
])("an answer without a name given by %s and again by %s is the same answer", async (first, second, field) => {
  const { run } = await begun("ask:twice");
  const given = (tool: string) => call(tool, { run_id: run, [tool === "workflow_decide" ? "answer" : "result"]: "blue" });
  const next = (await given(first)).data;
  const again = await call(second, { run_id: run, [field]: "blue" });
  expect(again.data).toMatchObject({ recorded: "before", action_id: next.action_id });
});
