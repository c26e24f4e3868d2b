/** Clients of a checklist that repeat every call, or restart without memory, end where a plain one ends. */
import { afterEach, describe, expect, test } from "vitest";
import type { TestClient, ToolReply } from "../../process/mcp-client.ts";
import { oldCalls, review } from "../../support/checklist-sample.ts";
import { openChecklistWorld, type ChecklistWorld } from "../../support/checklist-world.ts";
import type { ClientMode } from "../../support/literal-client.ts";

const files = { "a.js": "old('x');\nold(y);\n", "b.js": "old(y);\n", "c.js": "old(z);\n" };
const definitions = { ".waymark/workflows/o.workflow.yaml": oldCalls, ".waymark/workflows/r.workflow.yaml": review };

let world: ChecklistWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

/** How a report names what it is about. */
type Naming = "by the words of the seed" | "by the id of the action";
type Data = Record<string, unknown>;

function reportOf({ data }: ToolReply, naming: Naming): Data {
  const { action, file, checklist_item_id, type } = data.next_action;
  const id: unknown = data.action_id ?? data.next_action.action_id ?? data.next_call?.arguments.action_id;
  if (type === "user_decision") return { action_id: id, answer: "review_by_file" };
  const done =
    action === "convert_instance" ? { status: "skipped", skip_reason: "fine as it is" } : { status: "completed", result: "read" };
  if (naming === "by the id of the action") return { action_id: id, completed_action: { action, ...done } };
  return { completed_action: { action, file, checklist_item_id, ...done } };
}

/** Does every action that it is given until the run can be completed; answers what the run counts then. */
async function driven(workflow: string, naming: Naming, mode: ClientMode): Promise<unknown> {
  world = await openChecklistWorld({ workflows: [], definitions, files });
  let client = await world.client();
  const begun = await client.call("workflow_start", { workflow_type: workflow });
  const { session_id } = begun.data;
  let turn = typeof mode === "number" ? mode : 0;
  const send = async (tool: string, args: Data): Promise<ToolReply> => {
    const { call }: TestClient = client;
    const times = mode === "repeats" ? 2 : 1;
    const replies: ToolReply[] = [];
    for (let time = 0; time < times; time += 1) replies.push(await call(tool, { session_id, ...args }));
    for (const { isError, text } of replies) expect(isError, text).toBe(false);
    turn += 1;
    if (typeof mode !== "number" || turn % 3 !== 0) return replies.at(-1) as ToolReply;
    await client.close();
    client = await (world as ChecklistWorld).client();
    return client.call("workflow_resume", { session_id });
  };
  let reply = await send("workflow_next", {});
  for (let calls = 0; reply.data.next_action.action !== "complete_workflow"; calls += 1) {
    expect(calls).toBeLessThan(60);
    reply = await send("workflow_progress", reportOf(reply, naming));
  }
  const completed = await client.call("workflow_complete", { session_id });
  const { files_completed, files_total, instances_skipped } = (await client.call("workflow_status", { session_id })).data.progress;
  return { status: completed.data.status, files_completed, files_total, instances_skipped };
}

const modes: readonly [string, ClientMode][] = [
  ["a plain client", "plain"],
  ["a client that repeats every call", "repeats"],
  ["a client that restarts at its second call and every third", 1],
  ["a client that restarts at every third call", 0],
];

describe.each<Naming>(["by the words of the seed", "by the id of the action"])("reporting %s", (naming) => {
  test.each(modes)("%s ends a migration with every instance dealt with once", async (_, mode) => {
    expect(await driven("old-calls", naming, mode)).toEqual({
      status: "completed",
      files_completed: 3,
      files_total: 3,
      instances_skipped: 4,
    });
  });

  test.each(modes)("%s ends a review with every file looked at", async (_, mode) => {
    expect(await driven("review", naming, mode)).toMatchObject({ status: "completed", files_completed: 3, files_total: 3 });
  });
});
