import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openClient, serverParts } from "../../../../test/process/mcp-client.ts";
import { samples } from "../../../../test/support/calling-samples.ts";
import { openTestEngine } from "../../../../test/support/test-engine.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close();
});

/** A bot whose action `call` runs the workflow `inner`, in a project that says that this action was started elsewhere. */
async function importedCall(confirmed: boolean) {
  const bot = samples.bots("outer", "inner");
  const files = Object.fromEntries(
    Object.entries(bot).map(([path, text]) => [path, confirmed ? text.replace('"auto_progress":true', '"auto_progress":false') : text]),
  );
  const config = ".waymark/workflows/outer/bot_config.json";
  files[config] = JSON.stringify({ ...(JSON.parse(files[config] ?? "{}") as object), done_by: "relay" });
  const engine = await openTestEngine({ ...files, ...samples.steps("inner") });
  open.push(engine);
  await mkdir(join(engine.folder, "area"), { recursive: true });
  const state = { current_behavior: "shape", current_action: "call", action_state: "started", completed_actions: [] };
  await writeFile(join(engine.folder, "area/workflow_state.json"), JSON.stringify(state));
  const { call } = await client();
  const run: string = (await call("workflow_start", { workflow: "outer" })).data.run_id;
  const asked = await call("workflow_progress", { run_id: run, result: "area" });
  async function client() {
    const opened = await openClient({ context: engine.context, ...serverParts });
    open.push(opened);
    return opened;
  }
  const answer = (result: string) => call("workflow_progress", { run_id: run, result });
  const log = async () =>
    (JSON.parse(await readFile(join(engine.folder, "area/activity_log.json"), "utf8")) as { action: string; action_state: string }[]).map(
      ({ action, action_state: of }) => `${action} ${of}`,
    );
  return { engine, call, run, asked, answer, log };
}

const interrupted = "`shape.call` was interrupted before it was reported. Do it again, or continue as if it were done?";

test.each([true, false])(
  "a brought action that calls is asked about before its workflow starts; retry runs it (confirmed: %s)",
  async (confirmed) => {
    const { call, run, asked, answer } = await importedCall(confirmed);
    expect(asked.text).toContain(interrupted);
    expect((await call("workflow_next", { run_id: run })).text).toContain(interrupted);
    expect((await answer("retry")).text).toContain("inner_hello");
  },
);

test("continue passes on without the workflow, and the person is told that nobody reported it; redo runs it without another question", async () => {
  const { answer, log } = await importedCall(true);
  const done = await answer("continue");
  expect(done.text).toContain("shape.call: it was interrupted, and nobody reported what was done. Is it done?");
  expect(await log()).toEqual(["call started"]);
  expect((await answer("redo")).text).toContain("inner_hello");
});

test("continue completes an action that nobody confirms", async () => {
  const { answer, log } = await importedCall(false);
  expect((await answer("continue")).isError).toBe(false);
  expect(await log()).toEqual(["call started", "call completed"]);
});

test("the question is closed when the run is aborted, and survives a restart", async () => {
  const { engine, call, run } = await importedCall(true);
  const later = await engine.again();
  open.push(later);
  const { state } = await later.context.runs.open(run);
  expect(Object.values(state.decisions)).toMatchObject([{ kind: "lost", step: "shape.call", status: "pending" }]);
  await call("workflow_abort", { run_id: run, reason: "enough" });
  expect(Object.values((await engine.context.runs.open(run)).state.decisions).filter(({ status }) => status === "pending")).toEqual([]);
});
