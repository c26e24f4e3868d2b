/** What a checklist calls from another dialect is shown whole and reported as everywhere. */
import { afterEach, describe, expect, test } from "vitest";
import { openCliBench } from "../../process/cli-world.ts";
import { calling, samples } from "../../support/calling-samples.ts";
import { sent, toCalled, type AtCalled } from "../../support/to-called.ts";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close();
});

const files = {
  ...samples.checklist("outer", "inner"),
  "a.js": "1;\n",
  ".waymark/workflows/inner.yaml": `name: inner
steps:
  - { id: sh, type: agent_shell_command, command: "echo whole command", state_update: { path: raw.out } }
  - { id: ask, type: user_input, prompt: "Which colour?", state_update: { path: raw.colour } }
  - { id: tell, type: user_message, message: "The output was {{ out }}." }
`,
};

const toInner = (all: Readonly<Record<string, string>>): Promise<AtCalled> => toCalled(all, opened);

describe("over MCP", () => {
  test("each step is shown with what it asks for, and a report of exactly that is taken", async () => {
    const { call, run, reply: command } = await toInner(files);
    expect(command.data).toMatchObject({
      step: { definition: { command: "echo whole command" } },
      fill_in: { result: expect.any(String) },
    });
    expect(command.text).toContain("echo whole command");
    expect((await sent(call, command)).data.error).toMatchObject({ code: "ENGINE_NO_RESULT" });
    const question = await sent(call, command, { result: "OUT" });
    expect(question.data).toMatchObject({ recorded: "now", step: { type: "user_input", definition: { prompt: "Which colour?" } } });
    const message = await sent(call, question, { result: "blue" });
    expect(message.data).toMatchObject({ step: { type: "user_message", definition: { message: "The output was OUT." } } });
    const repeated = await sent(call, command, { result: "OUT" });
    expect(repeated.data).toMatchObject({ recorded: "before", action_id: message.data.action_id });
    const after = await sent(call, message);
    expect(after.data).toMatchObject({ next_action: { action: expect.any(String) } });
    expect((await call("workflow_next", { run_id: run })).data.next_action).toEqual(after.data.next_action);
  });

  test("a fresh conversation is shown the same step", async () => {
    const { call, run, reply } = await toInner(files);
    const resumed = await call("workflow_resume", { run_id: run });
    expect(resumed.data.step).toMatchObject({ type: "agent_shell_command", definition: { command: "echo whole command" } });
    expect((await sent(call, reply, { result: "OUT" })).data).toMatchObject({ step: { type: "user_input" } });
  });

  test("the seed's own tools complete it", async () => {
    const { call, run } = await toInner(files);
    const { step } = (await call("workflow_get_next_step", { workflow_id: run })).data;
    const done = { workflow_id: run, step_id: step.id };
    expect((await call("workflow_step_complete", done)).data.error).toMatchObject({ code: "ENGINE_NO_RESULT" });
    expect((await call("workflow_step_complete", { ...done, result: "OUT" })).data).toMatchObject({ success: true });
  });

  test("a long value of it comes in parts", async () => {
    const long = "word ".repeat(4_000).trimEnd();
    const { call, reply } = await toInner({
      ...files,
      ".waymark/workflows/inner.yaml": `name: inner\nsteps: [{ id: tell, type: user_message, message: "${long}" }]\n`,
    });
    let whole = reply.data.step.definition.message as string;
    let part = await sent(call, reply);
    for (let turn = 0; turn < 20 && typeof part.data.value === "string"; turn += 1) {
      whole += part.data.value as string;
      part = await sent(call, part);
    }
    expect(whole).toBe(long);
    expect(part.data).toMatchObject({ next_action: {} });
  });

  test.each(["bots", "machine"] as const)("a step of %s is shown whole", async (dialect) => {
    const { reply } = await toInner(calling("checklist", dialect));
    const wanted = dialect === "bots" ? "project_area" : "Make it.";
    expect(JSON.stringify(reply.data.step)).toContain(wanted);
    expect(reply.data.fill_in).toBeDefined();
  });
});

const returning = `name: inner
steps: [{ id: sh, type: agent_shell_command, command: "echo", state_update: { path: raw.out } }]
`;

test.each([
  { of: "a step workflow", all: calling("checklist", "steps"), filled: {} },
  { of: "a step that returns something", all: { ...files, ".waymark/workflows/inner.yaml": returning }, filled: { result: "OUT" } },
  { of: "a bot", all: calling("checklist", "bots"), filled: { result: { summary: "Done." } } },
])("the last report of $of, sent again, is answered with what is open now", async ({ all, filled }) => {
  const { call, reply: first } = await toInner(all);
  let reply = first;
  let after = await sent(call, reply, filled);
  for (let turn = 0; turn < 10 && after.data.step !== undefined; turn += 1) {
    reply = after;
    after = await sent(call, reply, filled);
  }
  expect(after.data).toMatchObject({ next_action: { action: "complete_workflow" } });
  const again = await sent(call, reply, filled);
  expect(again.data).toMatchObject({ recorded: "before", next_action: after.data.next_action });
  expect(again.text).toContain("was reported before");
});

test("on the command line each printed line reports what is shown", async () => {
  const bench = await openCliBench(files);
  opened.push(bench);
  const { run_id: run } = await bench.json<{ run_id: string }>(["start", "outer"]);
  const next = (): Promise<{ step?: { type: string; definition: unknown }; next_command?: string; action_id: string }> =>
    bench.json(["next", run]);
  let shown = await next();
  for (let turn = 0; turn < 10 && shown.step === undefined; turn += 1) {
    const said = shown.next_command?.includes("--text '<what you found>'") === true ? ["--text", "Nothing."] : [];
    expect((await bench.run(["done", run, "--action", shown.action_id, ...said])).code).toBe(0);
    shown = await next();
  }
  expect(shown).toMatchObject({ step: { type: "agent_shell_command", definition: { command: "echo whole command" } } });
  expect(shown.next_command).toContain("--result");
  expect((await bench.run(["done", run, "--action", shown.action_id, "--result", "OUT"])).code).toBe(0);
  shown = await next();
  expect(shown).toMatchObject({ step: { type: "user_input" } });
  expect((await bench.run(["decide", run, shown.action_id, "blue"])).code).toBe(0);
  shown = await next();
  expect(shown).toMatchObject({ step: { type: "user_message", definition: { message: "The output was OUT." } } });
  expect((await bench.run(["done", run, "--action", shown.action_id])).code).toBe(0);
});
