/** Two agents that do what replies say, each with a server of its own, on one run: nobody takes a step from the other. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { driveLiterally } from "../support/literal-client.ts";
import { spawnClient, type TestClient, type ToolReply } from "./mcp-client.ts";
import { openPackage, type Package } from "./mcp-package.ts";

const head = (name: string): string => `name: ${name}\ndescription: d\nversion: "1.0.0"\n`;
const work = "type: agent_shell_command, command: make, on_lost: fail, state_update: { path: raw.out }";
const names = ["s1", "s2", "s3", "s4", "s5", "s6"];
const files = {
  ".waymark/workflows/two__steps.yaml": `${head("two:steps")}steps:\n${names.map((id) => `  - { id: ${id}, ${work} }`).join("\n")}\n`,
  ".waymark/workflows/two__tasks.yaml": `${head("two:tasks")}steps:
  - { id: all, type: parallel_foreach, items: [{ id: A }, { id: B }], sub_agent_task: each }
sub_agent_tasks: { each: { steps: [{ id: work, ${work} }] } }
`,
};

let built: Package;
const clients: TestClient[] = [];
beforeEach(async () => {
  built = await openPackage(files);
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await built.close();
});

async function client(): Promise<TestClient> {
  const opened = await spawnClient(built.command(["mcp", "--tools", "seed,state"]), "legacy");
  clients.push(opened);
  return opened;
}

const openRun = async ({ call }: TestClient): Promise<string> => (await call("workflow_status")).data.runs[0].run_id;

test("a second agent that was asked to resume the run and obeys every reply changes nothing for the first one", async () => {
  const second = await client();
  const seen: ToolReply[] = [];
  const driven = await driveLiterally({ client }, "two:steps", {
    answer: () => "",
    work: async () => {
      const { next_call, later } = seen.at(-1)?.data ?? {};
      const { tool, arguments: args } = next_call ?? later ?? { tool: "workflow_resume", arguments: { run_id: await openRun(second) } };
      seen.push(await second.call(tool, args));
      return { result: "made" };
    },
  });
  expect(driven.status).toBe("completed");
  expect(driven.steps.map((id) => id.split("@")[0])).toEqual(names);
  expect(seen.map(({ data }) => data.error?.code)).toEqual(names.map(() => "STRAND_HELD"));
  for (const { data, text } of seen) {
    expect(data).toMatchObject({ later: { tool: "workflow_next" }, error: { details: { holder: expect.any(String) } } });
    expect(data).not.toHaveProperty("next_call");
    expect(text).toMatch(
      /is held by agent `.+`\. It was given `s\d` \d+ s ago\. If nothing is heard of it, this part is free in ~10 minutes, at \d\d:\d\d UTC at the latest.*You are not needed/s,
    );
  }
});

test("a second agent gets a task that nobody works on, and other runs that are free are named where there is none", async () => {
  const second = await client();
  let free = "";
  const got: unknown[] = [];
  const driven = await driveLiterally({ client }, "two:tasks", {
    answer: () => "",
    work: async () => {
      const run_id = await openRun(second);
      const { data } = await second.call("workflow_next", { run_id });
      const { tool, arguments: args } = data.next_call;
      got.push((await second.call(tool, { ...args, result: "by the second" })).data.recorded);
      const other = await client();
      free = (await other.call("workflow_start", { workflow: "two:steps" })).data.run_id;
      await other.close();
      const told = await second.call("workflow_next", { run_id });
      got.push(told.data.error.code, told.data.error.details.free_runs);
      return { result: "by the first" };
    },
  });
  expect(got).toEqual(["now", "STRAND_HELD", [free]]);
  expect([driven.status, driven.actions.length]).toEqual(["completed", 1]);
});
