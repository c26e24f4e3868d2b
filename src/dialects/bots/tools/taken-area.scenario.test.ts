import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openClient, serverParts, type TestClient } from "../../../../test/process/mcp-client.ts";
import { smallBot } from "../../../../test/support/bot-sample.ts";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close();
});

async function bench(files = smallBot()): Promise<{ readonly engine: TestEngine; readonly call: TestClient["call"] }> {
  const engine = await openTestEngine(files);
  open.push(engine);
  const client = await openClient({ context: engine.context, ...serverParts });
  open.push(client);
  return { engine, call: client.call };
}

const filesOf = async ({ folder }: TestEngine): Promise<string[]> =>
  Promise.all(["workflow_state.json", "activity_log.json"].map((name) => readFile(join(folder, "area", name), "utf8")));
const start = (call: TestClient["call"], inputs: object = {}) => call("workflow_start", { workflow: "small_bot", inputs });
const choose = (call: TestClient["call"], run: string, result: string) => call("workflow_progress", { run_id: run, result });

function expectTaken(reply: Awaited<ReturnType<TestClient["call"]>>, run: string): void {
  expect([reply.isError, reply.data.error?.code]).toEqual([true, "ENGINE_AREA_TAKEN"]);
  for (const part of [`run \`${run}\``, "workflow_next", `waymark next ${run}`, "workflow_abort"]) expect(reply.text).toContain(part);
  expect(reply.data).toMatchObject({ later: { tool: "workflow_next", arguments: { run_id: run } } });
  expect(reply.data).not.toHaveProperty("next_call");
}

test("a second run is not started in the area of an open run, and the files stay as they are", async () => {
  const { engine, call } = await bench();
  const first: string = (await start(call, { project_area: "area" })).data.run_id;
  const before = await filesOf(engine);
  expectTaken(await start(call, { project_area: "./area/" }), first);
  expect(await filesOf(engine)).toEqual(before);
  expect(await engine.context.store.listRuns({ workflow: "small_bot" })).toHaveLength(1);
});

test("the answer that names the area of an open run is refused, and another folder is taken", async () => {
  const { engine, call } = await bench();
  const first: string = (await start(call, { project_area: "area" })).data.run_id;
  const before = await filesOf(engine);
  const second: string = (await start(call)).data.run_id;
  expectTaken(await choose(call, second, "area"), first);
  expect(await filesOf(engine)).toEqual(before);
  const other = await choose(call, second, "elsewhere");
  expect([other.isError, other.data.run_id]).toEqual([false, second]);
  expect(await filesOf(engine)).toEqual(before);
});

test("a run that was aborted holds no area", async () => {
  const { call } = await bench();
  const first: string = (await start(call, { project_area: "area" })).data.run_id;
  await call("workflow_abort", { run_id: first, reason: "begin again" });
  expect((await start(call, { project_area: "area" })).isError).toBe(false);
});

test("an action that chooses the area is told when another run has it", async () => {
  const action = (name: string, next: string | null, order: number): [string, string] => [
    `base_actions/${name}/action_config.json`,
    JSON.stringify({ name, workflow: true, order, next_action: next }),
  ];
  const { engine, call } = await bench(smallBot(Object.fromEntries([action("initialize_project", "gather", 0)])));
  const first: string = (await start(call)).data.run_id;
  const report = (run: string) => call("workflow_progress", { run_id: run, result: { summary: "Chosen.", project_area: "area" } });
  await report(first);
  const second: string = (await start(call)).data.run_id;
  const asked = await report(second);
  expect(asked.text).toContain(`Not done: \`area\` is the project area of run \`${first}\``);
  expect((await engine.context.runs.open(second)).state.scopes["run"]?.raw["project_area"]).toBe("");
});
