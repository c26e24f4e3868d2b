import { afterAll, beforeAll, expect, test } from "vitest";
import { answer } from "./commands/answer.ts";
import { next } from "./commands/next.ts";
import { progress } from "./commands/progress.ts";
import { readState, updateState, type StateUpdate } from "./commands/state.ts";
import { SeedBench, type SeedRun } from "../../test/support/seed-bench.ts";

let bench: SeedBench;
beforeAll(async () => {
  bench = await SeedBench.open();
});
afterAll(() => bench.close());

const stateOf = async (run: SeedRun) => (await readState(run.engine.context, run.id)).state;

/** Stores what the step was handed out with, with the result filled in, and reports the same result. */
async function storeAndReport(run: SeedRun, result: unknown): Promise<void> {
  const { context } = run.engine;
  const { standing } = await next(context, run.caller, { run: run.id });
  if (standing.kind !== "action") throw new Error(standing.kind);
  const writes = JSON.parse(JSON.stringify(standing.action.writes).replaceAll('"{{ result }}"', JSON.stringify(result))) as StateUpdate[];
  const version = (await readState(context, run.id)).version;
  await updateState(context, run.caller, { run: run.id, updates: writes, key: `${standing.action.id}@v${version}` });
  await progress(context, run.caller, { run: run.id, action: standing.action.id, result: result as never });
}

test.each([
  [
    "a list that is emptied and then filled",
    "[{ path: raw.log, value: [] }, { path: raw.log, operation: append, value: '{{ result }}' }]",
    { log: ["r"] },
  ],
  ["an object and a field of it", "[{ path: raw.log, value: {} }, { path: raw.log.x, value: '{{ result }}' }]", { log: { x: "r" } }],
])("%s, stored as handed out and reported, is not erased by the report", async (_, updates, expected) => {
  const run = await bench.run(`
default_state: { raw: { log: null } }
steps:
  - { id: s, type: mcp_call, mcp: { method: m }, state_update: ${updates} }
  - { id: end, type: user_message, message: x }
`);
  await storeAndReport(run, "r");
  expect(await stateOf(run)).toMatchObject(expected);
});

test("a wrong word to the question about a lost step does not take back what was stored for the step", async () => {
  const run = await bench.run(`
default_state: { raw: { log: [] } }
steps:
  - { id: s, type: mcp_call, mcp: { method: m }, on_lost: ask, state_update: { path: raw.log, operation: append, value: '{{ result }}' } }
  - { id: end, type: user_message, message: x }
`);
  const { context } = run.engine;
  const { standing } = await next(context, run.caller, { run: run.id });
  if (standing.kind !== "action") throw new Error(standing.kind);
  await updateState(context, run.caller, {
    run: run.id,
    updates: [{ path: "raw.log", operation: "append", value: "r" }],
    key: `${standing.action.id}@v0`,
  });
  expect(await stateOf(run)).toMatchObject({ log: ["r"] });
  const other = { ...run.caller, holder: { kind: "agent" as const, name: "second", session: `second-${run.id}` } };
  const asked = await next(context, other, { run: run.id, takeOver: true });
  if (asked.standing.kind !== "question") throw new Error(asked.standing.kind);
  await answer(context, other, { run: run.id, decision: asked.standing.decision.id, answer: "yes", relayed: true }).catch(() => undefined);
  expect(await stateOf(run)).toMatchObject({ log: ["r"] });
});
