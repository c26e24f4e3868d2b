import { afterEach, beforeEach, expect, test } from "vitest";
import { spawnClient, type TestClient, type ToolReply } from "./mcp-client.ts";
import { openPackage, type Package } from "./mcp-package.ts";

const graph = `name: pair
description: Nodes beside each other, and an approval.
nodes:
  - id: plan
    prompt: "Plan <$REJECTION_REASON>."
  - id: left
    depends_on: [plan]
    prompt: "Left of $plan.output."
  - id: right
    depends_on: [plan]
    prompt: "Right of $plan.output."
  - id: ok
    depends_on: [plan]
    approval: { message: "Is $plan.output good?", on_reject: { reopens: [plan], max_attempts: 3 } }
  - id: last
    depends_on: [left, right, ok]
    prompt: "Last of $left.output and $right.output."
`;

let built: Package;
const clients: TestClient[] = [];
beforeEach(async () => {
  built = await openPackage({ ".archon/workflows/pair.yaml": graph });
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await built.close();
});

/** Does what a reply says, whatever that is: work that is asked for, a question for the user, or asking again. */
async function obey({ call }: TestClient, { data }: ToolReply, done: string[]): Promise<ToolReply> {
  const { next_call: next, ask_person_call: ask, later, fill_in: fill, step } = data;
  const { tool, arguments: given } = ask ?? next ?? later;
  if (fill === undefined || ask !== undefined) return call(tool, given);
  const prompt: string = step.definition.prompt;
  const reply = await call(tool, { ...given, result: `[${prompt}]` });
  if (!reply.isError) done.push(prompt);
  return reply;
}

test("two clients that do what replies say bring a graph to its end, with a rejection in between and a report that comes too late", async () => {
  const answers = [
    { answer: "reject", reason: "too long" },
    { answer: "approve", reason: "" },
  ];
  const asked: string[] = [];
  const open = async (): Promise<TestClient> => {
    const client = await spawnClient(built.command(["mcp"]), "legacy", (message) => {
      asked.push(message.split("\n")[0] ?? "");
      return { action: "accept", content: answers.shift() ?? {} };
    });
    clients.push(client);
    return client;
  };
  const [one, two] = [await open(), await open()];
  const done: string[] = [];
  const started = await one.call("workflow_start", { workflow: "pair", inputs: { user_message: "go" } });
  const { run_id } = started.data;
  await obey(one, started, done);
  const left = await two.call("workflow_next", { run_id });
  expect(left.data.step.definition.prompt).toBe("Left of [Plan <>.].");
  // The rejection comes while the other client works on what depends on the plan.
  const first = await one.call("workflow_decide", { run_id, decision_id: "ok" });
  expect(first.data.step.definition.prompt).toBe("Plan <too long>.");
  const second = await two.call(left.data.next_call.tool, { ...left.data.next_call.arguments, result: "too late" });
  expect(second.isError).toBe(true);
  // Each waits where it is told to, so both act for themselves.
  const toEnd = async (client: TestClient, from: ToolReply): Promise<string> => {
    let reply = from;
    for (let calls = 0; calls < 400 && reply.data.status !== "completed"; calls += 1) reply = await obey(client, reply, done);
    return reply.data.status;
  };
  expect(await Promise.all([toEnd(one, first), toEnd(two, second)])).toEqual(["completed", "completed"]);
  const plan = "[Plan <too long>.]";
  expect(done.toSorted()).toEqual(
    [
      "Plan <>.",
      "Plan <too long>.",
      `Left of ${plan}.`,
      `Right of ${plan}.`,
      `Last of [Left of ${plan}.] and [Right of ${plan}.].`,
    ].toSorted(),
  );
  expect(asked).toEqual(["Is [Plan <>.] good?", `Is ${plan} good?`]);
});
