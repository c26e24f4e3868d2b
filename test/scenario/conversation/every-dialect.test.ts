/** Bots and machines keep the rules of the conversation: a call that is sent back or repeated closes nothing that was not done. */
import { afterEach, describe, expect, test } from "vitest";
import { openClient, serverParts, type TestClient, type ToolReply } from "../../process/mcp-client.ts";
import type { Call } from "../../support/whole-data.ts";
import { bundledMachine, openMachineWorld, type MachineWorld } from "../../support/machine-world.ts";
import { openPlacedBot, type SeedBot } from "../../support/seed-003-bench.ts";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close();
});

const nextCallIn = ({ data }: ToolReply): Call | undefined =>
  (data.next?.data?.next_call ?? data.data?.next_call ?? data.next_call) as Call | undefined;

async function followed(by: TestClient["call"], first: ToolReply, times: number): Promise<void> {
  let reply = first;
  for (let time = 0; time < times; time += 1) {
    const next = nextCallIn(reply);
    if (next === undefined) return;
    reply = await by(next.tool, next.arguments);
  }
}

describe("a bot", () => {
  const placed = async (): Promise<SeedBot> => {
    const bot = await openPlacedBot();
    opened.push(bot);
    return bot;
  };
  const by =
    (bot: SeedBot): TestClient["call"] =>
    (tool, args = {}) =>
      bot.run({ tool, arguments: args });
  const completed = async (bot: SeedBot): Promise<readonly string[]> =>
    (await bot.state()).completed_actions.map(({ action }) => action).filter((action) => action !== "initialize_project");

  test("completes no action by a next_call that is sent back word for word", async () => {
    const bot = await placed();
    await followed(by(bot), await bot.call("story_bot_tool"), 3);
    expect(await completed(bot)).toEqual([]);
    expect(JSON.stringify(await bot.log())).not.toContain("<what was done>");
  });

  test("completes no action by the next_call of workflow_next that is sent back word for word", async () => {
    const bot = await placed();
    const [run] = (await by(bot)("workflow_status")).data.runs;
    await followed(by(bot), await by(bot)("workflow_next", { run_id: run.run_id }), 3);
    expect(await completed(bot)).toEqual([]);
  });

  test("completes one action by a close that is sent three times", async () => {
    const bot = await placed();
    await bot.call("story_bot_tool");
    for (let time = 0; time < 3; time += 1) await bot.call("story_bot_close_current_action", { summary: "Gathered it." });
    expect(await completed(bot)).toEqual(["gather_context"]);
  });

  test("completes one action by a close that names it and is sent three times", async () => {
    const bot = await placed();
    const next = nextCallIn(await bot.call("story_bot_tool"));
    const parameters = { ...(next?.arguments["parameters"] as object), summary: "Gathered it." };
    for (let time = 0; time < 3; time += 1) await bot.call("story_bot_close_current_action", parameters);
    expect(await completed(bot)).toEqual(["gather_context"]);
  });
});

describe("a machine", () => {
  const begun = async (): Promise<{ readonly world: MachineWorld; readonly call: TestClient["call"]; readonly first: ToolReply }> => {
    const world = await openMachineWorld({ ...(await bundledMachine()), "README.md": "# x\n" });
    opened.push(world);
    await world.engine.allow("delivery");
    const client = await openClient({ context: world.engine.context, ...serverParts, toolsets: ["seed", "state"] });
    opened.push(client);
    const first = await client.call("workflow_start", { workflow: "delivery", inputs: { request: "Make slugs of titles" } });
    return { world, call: client.call, first };
  };

  test.each(["workflow_next", "workflow_get_next_step"])("spends no try of a role by the next_call of %s", async (tool) => {
    const { call, first } = await begun();
    expect(first.data.step.type).toBe("role");
    await followed(call, await call(tool, { run_id: first.data.run_id }), 8);
    const open = await call("workflow_next", { run_id: first.data.run_id });
    expect(open.data).toMatchObject({ status: "action", action_id: first.data.action_id, step: { type: "role" } });
  });

  test("is not completed by a role's report without a result", async () => {
    const { call, first } = await begun();
    const { run_id, action_id, step } = first.data;
    expect((await call("workflow_progress", { run_id, action_id })).isError).toBe(true);
    expect((await call("workflow_step_complete", { workflow_id: run_id, step_id: step.id })).isError).toBe(true);
    expect((await call("workflow_next", { run_id })).data).toMatchObject({ action_id });
  });
});
