import { afterEach, expect, test } from "vitest";
import { serverParts } from "../../test/process/mcp-client.ts";
import { DrivenTime } from "../../test/support/driven-time.ts";
import { openTestEngine, type TestEngine } from "../../test/support/test-engine.ts";
import { createMcpEndpoint } from "./serve-clients.ts";

let engine: TestEngine;
afterEach(() => engine.close());

type Called = { readonly structuredContent: Record<string, never>; readonly isError?: boolean };

/** A tool call of a client that is known by its user agent. */
async function call(endpoint: ReturnType<typeof createMcpEndpoint>, client: string, name: string, args: object): Promise<Called> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream", "user-agent": client };
  const response = await endpoint.fetch(new Request("http://127.0.0.1/mcp", { method: "POST", headers, body }));
  const text = await response.text();
  return (JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as { result: Called }).result;
}

test("a client over HTTP that waits for a part does not keep the one that has it alive", async () => {
  const time = new DrivenTime();
  const limits = { leaseTtlMs: 1_000, leaseBeatMs: 250, agentIdleMs: 10_000, callWaitMs: 0 };
  const steps = "name: one\nsteps: [{ id: a, type: user_message, message: x }]\n";
  engine = await openTestEngine({ ".waymark/workflows/one.yaml": steps }, limits, time);
  const endpoint = createMcpEndpoint({ context: engine.context, ...serverParts });
  const { run_id } = (await call(endpoint, "gone", "workflow_start", { workflow: "one" })).structuredContent;
  const asked: boolean[] = [];
  for (let second = 0; second < 12; second += 1) {
    await time.advance(1_000);
    asked.push((await call(endpoint, "waiting", "workflow_next", { run_id })).isError === true);
    if (second === 4) await call(endpoint, "gone", "workflow_next", { run_id });
  }
  expect(asked).toEqual(Array(12).fill(true));
  await time.advance(3_000);
  expect((await call(endpoint, "waiting", "workflow_next", { run_id })).structuredContent).toMatchObject({ status: "action" });
  await endpoint.close();
  expect(await engine.context.store.readLeases("strand/")).toEqual([]);
});
