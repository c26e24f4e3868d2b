import { freeHolders } from "../../test/support/free-holders.ts";
import { readFile } from "node:fs/promises";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import type { Json } from "../base/index.ts";
import { resume, type Position } from "../engine/index.ts";
import { callText, coreShown } from "../views/index.ts";
import { openWorld, type McpWorld, type TestClient, type ToolReply } from "../../test/process/mcp-client.ts";
import { encodeReply } from "./create-mcp-server.ts";
import { nothingAround, positionReply } from "./position-reply.ts";
import { roughTokens } from "./rough-tokens.ts";
import type { ToolCall } from "./tool.ts";
import { handedOut } from "../../test/support/handed-out.ts";
import { wholeData } from "../../test/support/whole-data.ts";

let world: McpWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const chars = (reply: ToolReply): number => JSON.stringify(reply.raw).length;
const largerPart = (reply: ToolReply): number => Math.max(encode(reply.text).length, encode(JSON.stringify(reply.data)).length);
const bothParts = (reply: ToolReply): number => encode(reply.text).length + encode(JSON.stringify(reply.data)).length;

/** Every part of a reply keeps to the limit too. */
function limited(call: TestClient["call"]): TestClient["call"] {
  return async (name, args) => {
    const part = await call(name, args);
    expect(chars(part)).toBeLessThan(8000);
    return part;
  };
}

const simple = `
inputs: { branch: { type: string, default: main } }
steps:
  - { id: detect_files, type: agent_shell_command, command: "git diff --name-only {{ inputs.branch }}", output_format: lines, reason: "needs your checkout", state_update: { path: raw.git_files } }
  - { id: check_types, type: mcp_call, mcp: { method: check_typescript, params: { files: "{{ git_files }}" } }, state_update: { path: raw.types } }
  - { id: question, type: user_input, prompt: "Which tickets does this close?", validation: { pattern: "^[A-Z]+-\\\\d+$", error_message: "Like ABC-12." }, state_update: { path: raw.ticket } }
  - { id: report_complete, type: user_message, message: "Processed {{ git_files.length }} files with 23 fixes applied" }
`;

describe("tokens", () => {
  test("a next reply of a simple step costs at most 250 in the larger of its parts", async () => {
    world = await openWorld({ "standards:fix": simple });
    const { call } = await world.client();
    const { run_id } = (await call("workflow_start", { workflow: "standards:fix" })).data;
    const seen: Record<string, number> = {};
    for (const result of [["src/index.ts", "src/a.ts"], { errors: 0 }, "ABC-12", undefined]) {
      const reply = await call("workflow_next", { run_id });
      seen[reply.data.step.type] = largerPart(reply);
      await call("workflow_progress", { run_id, action_id: reply.data.action_id, ...(result === undefined ? {} : { result }) });
    }
    expect(Object.keys(seen)).toEqual(["agent_shell_command", "mcp_call", "user_input", "user_message"]);
    for (const [type, tokens] of Object.entries(seen)) expect(tokens, type).toBeLessThanOrEqual(250);
  });

  test("a resume costs less than 800 for both parts together, whatever the state", async () => {
    const steps = `
default_state: { raw: { small: 1 } }
steps:
  - { id: fill, type: agent_shell_command, command: fill, output_format: json, state_update: { path: raw.big } }
  - { id: use, type: mcp_call, mcp: { method: process_everything, params: { all: "{{ big }}" } }, state_update: { path: raw.done } }
`;
    world = await openWorld({ "demo:huge": steps });
    const { call } = await world.client({ toolsets: ["state"] });
    const { run_id, action_id } = (await call("workflow_start", { workflow: "demo:huge" })).data;
    const big = Object.fromEntries(
      Array.from({ length: 2000 }, (_, index) => [
        `src/部品/file-${index}.ts`,
        { sha: `${index}e7Ab09x`.repeat(8), lines: index, notes: ["ok", "größer"] },
      ]),
    );
    await call("workflow_progress", { run_id, action_id, result: big });
    const updates = Array.from({ length: 60 }, (_, index) => ({ path: `raw.field_${index}`, value: `${"Zx9-".repeat(40)}${index}` }));
    expect((await call("workflow_state_update", { run_id, updates })).isError).toBe(false);
    await freeHolders(world.engine.context);
    const next = await world.client();
    const resumed = await next.call("workflow_resume", { run_id });
    expect(resumed.isError).toBe(false);
    expect(resumed.data).toMatchObject({
      run_id,
      workflow_id: run_id,
      step: { id: handedOut("use") },
      next_call: { tool: "workflow_progress" },
      last_checkpoint: expect.anything(),
    });
    expect(bothParts(resumed)).toBeLessThan(800);
    const { step, state } = (await wholeData(limited(next.call), resumed)) as unknown as typeof resumed.data;
    expect(step.definition.params.all).toEqual(big);
    expect(state).toMatchObject({ small: 1, big, field_59: updates[59]?.value });
  });

  test("a resume of an ordinary run shows its values as they are", async () => {
    world = await openWorld({ "standards:fix": simple });
    const { call } = await world.client();
    const { run_id, action_id } = (await call("workflow_start", { workflow: "standards:fix" })).data;
    await call("workflow_progress", { run_id, action_id, result: ["src/index.ts", "src/a.ts"] });
    await freeHolders(world.engine.context);
    const resumed = await (await world.client()).call("workflow_resume", { run_id });
    expect(resumed.data).toMatchObject({
      state: { git_files: ["src/index.ts", "src/a.ts"] },
      step: { id: handedOut("check_types"), definition: { params: { files: ["src/index.ts", "src/a.ts"] } } },
    });
    expect(resumed.text).toContain("src/index.ts");
    expect(bothParts(resumed)).toBeLessThan(800);
  });
});

test("whatever a step holds, its reply keeps to both limits and still says what to do", async () => {
  world = await openWorld({ "standards:fix": simple });
  const { call } = await world.client();
  const { run_id } = (await call("workflow_start", { workflow: "standards:fix" })).data;
  const { context, caller } = world.engine;
  await freeHolders(context);
  const position = await resume(context, caller, { run: run_id });
  const { standing } = position;
  if (standing.kind !== "action") throw new Error("no step is open");
  const toolCall = { engine: context, replyChars: 8000, desk: () => ({ canAsk: () => false }), offers: () => true } as unknown as ToolCall;
  const inTokens = {
    most: 780,
    chars: 1800,
    measure: ({ text, data }: { text: string; data: unknown }) => roughTokens(text) + roughTokens(JSON.stringify(data)),
  };
  const leaf = fc.oneof(
    fc.string({ maxLength: 3000 }),
    fc.string({ unit: "grapheme", maxLength: 800 }),
    fc.double(),
    fc.constant(null),
    fc.string({ maxLength: 20 }),
  );
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      leaf as fc.Arbitrary<Json>,
      fc.array(tie("value"), { maxLength: 40 }),
      fc.dictionary(fc.string({ maxLength: 40 }), tie("value"), { maxKeys: 40 }),
    ),
  }));
  const what = fc.constantFrom("mcp", "user_message", "agent_shell_command", "parallel_tasks", "state_update");
  const tasks = fc.array(
    fc.record({
      task: fc.string({ minLength: 1, maxLength: 90 }),
      strand: fc.constant("s"),
      context: fc.dictionary(fc.string(), value, { maxKeys: 8 }),
    }),
    { minLength: 1, maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(what, fc.dictionary(fc.string({ maxLength: 30 }), value, { maxKeys: 12 }), tasks, async (kind, args, open) => {
      const action = { ...standing.action, what: kind, args };
      const odd: Position = { ...position, standing: { kind: "action", action, tasks: open, shown: coreShown(position, action, open) } };
      const reply = await positionReply(toolCall, odd);
      expect(JSON.stringify(encodeReply(reply)).length).toBeLessThan(8000);
      expect(reply.text).toContain(run_id);
      expect(reply.data["next_call"] ?? reply.data["later"]).toBeDefined();
      const short = await positionReply(toolCall, odd, nothingAround, inTokens);
      expect(encode(short.text).length + encode(JSON.stringify(short.data)).length).toBeLessThan(800);
    }),
    { numRuns: 40 },
  );
});

describe("characters", () => {
  test("a step with a long value is cut, and the reply names a file with the whole", async () => {
    const steps = `
steps:
  - { id: fill, type: agent_shell_command, command: fill, state_update: { path: raw.big } }
  - { id: tell, type: user_message, message: "{{ big }}" }
`;
    world = await openWorld({ "demo:long": steps });
    const { call } = await world.client();
    const { run_id, action_id } = (await call("workflow_start", { workflow: "demo:long" })).data;
    const long = `begin ${"lorem ipsum\n".repeat(20_000)} end`;
    const told = await call("workflow_progress", { run_id, action_id, result: long });
    expect(chars(told)).toBeLessThan(8000);
    expect(told.data.step.definition.message).toMatch(/^begin lorem/);
    expect(told.text).toContain(told.data.whole_step);
    expect(told.text).toContain(`Then call ${callText(told.data.next_call)}`);
    expect(told.data.next_call).toEqual(told.data.truncated.next);
    expect(JSON.parse(await readFile(told.data.whole_step, "utf8")).step.definition.message).toBe(long.replace(/\n$/, ""));
    const { step } = (await wholeData(limited(call), told)) as unknown as typeof told.data;
    expect(step.definition.message).toBe(long.replace(/\n$/, ""));
    const done = await call("workflow_progress", { run_id, action_id: told.data.action_id });
    expect(done.data.status).toBe("completed");
    const final = await call("workflow_complete", { run_id });
    expect(chars(final)).toBeLessThan(8000);
    const { truncated } = final.data;
    expect(truncated).toMatchObject({ path: "final_state.big", total: long.replace(/\n$/, "").length });
    expect(final.text).toContain(`${truncated.next.tool}(${JSON.stringify(truncated.next.arguments)})`);
    const { final_state } = (await wholeData(limited(call), final)) as unknown as typeof final.data;
    expect(final_state.big).toBe(long.replace(/\n$/, ""));
  });

  test("many tasks with large contexts fit, and every shown task is named", async () => {
    const steps = `
inputs: { items: { type: array } }
sub_agent_tasks:
  work:
    steps:
      - { id: do, type: user_message, message: "{{ item.id }}" }
steps:
  - { id: all, type: parallel_foreach, items: "{{ inputs.items }}", max_parallel: 40, sub_agent_task: work }
`;
    world = await openWorld({ "demo:tasks": steps });
    const { call } = await world.client();
    const items = Array.from({ length: 60 }, (_, index) => ({
      id: `batch_with_a_rather_long_name_${index}`,
      files: Array.from({ length: 50 }, (_, file) => `src/folder/${file}.ts`),
    }));
    const started = await call("workflow_start", { workflow: "demo:tasks", inputs: { items } });
    expect(started.isError).toBe(false);
    expect(chars(started)).toBeLessThan(8000);
    expect(started.text).toContain("40 tasks");
    expect(started.data.step.definition.tasks[0].task_id).toBe("batch_with_a_rather_long_name_0");
    const { step } = (await wholeData(limited(call), started)) as unknown as typeof started.data;
    expect(step.definition.tasks.length).toBeGreaterThan(10);
    expect(step.definition.tasks[9].context).toMatchObject(items[9] ?? {});
  });

  test("lists of workflows and runs are paged", async () => {
    const workflows = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [
        `many:workflow-${"with-a-long-name-".repeat(4)}${String(index).padStart(3, "0")}`,
        `\nsteps: [{ id: tell, type: user_message, message: "${"x".repeat(50)}" }]\n`,
      ]),
    );
    world = await openWorld(workflows);
    const { call } = await world.client();
    const names: string[] = [];
    for (let args: Record<string, unknown> | undefined = {}; args !== undefined;) {
      const reply: ToolReply = await call("workflow_list", args);
      expect(chars(reply)).toBeLessThan(8000);
      names.push(...reply.data.workflows.map((entry: { name: string }) => entry.name));
      args = reply.data.next_call?.arguments;
    }
    expect(names.filter((name) => name.startsWith("many:"))).toHaveLength(30);
    expect(new Set(names).size).toBe(names.length);
    const runs: string[] = [];
    for (let index = 0; index < 30; index += 1) runs.push((await call("workflow_start", { workflow: names[0] })).data.run_id);
    const first = await call("workflow_status");
    expect(chars(first)).toBeLessThan(8000);
    const seen: string[] = first.data.runs.map((run: { run_id: string }) => run.run_id);
    for (let after = seen.at(-1); after !== undefined;) {
      const page = await call("workflow_status", { after });
      expect(chars(page)).toBeLessThan(8000);
      const ids = page.data.runs.map((run: { run_id: string }) => run.run_id);
      seen.push(...ids);
      after = ids.at(-1);
    }
    expect(seen.sort()).toEqual(runs.sort());
  });

  test("the state is given by path when it is long", async () => {
    world = await openWorld({
      "demo:state": `\ndefault_state: { raw: { a: 1 } }\nsteps: [{ id: tell, type: user_message, message: hi }]\n`,
    });
    const { call } = await world.client({ toolsets: ["state"] });
    const { run_id } = (await call("workflow_start", { workflow: "demo:state" })).data;
    const value = Array.from({ length: 5000 }, (_, index) => `entry ${index}`);
    await call("workflow_state_update", { run_id, updates: [{ path: "raw.list", value }] });
    const read = await call("workflow_state_read", { run_id });
    expect(chars(read)).toBeLessThan(8000);
    const { truncated, ...shown } = read.data;
    expect(shown).toEqual({ a: 1, list: value.slice(0, shown.list.length) });
    expect(truncated).toMatchObject({ path: "list", total: 5000, next: { tool: "workflow_state_read" } });
    expect(await wholeData(limited(call), read)).toMatchObject({ a: 1, list: value });
    expect((await call("workflow_state_read", { run_id, paths: ["a", "raw.a", "nothing"] })).data).toEqual({
      a: 1,
      "raw.a": 1,
      nothing: null,
    });
  });

  test("a smaller limit is kept too", async () => {
    world = await openWorld({ "standards:fix": simple });
    const { call } = await world.client({ replyChars: 2000 });
    const started = await call("workflow_start", { workflow: "standards:fix", inputs: { branch: "b".repeat(3000) } });
    expect(chars(started)).toBeLessThan(2000);
    expect((await call("workflow_next", { run_id: "x".repeat(5000) })).isError).toBe(true);
    expect(chars(await call("workflow_next", { run_id: "x".repeat(5000) }))).toBeLessThan(2000);
  });
});
