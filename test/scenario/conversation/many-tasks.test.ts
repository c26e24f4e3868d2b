/** However many tasks are open at once, a parent that obeys its replies starts every one of them. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isObject, textOf, type Json } from "../../../src/base/index.ts";
import { openWorld, type McpWorld, type TestClient, type ToolReply } from "../../process/mcp-client.ts";
import { driveLiterally, everyTool, tasksToStart, type Agent, type Step } from "../../support/literal-client.ts";
import { listOf, truncatedOf, wholeData } from "../../support/whole-data.ts";

const counts = [40, 120] as const;
const itemsOf = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `t${String(at).padStart(3, "0")}`);
const workflow = (count: number): string => `
steps:
  - { id: all, type: parallel_foreach, items: ${JSON.stringify(itemsOf(count).map((id) => ({ id })))}, max_parallel: ${count}, sub_agent_task: job }
  - { id: end, type: user_message, message: bye }
sub_agent_tasks: { job: { steps: [{ id: say, type: user_message, message: "{{ item.id }}" }] } }`;

let world: McpWorld;
let call: TestClient["call"];
beforeAll(async () => {
  world = await openWorld(Object.fromEntries(counts.map((count) => [`tasks:${count}`, workflow(count)])));
  ({ call } = await world.client(everyTool));
});
afterAll(() => world.close());

const agent: Agent = { work: () => ({ result: "done" }), answer: () => "yes" };
const stepOf = async (reply: ToolReply): Promise<Step> => (await wholeData(call, reply))["step"] as unknown as Step;
const idsOf = (tasks: readonly Json[]): string[] => tasks.filter(isObject).map(({ task_id }) => textOf(task_id));

describe.each(counts)("%d open tasks", (count) => {
  test("are all handed out, with the true total and the call for the rest where one reply has no room", async () => {
    const reply = await call("workflow_start", { workflow: `tasks:${count}` });
    expect(idsOf(tasksToStart(await stepOf(reply)))).toEqual(itemsOf(count));
    const shown = listOf(reply.data.step.definition.tasks as Json).length;
    const rest = truncatedOf(reply.data).filter(({ path }) => path === "step.definition.tasks");
    expect(rest).toMatchObject(shown === count ? [] : [{ total: count, next: { tool: "workflow_next" } }]);
    expect(reply.data.step.instructions).toContain(`each of the ${count} tasks`);
  });

  test.each(["workflow_next", "workflow_get_next_step", "workflow_resume"])(
    "are, asked again by %s while some run, listed with the free ones first and the running ones marked",
    async (tool) => {
      const { run_id } = (await call("workflow_start", { workflow: `tasks:${count}` })).data;
      const [begun, free] = [itemsOf(count).slice(0, 30), itemsOf(count).slice(30)];
      for (const task_id of begun) await call("workflow_next", { run_id, task_id });
      const reply = await call(tool, { run_id });
      const step = await stepOf(reply);
      expect(step.instructions).toContain(`each of the ${count - 30} tasks`);
      const tasks = listOf(step.definition["tasks"]);
      expect(idsOf(tasks)).toEqual([...free, ...begun]);
      expect(idsOf(tasksToStart(step))).toEqual(free);
      expect(tasks.filter((task) => isObject(task) && task["running"] === true)).toHaveLength(30);
    },
  );

  test("come to their end by the calls that replies name", async () => {
    const { status, steps } = await driveLiterally(world, `tasks:${count}`, agent);
    expect(status).toBe("completed");
    expect(steps).toHaveLength(count + 1);
  });

  test("come to their end when only the tasks that a reply shows are started before it asks again", async () => {
    let reply = await call("workflow_start", { workflow: `tasks:${count}` });
    const { run_id } = reply.data;
    for (let rounds = 0; reply.data.step.type === "parallel_tasks"; rounds += 1) {
      expect(rounds).toBeLessThan(count);
      for (const { task_id } of tasksToStart(reply.data.step as Step)) {
        const { next_call } = (await call("workflow_next", { run_id, task_id })).data;
        await call(next_call.tool, next_call.arguments);
      }
      reply = await call(reply.data.later.tool, reply.data.later.arguments);
    }
    expect(reply.data.step.definition).toEqual({ message: "bye" });
  });
});
