/** `state_update` is handed out as its author wrote it, paths and names resolved, with only `result` left open. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json } from "../../../src/base/index.ts";
import { openCliBench } from "../../process/cli-world.ts";
import { openWorld, type McpWorld, type ToolReply } from "../../process/mcp-client.ts";
import { everyTool } from "../../support/literal-client.ts";
import { listOf } from "../../support/whole-data.ts";

const body = (update: string, type = "type: mcp_call, mcp: { method: m }"): string => `
inputs: { who: { type: string, default: Ada } }
default_state: { raw: { n: 1, log: [a], all: { a: 1 } } }
steps: [{ id: each, type: foreach, items: [x.ts], steps: [{ id: s, ${type}, state_update: ${update} }] }]`;

/** What the author writes, and what is handed out: one entry for each write. */
const forms: readonly [string, string, readonly Record<string, Json>[]][] = [
  ["path", `{ path: raw.out }`, [{ path: "raw.out", value: "{{ result }}" }]],
  ["value-part", `{ path: raw.out, value: "{{ result.n }}" }`, [{ path: "raw.out", value: "{{ result.n }}" }]],
  ["value-fixed", `{ path: raw.out, value: 7 }`, [{ path: "raw.out", value: 7 }]],
  ["value-names", `{ path: raw.out, value: "{{ inputs.who }}: {{ result.n }}" }`, [{ path: "raw.out", value: "Ada: {{ result.n }}" }]],
  ["value-computed", `{ path: raw.out, value: "{{ n + 1 }}" }`, [{ path: "raw.out", value: 2 }]],
  [
    "value-object",
    `{ path: raw.out, value: { of: "{{ item }}", n: "{{ result.n }}" } }`,
    [{ path: "raw.out", value: { of: "x.ts", n: "{{ result.n }}" } }],
  ],
  ["transform", `{ path: raw.out, transform: "result.n * 2" }`, [{ path: "raw.out", transform: "result.n * 2" }]],
  ["append", `{ path: raw.log, operation: append }`, [{ path: "raw.log", operation: "append" }]],
  [
    "append-part",
    `{ path: raw.log, operation: append, value: "{{ result.n }}" }`,
    [{ path: "raw.log", operation: "append", value: "{{ result.n }}" }],
  ],
  ["merge", `{ path: raw.all, operation: merge }`, [{ path: "raw.all", operation: "merge" }]],
  [
    "increment",
    `{ path: raw.n, operation: increment, value: "{{ result.n }}" }`,
    [{ path: "raw.n", operation: "increment", value: "{{ result.n }}" }],
  ],
  [
    "list",
    `[{ path: raw.out }, { path: raw.log, operation: append, value: "{{ result.n }}" }, { path: raw.all, operation: merge }, { path: raw.two, transform: "result.n * 2" }]`,
    [
      { path: "raw.out", value: "{{ result }}" },
      { path: "raw.log", operation: "append", value: "{{ result.n }}" },
      { path: "raw.all", operation: "merge" },
      { path: "raw.two", transform: "result.n * 2" },
    ],
  ],
];

let world: McpWorld;
beforeAll(async () => {
  const workflows = Object.fromEntries(forms.map(([name, update]) => [`form:${name}`, body(update)]));
  world = await openWorld({
    ...workflows,
    "form:path-with-item": body(`{ path: "raw.by.{{ item }}" }`),
    "form:question": body(`{ path: raw.log, operation: append }`, `type: user_input, prompt: "Who?"`),
    "form:lines": body(`{ path: raw.out }`, `type: agent_shell_command, command: x, output_format: lines`),
    "form:told": body(`{ path: raw.out }`, `type: agent_shell_command, command: x`),
    "form:command": body(`[{ path: raw.out }, { path: raw.log, operation: append }]`, `type: agent_shell_command, command: x`),
  });
});
afterAll(() => world.close());

const updateOf = async (workflow: string, tool: "workflow_next" | "workflow_get_next_step"): Promise<readonly Json[]> => {
  const { call } = await world.client(everyTool);
  const { run_id } = (await call("workflow_start", { workflow })).data;
  return listOf((await call(tool, { run_id })).data.step.definition.state_update as Json);
};

describe.each(["workflow_next", "workflow_get_next_step"] as const)("%s", (tool) => {
  test.each(forms)("shows the form `%s`", async (name, _, expected) => {
    const shown = await updateOf(`form:${name}`, tool);
    expect(shown).toHaveLength(expected.length);
    expect(shown).toMatchObject(expected);
  });

  test("shows a transformation without a value of its own beside it", async () => {
    const [shown] = await updateOf("form:transform", tool);
    expect(shown).not.toHaveProperty("value");
  });

  test("shows a path with its item filled in as one key", async () => {
    const [shown] = await updateOf("form:path-with-item", tool);
    expect(JSON.stringify(shown)).toContain("x.ts");
    expect(JSON.stringify(shown)).not.toContain("item");
  });

  test("shows how the answer of a question is stored", async () => {
    expect(await updateOf("form:question", tool)).toMatchObject([{ path: "raw.log", operation: "append" }]);
  });

  test("shows every write of a command", async () => {
    expect(await updateOf("form:command", tool)).toMatchObject([{ path: "raw.out" }, { path: "raw.log", operation: "append" }]);
  });
});

describe.each(["workflow_next", "workflow_get_next_step"] as const)("the text of %s alone", (tool) => {
  const replyOf = async (workflow: string): Promise<ToolReply> => {
    const { call } = await world.client(everyTool);
    const { run_id } = (await call("workflow_start", { workflow })).data;
    return call(tool, { run_id });
  };
  const write = "workflow_state_update(";

  test("offers the write of a result that is stored as it is, with its path", async () => {
    const { text, data } = await replyOf("form:path");
    expect(text).toContain("stored at `raw.out`");
    expect(text).toContain(`${write}${JSON.stringify(data.write_call.arguments)})`);
    expect(text).toContain("then report without `result`");
  });

  test.each(forms.filter(([name]) => name !== "path"))("leaves the write of the form `%s` to the report", async (name, _, writes) => {
    const { text } = await replyOf(`form:${name}`);
    expect(text).not.toContain(write);
    expect(text).not.toContain("Its result is stored");
    expect(text).toContain(`The report writes ${writes.map(({ path }) => `\`${path as string}\``).join(", ")}.`);
  });

  test.each(["form:question", "form:command"])("leaves the writes of %s to the report", async (workflow) => {
    expect((await replyOf(workflow)).text).not.toContain(write);
  });
});

test("a command whose text is stored says which text that is, so that a write by hand brings what the report brings", async () => {
  const { call } = await world.client(everyTool);
  const told = async (workflow: string): Promise<string> => (await call("workflow_start", { workflow })).data.step.instructions;
  for (const workflow of ["form:told", "form:command"])
    expect(await told(workflow)).toContain("report its output as text, without the final newline.");
  expect(await told("form:lines")).toContain("report its output as a list of lines.");
});

test("the command line shows every write of a step", async () => {
  const update = forms.find(([name]) => name === "list");
  const bench = await openCliBench({
    ".waymark/workflows/list.yaml": `name: list\ndescription: d\nversion: "1.0.0"\n${body(update?.[1] ?? "")}`,
  });
  const { step } = await bench.json<{ step: { definition: { state_update: Json } } }>(["start", "list"]);
  await bench.close();
  expect(listOf(step.definition.state_update)).toMatchObject(update?.[2] ?? []);
});
