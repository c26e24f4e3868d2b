import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { openWorld, type McpWorld, type ToolReply } from "../../test/process/mcp-client.ts";
import { engineCodes } from "../engine/index.ts";
import { mcpCodes } from "./codes.ts";

let world: McpWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const one = `\nsteps: [{ id: tell, type: user_message, message: hi }]\n`;

function expectRefusal(reply: ToolReply, code: string): void {
  expect(reply.isError).toBe(true);
  expect(reply.data.error).toMatchObject({ code, message: expect.any(String), fix: expect.any(String) });
  for (const said of [code, reply.data.error.message, reply.data.error.fix]) expect(reply.text).toContain(said);
  expect(reply.text).toContain(reply.data.next_call?.tool ?? code);
}

describe("the hint to an unknown tool", () => {
  test.each([
    ["workflow_answer", " Did you mean `workflow_decide`?"],
    ["workflow_report", " Did you mean `workflow_progress`?"],
    ["workflow_procress", " Did you mean `workflow_progress`?"],
    ["workflow.nxt", " Did you mean `workflow_next`?"],
    ["workflow_aborrt", ""],
    ["workflow_cancell", ""],
    ["workflow_delete", ""],
  ])("%s: one of a near name or of the same verb, and never one that ends a run", async (name, hint) => {
    world = await openWorld({ "demo:one": one });
    const { call } = await world.client({ toolsets: ["seed"] });
    await expect(call(name)).rejects.toThrow(new RegExp(`There is no tool \`${name}\`\\.${hint.replace("?", "\\?")}$`));
  });
});

describe("refusals say what happened, what to do and which call comes next", () => {
  test("an unknown workflow", async () => {
    world = await openWorld({ "demo:one": one });
    const { call } = await world.client();
    const reply = await call("workflow_start", { workflow: "demo:on" });
    expectRefusal(reply, "ENGINE_NO_WORKFLOW");
    expect(reply.text).toContain("Did you mean `demo:one`");
    expect(reply.data.next_call).toEqual({ tool: "workflow_list", arguments: {} });
  });

  test("wrong inputs", async () => {
    world = await openWorld({ "demo:in": `\ninputs: { n: { type: number } }\nsteps: [{ id: tell, type: user_message, message: hi }]\n` });
    const { call } = await world.client();
    const reply = await call("workflow_start", { workflow: "demo:in", inputs: { n: "many", m: 1 } });
    expectRefusal(reply, "ENGINE_WRONG_INPUTS");
    expect(reply.data.next_call).toEqual({ tool: "workflow_info", arguments: { workflow: "demo:in" } });
  });

  test("an unknown run, with the nearest", async () => {
    world = await openWorld({ "demo:one": one });
    const { call } = await world.client();
    const { run_id } = (await call("workflow_start", { workflow: "demo:one" })).data;
    const reply = await call("workflow_next", { run_id: `${run_id.slice(0, -1)}_` });
    expectRefusal(reply, "ENGINE_NO_RUN");
    expect(reply.text).toContain(run_id);
    expect(reply.data.next_call).toEqual({ tool: "workflow_status", arguments: {} });
  });

  test("a report for a step that is not open, which changes nothing", async () => {
    world = await openWorld({ "demo:one": one });
    const { call } = await world.client();
    const { run_id } = (await call("workflow_start", { workflow: "demo:one" })).data;
    const reply = await call("workflow_progress", { run_id, step_id: "other" });
    expectRefusal(reply, "ENGINE_WRONG_STEP");
    expect(reply.data.next_call).toEqual({ tool: "workflow_next", arguments: { run_id } });
    expect(reply.text).toContain("`tell`");
  });

  test("completing a run that has open steps", async () => {
    world = await openWorld({ "demo:one": one });
    const { call } = await world.client();
    const { run_id } = (await call("workflow_start", { workflow: "demo:one" })).data;
    expectRefusal(await call("workflow_complete", { run_id }), "RUN_NOT_DONE");
    expect((await call("workflow_complete", { run_id, status: "cancelled" })).data.status).toBe("cancelled");
  });

  test("missing and unknown arguments, with a call that starts and reports nothing", async () => {
    world = await openWorld({ "demo:one": one });
    const { call } = await world.client();
    const missing = await call("workflow_next", {});
    expectRefusal(missing, "MCP_BAD_ARGUMENT");
    expect(missing.data.next_call).toEqual({ tool: "workflow_status", arguments: {} });
    const unknown = await call("workflow_start", { workflow: "demo:one", colour: "all" });
    expectRefusal(unknown, "MCP_UNKNOWN_ARGUMENT");
    expect(unknown.data.next_call).toEqual({ tool: "workflow_info", arguments: { workflow: "demo:one" } });
    expect((await call("workflow_status")).data.runs).toEqual([]);
  });

  test("a workflow of the project that nobody has allowed to run commands", async () => {
    world = await openWorld({ "demo:one": one });
    await world.engine.write(
      ".waymark/workflows/demo__run.yaml",
      `name: demo:run\nsteps: [{ id: sh, type: shell_command, command: "echo hi" }]\n`,
    );
    const { call } = await world.client();
    const reply = await call("workflow_start", { workflow: "demo:run" });
    expectRefusal(reply, "ENGINE_NOT_ALLOWED");
    expect(reply.text).toContain("echo hi");
    expect(reply.text).toContain("waymark allow demo:run");
    expect(reply.data.later).toEqual({ when: "when a person has allowed it", tool: "workflow_start", arguments: { workflow: "demo:run" } });
    const info = await call("workflow_info", { workflow: "demo:run" });
    expect(info.data).toMatchObject({ cannot_start: expect.stringContaining("waymark allow demo:run"), engine_runs: ["command: echo hi"] });
  });
});

describe("tools that are not offered", () => {
  test("one of another toolset names the toolset and what does the same", async () => {
    world = await openWorld({ "demo:one": one });
    const { call } = await world.client();
    for (const name of ["workflow_get_next_step", "workflow.get_next_step"]) {
      const reply = await call(name, { workflow_id: "x" });
      expectRefusal(reply, "MCP_OTHER_TOOLSET");
      expect(reply.text).toContain("--tools seed");
      expect(reply.text).toContain("`workflow_next`");
    }
    expect((await call("workflow_state.update", {})).text).toContain("--tools state");
  });

  test("one that nobody knows is an error of the protocol, with the nearest name", async () => {
    world = await openWorld({ "demo:one": one });
    const { call } = await world.client();
    await expect(call("workflow_nxt")).rejects.toMatchObject({ code: -32602, message: expect.stringContaining("`workflow_next`") });
  });
});

test("what the engine does not expect is told as such, and nothing of the host is shown", async () => {
  world = await openWorld({ "demo:one": one });
  const { call } = await world.client();
  await world.engine.context.store.close();
  const reply = await call("workflow_status");
  expect(reply.isError).toBe(true);
  expect(reply.data.error.code).toMatch(/^(STORE_|MCP_UNEXPECTED)/);
  expect(reply.text).not.toContain("node_modules");
  world = undefined;
});

test("every code that this room names is in a catalogue", () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts"),
  );
  const named = files.flatMap((file) =>
    [
      ...readFileSync(join(import.meta.dirname, file), "utf8").matchAll(
        /"((?:MCP|ENGINE|RUN|STRAND|DECISION|ANSWER|ACTION|HOLDER|TASKS|EFFECT)_[A-Z_]+)"/g,
      ),
    ].map((match) => match[1] ?? ""),
  );
  expect(named.length).toBeGreaterThan(10);
  expect([...new Set(named)].filter((code) => !(code in mcpCodes) && !(code in engineCodes))).toEqual([]);
});
