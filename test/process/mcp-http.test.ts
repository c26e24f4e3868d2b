import { readFile, stat } from "node:fs/promises";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { connect, makeClient } from "./mcp-client.ts";
import { openPackage, type Child, type Package } from "./mcp-package.ts";

const gate = `
name: demo:gate
description: Asks.
version: "1.0.0"
steps:
  - { id: ship, type: user_input, prompt: "Ship it?", answer_by: person, state_update: { path: raw.ship } }
  - { id: tell, type: user_message, message: "{{ ship }}" }
`;

let built: Package;
beforeEach(async () => {
  built = await openPackage({ ".waymark/workflows/demo__gate.yaml": gate });
});
afterEach(() => built.close());

interface Address {
  readonly url: string;
  readonly mcp_url: string;
  readonly agent_token: string;
  readonly person_token: string;
}

async function serve(): Promise<{ child: Child; file: string; address: Address }> {
  const child = built.start(["serve", "--port", "0", "--json"]);
  const { file } = JSON.parse(await child.says(/\{[^{}]*"file"[^{}]*\}/)) as { file: string };
  return { child, file, address: JSON.parse(await readFile(file, "utf8")) as Address };
}

describe.each(["legacy", "auto", "modern"] as const)("a client in %s mode", (mode) => {
  test("drives a run over HTTP while a person answers beside it", async () => {
    const { address } = await serve();
    const transport = new StreamableHTTPClientTransport(new URL(address.mcp_url), {
      requestInit: { headers: { authorization: `Bearer ${address.agent_token}` } },
    });
    const mcp = await connect(makeClient(mode), transport);
    const { run_id, action_id } = (await mcp.call("workflow_start", { workflow: "demo:gate" })).data;
    const answer = await fetch(`${address.url}/api/decide`, {
      method: "POST",
      headers: { authorization: `Bearer ${address.person_token}`, "content-type": "application/json" },
      body: JSON.stringify({ run_id, decision_id: action_id, answer: "yes" }),
    });
    expect(await answer.json()).toMatchObject({ recorded: "now" });
    const tell = await mcp.call("workflow_next", { run_id });
    expect(tell.data.step.definition.message).toBe("yes");
    expect((await mcp.call("workflow_progress", { run_id, action_id: tell.data.action_id })).data.status).toBe("completed");
    await mcp.close();
  });
});

test("the server listens on this computer only, needs its token, and leaves nothing behind when asked to stop", async () => {
  const { child, file, address } = await serve();
  expect(new URL(address.url).hostname).toBe("127.0.0.1");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await fetch(address.mcp_url, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" })).status).toBe(401);
  expect(child.stdout()).not.toContain(address.agent_token);
  expect(child.stdout()).not.toContain(address.person_token);
  child.process.kill("SIGTERM");
  expect(await child.ended).toBe(0);
  await expect(stat(file)).rejects.toMatchObject({ code: "ENOENT" });
});
