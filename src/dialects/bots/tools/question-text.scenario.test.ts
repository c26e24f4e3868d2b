import { afterEach, expect, test } from "vitest";
import { openClient, serverParts } from "../../../../test/process/mcp-client.ts";
import { smallBot } from "../../../../test/support/bot-sample.ts";
import { openTestEngine } from "../../../../test/support/test-engine.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close();
});

test("the question after a summary without a full stop is a sentence of its own, and one question is counted as one", async () => {
  const engine = await openTestEngine(smallBot());
  open.push(engine);
  const client = await openClient({ context: engine.context, ...serverParts });
  open.push(client);
  const started = await client.call("workflow_start", { workflow: "small_bot", inputs: { project_area: "area" } });
  const asked = await client.call("workflow_progress", { run_id: started.data.run_id, result: { summary: "by hand" } });
  expect(asked.text).toContain("shape.gather: by hand. Is it done?");
  expect((await client.call("workflow_status")).text).toContain(", 1 open question, ");
});
