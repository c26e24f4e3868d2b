import { freeHolders } from "../../../../test/support/free-holders.ts";
import { afterEach, expect, test } from "vitest";
import { openClient, serverParts } from "../../../../test/process/mcp-client.ts";
import { oldCalls } from "../../../../test/support/checklist-sample.ts";
import { expectSound } from "../../../../test/support/checklist-sound.ts";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";
import { effectLease, type EngineContext } from "../../../engine/index.ts";
import { gatherFacts, runBatch } from "../run/index.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close();
});

async function clientOf({ context }: TestEngine) {
  const client = await openClient({ context, ...serverParts });
  open.push(client);
  return client.call;
}

/** A process confirms a batch and dies at it: its lease of the effect is left behind, and another process is asked. */
async function interrupted() {
  const engine = await openTestEngine({
    ".waymark/workflows/old-calls.workflow.yaml": oldCalls,
    "a.js": "old('x');\nold(y);\n",
    "b.js": "old('z');\n",
  });
  open.push(engine);
  const first = await clientOf(engine);
  const { session_id: run } = (await first("workflow_start", { workflow_type: "old-calls" })).data;
  await first("workflow_progress", { run_id: run, result: "apply_auto_first" });
  const { later } = (await first("workflow_batch", { run_id: run, operation: "apply_fixes" })).data;
  const { store, runs, effects } = engine.context;
  const dying = Object.create(engine.context, { effects: { value: { ...effects, startOpen: () => undefined } } }) as EngineContext;
  await runBatch(dying, engine.caller, { run, token: later.arguments.confirmation_token });
  const [effect = ""] = Object.keys((await runs.open(run)).state.effects);
  const leave = (ms: number) => store.acquire(effectLease(run, effect), "dead", 1, ms);
  expect((await leave(600_000)).granted).toBe(true);
  const second = await engine.again({ callWaitMs: 20 });
  open.push(second);
  return { context: second.context, call: await clientOf(second), run, confirm: later.arguments, die: () => leave(0) };
}

const waits = (run: string) => ({ tool: "workflow_next", arguments: { run_id: run } });
const said = "Batch b1 was interrupted or is held by another process, and is being finished: 0 of 2 recorded so far.";

test("while another process may be at the batch, every reply says so and names the call that waits", async () => {
  const { context, call, run, confirm } = await interrupted();
  for (const tool of ["workflow_status", "workflow_next", "workflow_resume", "workflow_next"]) {
    const reply = await call(tool, { run_id: run });
    expect(reply.text, tool).toContain(said);
    expect(reply.data, tool).toMatchObject({ next_call: waits(run) });
  }
  const again = await call("workflow_batch", confirm);
  expect(again.data).toMatchObject({ error: { code: "ENGINE_TOKEN_USED" }, next_call: waits(run) });
  expect(again.text).toContain("its batch b1 was interrupted or is held by another process, and is being finished.");
  const other = (await call("workflow_batch", { run_id: run, operation: "apply_fixes" })).data.later.arguments;
  expect((await call("workflow_batch", other)).data).toMatchObject({ error: { code: "STRAND_HELD" }, next_call: waits(run) });
  expect((await gatherFacts(context, run)).batches).toMatchObject([{ id: "b1", underWay: expect.stringContaining("interrupted") }]);
});

test("the step of a batch that the engine finished ends by the one call that its reply names", async () => {
  const { context, call, run, confirm, die } = await interrupted();
  await die();
  await freeHolders(context);
  await expect.poll(async () => (await call("workflow_next", { run_id: run })).data.next_action.action).toBe("batch_apply");
  const left = await call("workflow_next", { run_id: run });
  expect(left.text).toContain("Nothing is left that the engine could fix");
  expect(left.data.next_call).toMatchObject({ tool: "workflow_progress", arguments: { status: "completed" } });
  expect(left.data).not.toHaveProperty("fill_in");
  expect((await call("workflow_batch", confirm)).text).toContain("its batch was done once and is not done again");
  const after = await call("workflow_progress", left.data.next_call.arguments);
  expect(after.data.next_action).toMatchObject({ action: "convert_instance", file: "a.js" });
  await expectSound(context, run);
});
