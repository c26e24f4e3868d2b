/** `next_call` sent back word for word never closes, fails, confirms or repeats anything, and fits the schema that the server publishes. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../../../src/base/index.ts";
import { openWorld, type McpWorld, type TestClient, type ToolReply } from "../../process/mcp-client.ts";
import { oldCalls, review } from "../../support/checklist-sample.ts";
import { openChecklistWorld, type ChecklistWorld } from "../../support/checklist-world.ts";
import { everyTool, type Family } from "../../support/literal-client.ts";
import { truncatedOf, type Call } from "../../support/whole-data.ts";

const asking = {
  "ask:command": `steps: [{ id: s, type: agent_shell_command, command: x, state_update: { path: raw.out } }]`,
  "ask:command-json": `steps: [{ id: s, type: agent_shell_command, command: x, output_format: json, state_update: { path: raw.out } }]`,
  "ask:tool": `steps: [{ id: s, type: mcp_call, mcp: { method: m }, state_update: { path: raw.out } }]`,
  "ask:hints": `steps: [{ id: s, type: apply_hints, file: a.ts, hints: [x], state_update: { path: raw.out } }]`,
  "ask:user": `steps: [{ id: s, type: user_input, prompt: "Who?", state_update: { path: raw.out } }]`,
  "ask:choice": `steps: [{ id: s, type: user_input, prompt: "Which?", options: [left, right], attempts: 2, state_update: { path: raw.out } }]`,
  "ask:rule": `steps: [{ id: s, type: user_input, prompt: "Which?", validation: { pattern: "^[a-z]+$", error_message: no }, attempts: 2, state_update: { path: raw.out } }]`,
};
const others = {
  "say:much": `steps: [{ id: s, type: user_message, message: "${"much ".repeat(4000)}" }]`,
  "say:hello": `steps: [{ id: s, type: user_message, message: hello }]`,
  "fail:command": `steps: [{ id: s, type: shell_command, command: "echo once >> made; exit 3" }]`,
  "ask:person": `steps: [{ id: s, type: user_input, answer_by: person, prompt: "Ship?", state_update: { path: raw.out } }]`,
  "with:input": `inputs: { who: { type: string, required: true } }\nsteps: [{ id: s, type: user_input, answer_by: person, prompt: "{{ inputs.who }}?" }]`,
  "two:tasks": `
default_state: { raw: { done: {} } }
steps: [{ id: both, type: parallel_foreach, items: [{ id: one }, { id: two }], sub_agent_task: job }]
sub_agent_tasks: { job: { steps: [{ id: do_it, type: agent_shell_command, command: "echo {{ item.id }}", state_update: { path: "raw.done.{{ item.id }}" } }] } }`,
};

let world: McpWorld;
let call: TestClient["call"];
let client: TestClient;
beforeAll(async () => {
  world = await openWorld({ ...asking, ...others });
  client = await world.client(everyTool);
  ({ call } = client);
});
afterAll(() => world.close());

/** Sends `next_call` of each reply back word for word, as long as there is one; at most `times`. */
async function followed(by: TestClient["call"], first: ToolReply, times: number): Promise<ToolReply[]> {
  const replies = [first];
  for (let reply = first; replies.length <= times && reply.data.next_call !== undefined;) {
    const { tool, arguments: args } = reply.data.next_call as Call;
    reply = await by(tool, args);
    replies.push(reply);
  }
  return replies;
}

const stateOf = async (run: string): Promise<unknown> => (await call("workflow_state_read", { workflow_id: run })).data;
const handedOut = (family: Family, run: string): Promise<ToolReply> =>
  family === "seed" ? call("workflow_get_next_step", { workflow_id: run }) : call("workflow_next", { run_id: run });

describe.each<Family>(["seed", "progress"])("in the replies of the %s family", (family) => {
  test.each(Object.keys(asking))("it leaves the step of %s open, with nothing stored", async (workflow) => {
    const { run_id, action_id } = (await call("workflow_start", { workflow })).data;
    await followed(call, await handedOut(family, run_id), 4);
    expect(await stateOf(run_id)).toEqual({});
    expect((await call("workflow_next", { run_id })).data).toMatchObject({ action_id });
    const right = workflow === "ask:hints" ? { applied_count: 1 } : "left";
    await call("workflow_progress", { run_id, action_id, result: workflow === "ask:command-json" ? { n: 1 } : right });
    expect((await call("workflow_status", { run_id })).data.status).toBe("completed");
  });

  test("it reports a message, which asks for nothing", async () => {
    const { run_id } = (await call("workflow_start", { workflow: "say:hello" })).data;
    const replies = await followed(call, await handedOut(family, run_id), 2);
    expect(replies.every(({ isError }) => !isError)).toBe(true);
    expect((await call("workflow_status", { run_id })).data.status).toBe("completed");
  });

  test("it leaves tasks open that nobody has begun", async () => {
    const { run_id } = (await call("workflow_start", { workflow: "two:tasks" })).data;
    await followed(call, await handedOut(family, run_id), 4);
    expect(await stateOf(run_id)).toEqual({ done: {} });
    expect((await call("workflow_status", { run_id })).data.status).toBe("running");
  });
});

describe("in the list of open runs", () => {
  test("it takes no run from the client that drives it", async () => {
    const { run_id, action_id } = (await call("workflow_start", { workflow: "ask:command" })).data;
    const other = await world.client(everyTool);
    await followed(other.call, await other.call("workflow_status"), 3);
    expect((await call("workflow_next", { run_id })).data).toMatchObject({ action_id });
    expect((await call("workflow_progress", { run_id, action_id, result: "x" })).data).toMatchObject({ recorded: "now" });
  });
});

describe("in the reply of a failed run", () => {
  test("it does not run the command again", async () => {
    const started = await call("workflow_start", { workflow: "fail:command" });
    expect(started.data.status).toBe("failed");
    await followed(call, started, 3);
    expect(await readFile(join(world.engine.folder, "made"), "utf8")).toBe("once\n");
  });
});

describe("in the reply to a question for a person", () => {
  test("it does not lead back to itself", async () => {
    const replies = await followed(call, await call("workflow_start", { workflow: "ask:person" }), 3);
    const calls = replies.flatMap(({ data }) => (data.next_call === undefined ? [] : [JSON.stringify(data.next_call)]));
    expect(new Set(calls).size, calls.join("\n")).toBe(calls.length);
  });
});

describe("in the reply of an error", () => {
  const wrong: readonly [string, string, Record<string, unknown>][] = [
    ["an unknown argument of a report", "workflow_progress", { bogus: 1 }],
    ["a wrong status of a report", "workflow_progress", { status: "sucess", result: 1 }],
    ["a skip of a step", "workflow_progress", { status: "skipped" }],
    ["an argument of checklists", "workflow_progress", { findings: [] }],
    ["an unknown action", "workflow_progress", { action_id: "a1", result: 1 }],
    ["a time that is none", "workflow_progress", { blocked_until: "soon" }],
    ["a missing step id", "workflow_step_complete", {}],
    ["an unknown argument of a completion", "workflow_step_complete", { step_id: "s", bogus: 3 }],
    ["a wrong status of a completion", "workflow_step_complete", { step_id: "s", status: "done" }],
    ["an unknown step", "workflow_step_complete", { step_id: "other" }],
    ["an early end", "workflow_complete", { status: "success" }],
    ["an unknown task", "workflow_next", { task_id: "nobody" }],
    ["a write to nowhere", "workflow_state_update", { updates: [{ path: "nowhere", value: 1 }] }],
  ];

  test.each(wrong)("it leaves the step open after %s, and the same error does not come back", async (_, tool, args) => {
    const { run_id, action_id } = (await call("workflow_start", { workflow: "ask:command" })).data;
    const first = await call(tool, { run_id, ...args });
    expect(first.isError).toBe(true);
    const replies = await followed(call, first, 4);
    expect(await stateOf(run_id)).toEqual({});
    expect((await call("workflow_next", { run_id })).data).toMatchObject({ action_id });
    const errors = replies.flatMap(({ isError, data }) => (isError ? [String(data.error.message)] : []));
    expect(new Set(errors).size, errors.join("\n")).toBe(errors.length);
  });

  test.each<[string, Record<string, unknown>]>([
    ["missing inputs", { workflow: "with:input" }],
    ["a wrong input", { workflow: "with:input", inputs: { how: 1 } }],
    ["a missing workflow", {}],
    ["an unknown workflow", { workflow: "with:output" }],
  ])("it starts nothing after %s", async (_, args) => {
    const runs = async (): Promise<number> => (await call("workflow_status")).data.runs.length as number;
    const before = await runs();
    await followed(call, await call("workflow_start", args), 4);
    expect(await runs()).toBe(before);
  });
});

describe("in the replies of a checklist", () => {
  let sample: ChecklistWorld | undefined;
  afterEach(async () => {
    await sample?.close();
    sample = undefined;
  });
  const files = { "a.js": "old('x');\nold(y);\n", "b.js": "old(z);\n" };

  async function begun(): Promise<{ readonly by: TestClient; readonly first: ToolReply; readonly session_id: string }> {
    sample = await openChecklistWorld({ workflows: [], definitions: { ".waymark/workflows/o.workflow.yaml": oldCalls }, files });
    const by = await sample.client(everyTool);
    const first = await by.call("workflow_start", { workflow_type: "old-calls" });
    return { by, first, session_id: first.data.session_id };
  }

  test("it does not use up the tries of a question", async () => {
    const { by, first, session_id } = await begun();
    await followed(by.call, first, 4);
    const answered = await by.call("workflow_decide", { run_id: session_id, answer: "review_by_file" });
    expect(answered.data).toMatchObject({ next_action: { action: "convert_instance" } });
  });

  test("it does not fail an instance that nobody has touched", async () => {
    const { by, session_id } = await begun();
    const open = await by.call("workflow_progress", { session_id, answer: "review_by_file" });
    expect(open.data.next_action.action).toBe("convert_instance");
    await followed(by.call, open, 6);
    const { progress } = (await by.call("workflow_status", { session_id })).data;
    expect(progress).toMatchObject({ instances_failed: 0, instances_remaining: 3 });
  });

  test("it does not complete an entry that asks what was found", async () => {
    sample = await openChecklistWorld({ workflows: [], definitions: { ".waymark/workflows/r.workflow.yaml": review }, files });
    const by = await sample.client(everyTool);
    const first = await by.call("workflow_start", { workflow_type: "review" });
    expect(first.data.next_action).toMatchObject({ action: "analyze_file", file: "a.js" });
    await followed(by.call, first, 4);
    const { next_action } = (await by.call("workflow_next", { session_id: first.data.session_id })).data;
    expect(next_action).toMatchObject({ action: "analyze_file", file: "a.js" });
  });

  test("it does not confirm a batch that the user has not seen", async () => {
    const { by, session_id } = await begun();
    const open = await by.call("workflow_progress", { session_id, answer: "apply_auto_first" });
    await followed(by.call, open, 4);
    expect(await sample?.text("a.js")).toBe(files["a.js"]);
  });
});

describe("the published schema", () => {
  test("takes every call that a reply names: next_call, later and the rest of what is cut", async () => {
    const sample = await openChecklistWorld({
      workflows: [],
      definitions: { ".waymark/workflows/o.workflow.yaml": oldCalls },
      files: { "a.js": "old('x');\nold(y);\n" },
    });
    const check = await sample.client(everyTool);
    const { tools } = await client.client.listTools();
    const replies = [await call("workflow_list"), await call("workflow_info", { workflow: "with:input" }), await call("workflow_status")];
    for (const workflow of [...Object.keys(asking), "say:hello", "say:much", "fail:command", "ask:person", "two:tasks"]) {
      const started = await call("workflow_start", { workflow });
      replies.push(started, await handedOut("seed", started.data.run_id), await handedOut("progress", started.data.run_id));
      replies.push(await call("workflow_status", { run_id: started.data.run_id }), await call("workflow_progress", { run_id: "none" }));
      replies.push(
        await call("workflow_progress", { run_id: started.data.run_id }),
        await call("workflow_resume", { run_id: started.data.run_id }),
      );
      const other = await world.client(everyTool);
      replies.push(await other.call("workflow_next", { run_id: started.data.run_id }));
      await other.close();
    }
    const begun = await check.call("workflow_start", { workflow_type: "old-calls" });
    const { session_id } = begun.data;
    const chosen = await check.call("workflow_progress", { session_id, answer: "apply_auto_first" });
    const preview = { session_id, operation: "apply_fixes", filter: { auto_fixable_only: true }, dry_run: true };
    replies.push(begun, chosen, await check.call("workflow_batch", preview), await check.call("workflow_next", { session_id }));
    replies.push(await check.call("workflow_status", { session_id }), await check.call("workflow_progress", { session_id }));
    await sample.close();
    const named = replies.flatMap(({ data }) => callsOf(data as JsonObject));
    expect(new Set(named.map(({ of }) => of))).toEqual(new Set(["next_call", "later", "truncated"]));
    expect([...new Set(named.flatMap(({ call: each }) => misfits(tools, each)))]).toEqual([]);
  });
});

function callsOf(data: JsonObject): { readonly of: string; readonly call: Call }[] {
  const cut = truncatedOf(data).flatMap(({ next }) => (next === undefined ? [] : [{ of: "truncated", call: next }]));
  const { next_call: now, later } = data;
  const told = Object.entries({ next_call: now, later }).filter(([, call]) => call !== undefined);
  return [...told.map(([of, call]) => ({ of, call: call as unknown as Call })), ...cut];
}

type Listed = Awaited<ReturnType<TestClient["client"]["listTools"]>>["tools"];

function misfits(tools: Listed, { tool, arguments: args }: Call): string[] {
  const schema = tools.find(({ name }) => name === tool)?.inputSchema;
  if (schema === undefined) return [`${tool} is not published`];
  const strange = Object.keys(args).filter((name) => !Object.hasOwn(schema.properties ?? {}, name));
  const parsed = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(args);
  return [...strange.map((name) => `${tool} publishes no ${name}`), ...(parsed.success ? [] : [`${tool}: ${parsed.error.message}`])];
}
