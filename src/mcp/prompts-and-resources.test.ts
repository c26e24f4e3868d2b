import { readFile } from "node:fs/promises";
import { afterEach, describe, expect, test } from "vitest";
import { openWorld, type McpWorld, type TestClient } from "../../test/process/mcp-client.ts";

let world: McpWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const talk = `
steps:
  - { id: ask, type: user_input, prompt: "Name?", state_update: { path: raw.name } }
  - { id: odd, type: agent_shell_command, command: odd, on_error: continue }
  - { id: tell, type: user_message, message: "{{ name }}" }
`;

async function read(client: TestClient, uri: string): Promise<string> {
  const { contents } = await client.client.readResource({ uri });
  return (contents[0] as { text: string }).text;
}

describe.each(["legacy", "modern"] as const)("in the %s era", (mode) => {
  test("prompts are listed and given, with whatever arguments", async () => {
    world = await openWorld({ "demo:talk": talk });
    const { client } = await world.client({}, mode);
    const { prompts } = await client.listPrompts();
    expect(prompts.map((prompt) => [prompt.name, prompt.arguments?.map((argument) => argument.name)])).toEqual([
      ["workflow", ["action", "target", "inputs"]],
      ["sub-agent", ["task_id", "run_id"]],
    ]);
    expect(prompts.every((prompt) => prompt.arguments?.every((argument) => argument.required !== true))).toBe(true);
    const texts = [];
    for (const args of [{ action: "$1" }, { action: "demo:talk start --input a=1" }, {}, undefined]) {
      const { messages } = await client.getPrompt({ name: "workflow", ...(args === undefined ? {} : { arguments: args }) });
      expect(messages).toMatchObject([{ role: "user", content: { type: "text" } }]);
      texts.push(messages.map(({ content }) => (content.type === "text" ? content.text : "")).join(""));
    }
    expect(texts[0]).toContain("`workflow $1`");
    expect(texts[1]).toContain('{"a":1}');
    expect(texts[2]).toContain("workflow_list");
    expect((await client.getPrompt({ name: "sub-agent", arguments: { task_id: "t", run_id: "r" } })).messages).toHaveLength(1);
  });

  test("names and run ids are completed", async () => {
    world = await openWorld({ "demo:talk": talk, "other:x": talk });
    const { client, call } = await world.client({}, mode);
    const complete = async (ref: object, name: string, value: string): Promise<string[]> =>
      (await client.complete({ ref, argument: { name, value } } as never)).completion.values;
    expect(await complete({ type: "ref/prompt", name: "workflow" }, "action", "demo")).toEqual(["demo:talk"]);
    const { run_id } = (await call("workflow_start", { workflow: "demo:talk" })).data;
    expect(await complete({ type: "ref/prompt", name: "workflow" }, "target", "wf-")).toEqual([run_id]);
    expect(await complete({ type: "ref/prompt", name: "sub-agent" }, "run_id", "wf-demo")).toEqual([run_id]);
    expect(await complete({ type: "ref/resource", uri: "waymark://runs/{id}" }, "id", "wf")).toEqual([run_id]);
  });

  test("a run, its journal and its report can be read", async () => {
    world = await openWorld({ "demo:talk": talk });
    const client = await world.client({}, mode);
    const { call } = client;
    const { run_id, action_id } = (await call("workflow_start", { workflow: "demo:talk" })).data;
    const odd = (await call("workflow_progress", { run_id, action_id, result: "Ada" })).data;
    const tell = (await call("workflow_progress", { run_id, action_id: odd.action_id, status: "failed", error: "it is odd" })).data;
    await call("workflow_checkpoint", { run_id, reason: "half way" });
    await call("workflow_progress", { run_id, action_id: tell.action_id });

    const { resourceTemplates } = await client.client.listResourceTemplates();
    expect(resourceTemplates.map((template) => template.uriTemplate)).toEqual([
      "waymark://runs/{id}",
      "waymark://runs/{id}/journal{?after}",
      "waymark://runs/{id}/report",
    ]);
    expect((await client.client.listResources()).resources).toEqual([]);
    expect(JSON.parse(await read(client, `waymark://runs/${run_id}`))).toMatchObject({ run_id, status: "completed" });

    const report = await read(client, `waymark://runs/${run_id}/report`);
    for (const said of [
      `run ${run_id}`,
      "Completed;",
      "Name?",
      '"Ada" (agent test-client/1.2.3, relayed',
      "it is odd",
      "half way",
      "`tell`",
    ])
      expect(report).toContain(said);

    const positions: number[] = [];
    for (let uri: string | undefined = `waymark://runs/${run_id}/journal`; uri !== undefined;) {
      const page = JSON.parse(await read(client, uri)) as { records: { position: number }[]; next?: string };
      positions.push(...page.records.map((record) => record.position));
      uri = page.next;
    }
    expect(positions).toEqual(positions.map((_, index) => index + 1));
    expect(positions.length).toBeGreaterThan(3);
    expect(JSON.parse(await read(client, `waymark://runs/${run_id}/journal?after=2`)).records[0].position).toBe(3);
  });

  test("what does not exist is an error of the protocol", async () => {
    world = await openWorld({ "demo:talk": talk });
    const client = await world.client({}, mode);
    for (const uri of [
      "waymark://runs/wf-nothing",
      "waymark://runs/wf-nothing/report",
      "waymark://other/x",
      "waymark://runs/%ff",
      "file:///etc/passwd",
    ]) {
      await expect(read(client, uri), uri).rejects.toMatchObject({ code: -32602 });
    }
  });
});

test("a checkpoint gives the text for the next conversation and the workflow's own message", async () => {
  const steps = `
on_high_context_usage:
  steps:
    - { type: mcp_call, mcp: { method: workflow.checkpoint, params: { workflow_id: "{{ workflow_id }}", reason: "Context approaching limit" } } }
    - { type: user_message, message: "Saved {{ raw_count }}. Run: /workflow resume {{ workflow_id }}" }
    - { type: exit }
default_state: { raw: { raw_count: 7 } }
steps: [{ id: tell, type: user_message, message: hi }]
`;
  world = await openWorld({ "demo:mark": steps });
  const { call } = await world.client();
  const { run_id } = (await call("workflow_start", { workflow: "demo:mark" })).data;
  const marked = await call("workflow_checkpoint", { workflow_id: run_id });
  expect(marked.data).toMatchObject({
    checkpoint_id: expect.any(String),
    state_path: expect.stringMatching(/\.json$/),
    message: `Saved 7. Run: /workflow resume ${run_id}`,
  });
  expect(marked.data.resume_text).toContain(`call workflow_resume with run_id "${run_id}"`);
  expect(marked.text).toContain(marked.data.resume_text);
  const resumed = await (await world.client()).call("workflow_resume", { run_id });
  expect(resumed.data.last_checkpoint).toMatchObject({ step_id: "tell", reason: "Context approaching limit" });
});

test("a secret input is shown to nobody who only looks: not in states, resources or files", async () => {
  const steps = `
inputs: { token: { type: string, secret: true } }
default_state: { raw: { copied: "Bearer {{ inputs.token }}" } }
steps:
  - { id: pad, type: agent_shell_command, command: pad, state_update: { path: raw.pad } }
  - { id: tell, type: user_message, message: "{{ pad }} {{ copied }}" }
`;
  world = await openWorld({ "demo:secret": steps });
  const client = await world.client({ toolsets: ["state"] });
  const { call } = client;
  const started = await call("workflow_start", { workflow: "demo:secret", inputs: { token: "hunter2-hunter2" } });
  const { run_id, action_id } = started.data;
  const told = await call("workflow_progress", { run_id, action_id, result: "x".repeat(20_000) });
  const seen = [
    started.text,
    JSON.stringify(started.data),
    await readFile(told.data.whole_step, "utf8"),
    JSON.stringify((await call("workflow_state_read", { run_id })).data),
    JSON.stringify((await call("workflow_status", { run_id })).data),
    JSON.stringify((await call("workflow_resume", { run_id })).data["state"]),
    await readFile((await call("workflow_checkpoint", { run_id })).data.state_path, "utf8"),
    await read(client, `waymark://runs/${run_id}/journal`),
    await read(client, `waymark://runs/${run_id}/report`),
    JSON.stringify((await call("workflow_complete", { run_id, status: "cancelled" })).data),
  ];
  expect(seen.filter((text) => text.includes("hunter2"))).toEqual([]);
  expect(started.data.state.copied).toBe("Bearer ********");
});

describe("what a resume tells", () => {
  const steps = (policy: string): string => `
${policy}
default_state: { raw: { keep: 1, spare: 2, steps_completed: [] } }
state_schema: { computed: { twice: { from: raw.keep, transform: "input * 2" } } }
steps: [{ id: a, type: user_message, message: hi }, { id: b, type: user_message, message: hi }]
`;
  async function resumeWith(policy: string): Promise<Record<string, unknown>> {
    world = await openWorld({ "demo:back": steps(policy) });
    const client = await world.client();
    const { call } = client;
    const { run_id, action_id } = (await call("workflow_start", { workflow: "demo:back" })).data;
    await call("workflow_progress", { run_id, action_id });
    await client.close();
    return (await (await world.client()).call("workflow_resume", { run_id })).data;
  }

  test("is the state without a policy", async () => {
    expect(await resumeWith("")).toMatchObject({
      workflow: "demo:back 1.0.0",
      state: { keep: 1, spare: 2, twice: 2, steps_completed: ["a"] },
    });
  });

  test("is without what the workflow excludes", async () => {
    const data = await resumeWith("on_resume: { exclude: [raw.spare, historical data, workflow_metadata] }");
    expect(data["state"]).toEqual({ keep: 1, twice: 2 });
    expect(data).not.toHaveProperty("workflow");
  });

  test("is only what the workflow loads", async () => {
    const data = await resumeWith("on_resume: { load_from_checkpoint: [computed_field_definitions, raw.spare] }");
    expect(data["state"]).toEqual({ spare: 2 });
    expect(data["computed_fields"]).toEqual(["twice from raw.keep"]);
  });
});
