/** A refused answer that is sent again word for word is the same call, also for a server that does not remember the first. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openCliBench } from "../../process/cli-world.ts";
import { openClient, openWorld, serverParts, type McpWorld, type TestClient, type ToolReply } from "../../process/mcp-client.ts";
import { everyTool } from "../../support/literal-client.ts";
import type { TestEngine } from "../../support/test-engine.ts";

const workflows = {
  "ask:number": `steps: [{ id: ask, type: user_input, prompt: "How many?", attempts: 3, validation: { pattern: "^[0-9]+$" }, state_update: { path: raw.n } }]`,
  "ask:way": `steps: [{ id: ask, type: user_input, prompt: "Which way?", attempts: 3, options: [left, right], state_update: { path: raw.n } }]`,
  "ask:round": `steps: [{ id: each, type: foreach, items: [a, b], steps: [{ id: ask, type: user_input, prompt: "{{ item }}?", attempts: 2, validation: { pattern: "^[0-9]+$" }, on_error: continue }] }]`,
};

let world: McpWorld;
const others: (TestClient | TestEngine)[] = [];
beforeAll(async () => {
  world = await openWorld(workflows);
});
afterAll(async () => {
  for (const other of others.toReversed()) await other.close();
  await world.close();
});

/** A client of another process on the same store, as after a restart. */
const restarted = async (): Promise<TestClient> => {
  const engine = await world.engine.again();
  const client = await openClient({ context: engine.context, ...serverParts, ...everyTool });
  others.push(engine, client);
  return client;
};

type Send = (client: TestClient, asked: { readonly run_id: string; readonly action_id: string }, answer: unknown) => Promise<ToolReply>;
const sends: readonly [string, Send][] = [
  ["workflow_progress", ({ call }, asked, result) => call("workflow_progress", { ...asked, result })],
  [
    "workflow_step_complete",
    ({ call }, { run_id, action_id }, result) =>
      call("workflow_step_complete", { workflow_id: run_id, step_id: `ask@${action_id}`, status: "success", result }),
  ],
  ["workflow_decide", ({ call }, { run_id, action_id }, answer) => call("workflow_decide", { run_id, decision_id: action_id, answer })],
];
const begun = async (client: TestClient, workflow: string): Promise<{ run_id: string; action_id: string }> => {
  const { run_id, action_id } = (await client.call("workflow_start", { workflow })).data;
  return { run_id, action_id };
};

describe.each(sends)("%s", (_, send) => {
  describe.each(["ask:number", "ask:way"])("with a wrong answer to %s", (workflow) => {
    test("costs one try however often it is sent, and another one after the question was asked for", async () => {
      const client = await world.client(everyTool);
      const asked = await begun(client, workflow);
      for (let time = 0; time < 3; time += 1) expect((await send(client, asked, "abc")).text).toContain("2 tries are left");
      await client.call("workflow_next", { run_id: asked.run_id });
      expect((await send(client, asked, "abc")).text).toContain("1 try is left");
    });

    test("gets the same refusal from a server that does not remember it, until the question is shown there", async () => {
      const client = await world.client(everyTool);
      const asked = await begun(client, workflow);
      const first = await send(client, asked, "abc");
      const after = await restarted();
      for (let time = 0; time < 3; time += 1) {
        const again = await send(after, asked, "abc");
        expect([again.text, again.data]).toEqual([first.text, first.data]);
      }
      // Who takes a question over has all its tries again.
      await after.call("workflow_resume", { run_id: asked.run_id });
      expect((await send(after, asked, "abc")).text).toContain("2 tries are left");
    });

    test("is another try where another answer was the last that was refused", async () => {
      const client = await world.client(everyTool);
      const asked = await begun(client, workflow);
      await send(client, asked, "abc");
      await send(client, asked, "xyz");
      expect((await send(await restarted(), asked, "abc")).text).toContain("That was the last try");
    });
  });
});

test("the wrong answer of the round before is another try", async () => {
  const client = await world.client(everyTool);
  const asked = await begun(client, "ask:round");
  for (const result of ["abc", "xyz"]) await client.call("workflow_progress", { ...asked, result });
  const { action_id } = (await client.call("workflow_next", { run_id: asked.run_id })).data;
  expect(action_id).not.toBe(asked.action_id);
  const after = await restarted();
  const { text } = await after.call("workflow_progress", { run_id: asked.run_id, action_id, result: "xyz" });
  expect(text).toContain("1 try is left");
});

test("each line of a command line is a try of its own", async () => {
  const bench = await openCliBench({
    ".waymark/workflows/ask.yaml": `name: ask\ndescription: d\nversion: "1.0.0"\n${workflows["ask:number"]}`,
  });
  const { run_id, action_id } = await bench.json<{ run_id: string; action_id: string }>(["start", "ask"]);
  const decide = ["decide", run_id, action_id, "abc"];
  expect((await bench.run(decide)).stderr).toContain("2 tries are left");
  expect((await bench.run(decide)).stderr).toContain("1 try is left");
  expect((await bench.run(["done", run_id, "--action", action_id, "--result", "abc"])).stderr).toContain("That was the last try");
  await bench.close();
});
