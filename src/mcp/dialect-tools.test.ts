import { freeHolders } from "../../test/support/free-holders.ts";
import * as z from "zod";
import { afterEach, describe, expect, test } from "vitest";
import { openWorld, serverParts, type McpWorld } from "../../test/process/mcp-client.ts";
import { defineTool, type DialectTools } from "./tool.ts";
import { allTools, describeTool, toolsets, toolsOf } from "./tool-registry.ts";

let world: McpWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const one = `\nsteps: [{ id: tell, type: user_message, message: hi }]\n`;

function sayTool(name: string): ReturnType<typeof defineTool> {
  return defineTool({
    name,
    after: "workflow_info",
    toolsets: ["default"],
    description: "Say something that no other dialect says.",
    returns: "`said`",
    shape: z.object({}),
    run: async () => ({ text: name, data: { said: name } }),
  });
}

/** It takes the runs of steps for its own. */
const ours: DialectTools = {
  dialect: "steps",
  tools: [sayTool("workflow_say")],
  toolsets: [{ name: "sayings", adds: "What is made." }],
  made: async (_engine, names) => (names.includes("sayings") ? [sayTool("made_say")] : []),
  instruction: "Say it.",
  parts: {
    workflow_start: { fields: { colour: z.string().optional().describe("Of the run.") }, returns: "`colour`" },
    workflow_status: {
      run: async (_call, args) => (args["run_id"] === undefined ? undefined : { text: "ours", data: { form: "ours" } }),
    },
  },
  standing: async (_call, { run }, before) => ({ text: before.lines(before.data).join(), data: { standing: run, ...before.data } }),
  values: { saying: async () => ({ long: "x".repeat(20) }) },
  report: async () => "Ours ends the report.",
};

describe("a dialect adds", () => {
  const tools = allTools([ours]);

  test("tools of its own, listed where it says, beside what it has in general ones", () => {
    expect(tools.slice(0, 5).map(({ name }) => name)).toEqual([
      "workflow_list",
      "workflow_route",
      "workflow_info",
      "workflow_say",
      "workflow_start",
    ]);
    const start = tools[4];
    if (start === undefined) throw new Error("no start");
    expect(Object.keys(describeTool(start).inputSchema["properties"] as object)).toEqual([
      "workflow",
      "inputs",
      "colour",
      "serial",
      "budget",
    ]);
    expect(start.returns.endsWith("; `colour`")).toBe(true);
    expect(allTools([]).some(({ name }) => name === "workflow_say")).toBe(false);
  });

  test("toolsets, which only its own server knows", () => {
    expect(toolsets([ours]).map(({ name }) => name)).toContain("sayings");
    expect(toolsOf([ours], ["sayings"])).toEqual(toolsOf([ours], []));
    expect(() => toolsOf([], ["sayings"])).toThrow("There is no toolset `sayings`");
  });

  test("made tools, replies in its own form, parts of its values and the end of a report", async () => {
    world = await openWorld({ "demo:one": one });
    const { client, call } = await world.client({ ...serverParts, dialects: [ours], toolsets: ["sayings"] });
    expect(client.getInstructions()).toContain("\nSay it.\n");
    expect((await client.listTools()).tools.at(-1)?.name).toBe("made_say");
    expect((await call("made_say")).data).toEqual({ said: "made_say" });
    const { run_id } = (await call("workflow_start", { workflow: "demo:one" })).data;
    expect((await call("workflow_status", { run_id })).data).toEqual({ form: "ours" });
    expect((await call("workflow_status")).data.runs).toHaveLength(1);
    expect((await call("workflow_next", { run_id })).data).toEqual({ standing: run_id });
    expect((await call("workflow_resume", { run_id })).data).toEqual({ standing: run_id, workflow_id: run_id });
    const plain = await world.client({ ...serverParts, dialects: [{ dialect: "steps", values: ours.values ?? {} }] });
    await freeHolders(world.engine.context);
    await plain.call("workflow_resume", { run_id });
    const part = await plain.call("workflow_next", { run_id, part: { path: "saying.long", from: 5 } });
    expect(part.data.value).toBe("x".repeat(15));
    const { contents } = await client.readResource({ uri: `waymark://runs/${run_id}/report` });
    expect((contents[0] as { text: string }).text.endsWith("\nOurs ends the report.")).toBe(true);
  });

  test("workers, which are refused where the dialect has none", async () => {
    world = await openWorld({ "demo:one": one });
    const { call } = await world.client({ ...serverParts, dialects: [{ dialect: "steps" }] });
    const { run_id } = (await call("workflow_start", { workflow: "demo:one" })).data;
    const refused = await call("workflow_next", { run_id, worker: "w1" });
    expect(refused.data.error).toMatchObject({
      code: "MCP_BAD_ARGUMENT",
      message: expect.stringContaining(
        "`worker` is for runs that hand out their work to everyone who asks, and a run of `demo:one` does not",
      ),
    });
    const sharing = await world.client({ ...serverParts, dialects: [{ dialect: "steps", workers: true }] });
    expect((await sharing.call("workflow_next", { run_id, worker: "w1" })).data.error.code).toBe("STRAND_HELD");
  });
});
