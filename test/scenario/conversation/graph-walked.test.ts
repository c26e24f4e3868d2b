/**
 * A client that does what replies say walks a graph with a group, and a chain with steps beside each other, to its end, also when it repeats
 * every call or restarts without memory.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openWorld, type McpWorld } from "../../process/mcp-client.ts";
import { driveLiterally, type ClientMode } from "../../support/literal-client.ts";

const graph = `nodes:
  - { id: plan, prompt: Plan it. }
  - id: rounds
    depends_on: [plan]
    loop_group:
      max_iterations: 3
      until_bash: test $judge.output = good
      nodes:
        - { id: write, prompt: "Write it, after $LOOP_PREV.judge.output." }
        - { id: judge, prompt: "Judge it.", depends_on: [write] }
  - { id: tell, prompt: Tell it., depends_on: [rounds] }
`;

const chain = "steps:\n  - step: one\n  - parallel: [{ step: left }, { step: right }]\n  - step: last\n";

let world: McpWorld;
beforeAll(async () => {
  world = await openWorld({ walked: graph });
  await world.engine.write(".archon/workflows/beside.yaml", `name: beside\ndescription: d\n${chain}`);
  for (const step of ["one", "left", "right", "last"]) await world.engine.write(`.archon/steps/${step}.md`, `Do ${step}.`);
});
afterAll(() => world.close());

const modes: readonly ClientMode[] = ["plain", "repeats", 3];

async function walked(mode: ClientMode): Promise<{ readonly status: string; readonly ids: readonly (string | undefined)[] }> {
  let judged = 0;
  const agent = {
    answer: () => "",
    work: ({ id }: { readonly id: string }) => {
      if (!id.startsWith("judge")) return { result: `Did ${id}.` };
      judged += 1;
      return { result: judged < 2 ? "bad" : "good" };
    },
  };
  const { status, steps } = await driveLiterally(world, "walked", agent, { mode });
  return { status, ids: steps.map((id) => id.split("@")[0]) };
}

test.each(modes)("by a client of the kind %s", async (mode) => {
  const { status, ids } = await walked(mode);
  expect(status).toBe("completed");
  expect(new Set(ids)).toEqual(new Set(["plan", "write", "judge", "tell"]));
});

test("in the order of the graph, round by round", async () => {
  expect((await walked("plain")).ids).toEqual(["plan", "write", "judge", "write", "judge", "tell"]);
});

test.each(modes)("a chain with steps beside each other, by a client of the kind %s", async (mode) => {
  const agent = { answer: () => "", work: ({ id }: { readonly id: string }) => ({ result: `Did ${id}.` }) };
  const { status, steps } = await driveLiterally(world, "beside", agent, { mode });
  expect(status).toBe("completed");
  expect([...new Set(steps.map((id) => id.split("@")[0]))]).toEqual(["one", "left", "right", "last"]);
});

test("who does what the run shares out is told what is open next, and not to report to an agent that did not start it", async () => {
  const { call } = await world.client();
  const { data } = await call("workflow_start", { workflow: "walked" });
  const reply = await call("workflow_progress", { run_id: data["run_id"], action_id: data["action_id"], task_id: "plan", result: "ok" });
  expect(reply.text).toContain("Task `plan` is completed.");
  expect(reply.text).not.toContain("started you");
  expect(reply.data).toMatchObject({ status: "task_done", next_call: { tool: "workflow_next", arguments: { run_id: data["run_id"] } } });
  expect(reply.data).not.toHaveProperty("later");
  const late = await call("workflow_progress", { run_id: data["run_id"], action_id: "a999", task_id: "plan", result: "ok" });
  expect(late.isError).toBe(true);
  expect(late.text).not.toContain("started you");
});
