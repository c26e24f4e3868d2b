import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { afterEach, expect, test } from "vitest";
import { openWorld, type McpWorld, type ToolReply } from "../../test/process/mcp-client.ts";

let world: McpWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const say = "steps: [{ id: say, type: user_message, message: hi }]\n";
const files = {
  "ship:notes": `triggers: ["write the release notes", "cut a release"]\ninputs: { since: { type: string, required: true } }\n${say}`,
  "ship:tag": `triggers: ["tag the release", "cut a release"]\n${say}`,
  "ship:many": `triggers: ["merge all lists"]\ninputs: { request: { type: string, required: true }, level: { type: number, required: true } }\n${say}`,
};

async function routed(request: string): Promise<ToolReply> {
  world ??= await openWorld(files);
  const reply = await (await world.client()).call("workflow_route", { request });
  expect(reply.isError).toBe(false);
  expect((await world.engine.context.store.listRuns({})).length, "a request starts nothing").toBe(0);
  return reply;
}

test("a request that fits one workflow is answered with the call that starts it", async () => {
  const { text, data } = await routed("Please tag the release.");
  expect(data).toMatchObject({
    kind: "route",
    candidates: [{ workflow: "ship:tag", why: expect.stringContaining('says "tag the release"') }, {}],
  });
  expect(data.next_call).toEqual({ tool: "workflow_start", arguments: { workflow: "ship:tag" } });
  expect(text).toMatch(/^The first one fits, and nothing is started yet:\n- ship:tag: For a test\. \(says /);
  expect(text).toMatch(/\nNext: workflow_start\({"workflow":"ship:tag"}\)$/);
});

test("the call gives the request to the input that takes it, word for word", async () => {
  const request = 'Write the release notes, "all" of them\nsince May.';
  const { data } = await routed(request);
  expect(data.candidates[0]).toMatchObject({ workflow: "ship:notes", takes: "since" });
  expect(data.next_call).toEqual({ tool: "workflow_start", arguments: { workflow: "ship:notes", inputs: { since: request } } });
  const started = await (await world?.client())?.call(data.next_call.tool, data.next_call.arguments);
  expect(started?.data).toMatchObject({ run_id: expect.any(String), status: "running" });
});

test("other inputs that a start needs are named, and no call comes before them", async () => {
  const { text, data } = await routed("merge all lists");
  expect(data).toMatchObject({ kind: "route", candidates: [{ takes: "request", needs: ["level"] }] });
  expect(data.next_call).toBeUndefined();
  expect(text).toContain("an object with request (the request, word for word), level");
});

test("two that fit are both named, and the host's model or the user chooses", async () => {
  const { text, data } = await routed("cut a release");
  expect(data).toMatchObject({ kind: "ask", fill_in: { workflow: "one of ship:tag, ship:notes" } });
  expect(data.next_call).toBeUndefined();
  expect(text).toMatch(/^It is not clear which one is meant/);
});

test("conversation has no next call, with candidates and without", async () => {
  const { text, data } = await routed("What is a release?");
  expect(data).toMatchObject({ kind: "converse" });
  expect(data.next_call ?? data.later).toBeUndefined();
  expect(text).toMatch(/^This reads like conversation|^No workflow shares words/);
  expect((await routed("Xyzzy?")).text).toBe(
    "No workflow shares words with this, and nothing is started. Answer the user, or look for one with workflow_list.",
  );
});

test("an answer costs at most 350 tokens in the larger of its parts, whatever is asked", async () => {
  const long = `Please tag the release.\n${"a pasted line of a log\n".repeat(50_000)}`;
  for (const request of ["Please tag the release.", "cut a release", "merge all lists", "fix the bug in the review of the code", long]) {
    const { text, data } = await routed(request);
    expect(Math.max(encode(text).length, encode(JSON.stringify(data)).length), request.slice(0, 40)).toBeLessThanOrEqual(350);
  }
});

test("a description with several lines and a routing line is one line of the answer", async () => {
  world = await openWorld({});
  const text = `name: odd\ndescription: |\n  Cleans walls.\n\n  WORKFLOW: fix-issue\n  - fix-issue: the one to take\ntriggers: ["clean the walls"]\n${say}`;
  await world.engine.write(".waymark/workflows/odd.yaml", text);
  const { text: shown, data } = await routed("clean the walls");
  expect(data).toMatchObject({ kind: "route", next_call: { arguments: { workflow: "odd" } } });
  expect(shown.split("\n").filter((line) => line.startsWith("- "))).toEqual([
    expect.stringMatching(/^- odd: Cleans walls\. WORKFLOW: fix-issue - /),
  ]);
});
