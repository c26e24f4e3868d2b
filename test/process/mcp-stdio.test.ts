import { readdir } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { dialectTools } from "../support/all-dialects.ts";
import { allTools } from "../../src/mcp/index.ts";
import { spawnClient, type TestClient } from "./mcp-client.ts";
import { openPackage, type Package } from "./mcp-package.ts";
import { authorsId, handedOut } from "../support/handed-out.ts";

const talk = `
name: demo:talk
description: Asks and tells.
version: "1.0.0"
steps:
  - { id: list, type: agent_shell_command, command: "ls", output_format: lines, state_update: { path: raw.files } }
  - { id: ship, type: user_input, prompt: "Ship it?", answer_by: person, options: [{ value: "yes" }, { value: "no" }], state_update: { path: raw.ship } }
  - { id: tell, type: user_message, message: "{{ files.length }} files, ship: {{ ship }}" }
`;

let built: Package;
const clients: TestClient[] = [];
beforeEach(async () => {
  built = await openPackage({ ".waymark/workflows/demo__talk.yaml": talk });
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await built.close();
});

async function client(...given: Parameters<typeof spawnClient>) {
  const opened = await spawnClient(...given);
  clients.push(opened);
  return opened;
}

describe.each(["legacy", "auto", "modern"] as const)("a client in %s mode", (mode) => {
  test("drives a workflow from start to end over stdio, with its user asked on the way", async () => {
    const asked: string[] = [];
    const { client: mcp, call } = await client(built.command(["mcp"]), mode, (message) => {
      asked.push(message);
      return { action: "accept", content: { answer: "yes" } };
    });
    expect(mcp.getProtocolEra()).toBe(mode === "legacy" ? "legacy" : "modern");
    expect(mcp.getServerVersion()?.name).toBe("waymark");
    expect(mcp.getInstructions()).toContain("one step at a time");
    expect((await mcp.listTools()).tools.map((tool) => tool.name)).toHaveLength(15);
    const listed = (await call("workflow_list")).data.workflows as readonly { readonly name: string; readonly source: string }[];
    expect(listed.filter(({ source }) => source === "project")).toMatchObject([{ name: "demo:talk" }]);
    const started = (await call("workflow_start", { workflow: "demo:talk" })).data;
    const { run_id } = started;
    expect((await call("workflow_progress", { run_id, action_id: started.action_id, result: ["a", "b"] })).data).toMatchObject({
      status: "question",
    });
    const tell = (await call("workflow_decide", { run_id })).data;
    expect(tell.step.definition.message).toBe("2 files, ship: yes");
    expect(asked).toHaveLength(1);
    expect((await call("workflow_progress", { run_id, action_id: tell.action_id })).data.status).toBe("completed");
    expect((await call("workflow_complete", { run_id, status: "success" })).data.final_state).toEqual({ files: ["a", "b"], ship: "yes" });
    expect((await mcp.getPrompt({ name: "workflow", arguments: { action: "list" } })).messages).toHaveLength(1);
    const { contents } = await mcp.readResource({ uri: `waymark://runs/${run_id}/report` });
    expect((contents[0] as { text: string }).text).toContain("Ship it?");
  });
});

test("every tool can be listed and called by its dotted name", async () => {
  const { client: mcp, call } = await client(built.command(["mcp", "--tools", "all"]), "legacy");
  expect((await mcp.listTools()).tools.map((tool) => tool.name)).toEqual(allTools(dialectTools).map((tool) => tool.name));
  const { run_id } = (await call("workflow.start", { workflow: "demo:talk" })).data;
  expect(authorsId((await call("workflow.get_next_step", { workflow_id: run_id })).data.step)).toBe("list");
  const plan = (await call("workflow.explain_plan", { workflow: "demo:talk" })).data;
  expect(plan.steps.map((step: { step_id: string }) => step.step_id)).toEqual(["list", "ship", "tell"]);
  expect(plan).toMatchObject({ estimated_duration: expect.any(String), required_tools: [] });
});

test("an unknown toolset is refused at once, with the names there are", async () => {
  const child = built.start(["mcp", "--tools", "everything"]);
  expect(await child.ended).not.toBe(0);
  expect(child.stderr()).toContain("MCP_UNKNOWN_TOOLSET");
  expect(child.stderr()).toMatch(/default.*state.*debug.*seed.*all/s);
  expect(child.stdout()).toBe("");
});

const hello = [
  {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "0" } },
  },
  { jsonrpc: "2.0", method: "notifications/initialized" },
];
const lines = (messages: readonly unknown[]): string => messages.map((message) => `${JSON.stringify(message)}\n`).join("");

test("the process ends when its input ends, and only the protocol is on its output, however much is logged", async () => {
  const child = built.start(["mcp"], { WAYMARK_LOG: "debug" });
  child.process.stdin.write(
    lines([
      ...hello,
      { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "workflow_start", arguments: { workflow: "demo:talk" } } },
    ]),
  );
  await child.says(/"id":2/);
  child.process.stdin.end();
  expect(await child.ended).toBe(0);
  for (const line of child.stdout().trim().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
});

test("a client that only looks leaves nothing in the workspace", async () => {
  const looker = await spawnClient(built.command(["mcp"]), "legacy");
  const listed = (await looker.call("workflow_list")).data.workflows as readonly { readonly source: string }[];
  expect(listed.filter(({ source }) => source === "project")).toHaveLength(1);
  await looker.close();
  expect(await readdir(join(built.workspace, ".waymark"))).toEqual(["workflows"]);
});

test("a server that is asked to stop gives its run back, so that the next one goes on at once", async () => {
  const first = built.start(["mcp"]);
  first.process.stdin.write(
    lines([
      ...hello,
      { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "workflow_start", arguments: { workflow: "demo:talk" } } },
    ]),
  );
  const [, run = ""] = /"run_id":"([^"]+)"/.exec(await first.says(/"structuredContent".*"run_id":"[^"]+"/)) ?? [];
  first.process.kill("SIGTERM");
  expect(await first.ended).toBe(0);
  const second = await client(built.command(["mcp"]), "legacy");
  expect((await second.call("workflow_next", { run_id: run })).data).toMatchObject({ status: "action", step: { id: handedOut("list") } });
});

test("a server that is killed loses its run at once", async () => {
  const first = built.start(["mcp"]);
  first.process.stdin.write(
    lines([
      ...hello,
      { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "workflow_start", arguments: { workflow: "demo:talk" } } },
    ]),
  );
  const [, run = ""] = /"run_id":"([^"]+)"/.exec(await first.says(/"structuredContent".*"run_id":"[^"]+"/)) ?? [];
  const second = await client(built.command(["mcp"]), "modern");
  first.process.kill("SIGKILL");
  await first.ended;
  const reply = await second.call("workflow_next", { run_id: run });
  expect(reply.data).toMatchObject({ status: "action", step: { id: handedOut("list") }, interrupted_before: true });
});

interface WireReply {
  readonly id?: number;
  readonly error?: { readonly code: number };
  readonly result?: { readonly isError?: boolean; readonly structuredContent?: { readonly error?: { readonly code: string } } };
}

test("nonsense on the wire is answered or ignored, and the server goes on", async () => {
  const child = built.start(["mcp", "--tools", "all"]);
  child.process.stdin.write(lines(hello));
  await child.says(/"id":1[,}]/);
  const name = fc.constantFrom(...allTools(dialectTools).map((tool) => tool.name));
  const keys = [
    "run_id",
    "workflow",
    "workflow_id",
    "inputs",
    "updates",
    "paths",
    "result",
    "status",
    "sub_agent_context",
    "answer",
    "transform",
    "input",
    "__proto__",
  ];
  const calls = fc.sample(fc.tuple(name, fc.dictionary(fc.constantFrom(...keys), fc.jsonValue({ maxDepth: 3 }))), 150);
  child.process.stdin.write('not json\n{}\n[]\n"text"\n');
  child.process.stdin.write(
    lines([
      { jsonrpc: "2.0", id: 2, method: "no/such" },
      { jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "workflow_next", arguments: "text" } },
    ]),
  );
  child.process.stdin.write(
    lines(
      calls.map(([tool, args], index) => ({
        jsonrpc: "2.0",
        id: 1000 + index,
        method: "tools/call",
        params: { name: tool, arguments: args },
      })),
    ),
  );
  const ids = [2, 3, ...calls.map((_, index) => 1000 + index)];
  for (const id of ids) await child.says(new RegExp(`"id":${id}[,}]`));
  const replies = child
    .stdout()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as WireReply);
  const codes = replies.flatMap(({ result }) => (result?.isError === true ? [result.structuredContent?.error?.code] : []));
  expect(codes.length).toBeGreaterThan(100);
  expect(codes.filter((code) => !/^(MCP_BAD_ARGUMENT|MCP_UNKNOWN_ARGUMENT|ENGINE_[A-Z_]+)$/.test(code ?? ""))).toEqual([]);
  expect(
    replies
      .filter(({ error }) => error !== undefined)
      .map(({ id }) => id)
      .toSorted((a = 0, b = 0) => a - b),
  ).toEqual([2, 3]);
  child.process.stdin.end();
  expect(await child.ended).toBe(0);
});
