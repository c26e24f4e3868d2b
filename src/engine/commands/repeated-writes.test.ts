import { afterAll, beforeAll, expect, test } from "vitest";
import { next } from "./next.ts";
import { readState, updateState } from "./state.ts";
import { report } from "./report.ts";
import { SeedBench } from "../../../test/support/seed-bench.ts";

let bench: SeedBench;
beforeAll(async () => {
  bench = await SeedBench.open();
});
afterAll(() => bench.close());

const body = `
default_state: { raw: { count: 3 } }
state_schema:
  computed:
    rest: { from: raw.count, transform: "if (input > 10) throw new Error('too many'); return 10 - input;", on_error: propagate }
steps:
  - { id: a, type: mcp_call, mcp: { method: m }, state_update: { path: raw.count, operation: increment, value: 4 } }
  - { id: b, type: user_message, message: x }
`;

test("a write that was made is known again, also where it could not be made a second time", async () => {
  const run = await bench.run(body);
  const { context } = run.engine;
  const { standing } = await next(context, run.caller, { run: run.id });
  if (standing.kind !== "action") throw new Error(standing.kind);
  const write = {
    run: run.id,
    updates: [{ path: "raw.count", operation: "increment" as const, value: 4 }],
    key: `${standing.action.id}@v0`,
  };
  expect(await updateState(context, run.caller, write)).toMatchObject({ recorded: "now" });
  expect(await updateState(context, run.caller, write)).toMatchObject({ recorded: "before" });
});

test("a key of a step that is over: the repeat of a write is known", async () => {
  const run = await bench.run(body.replace("input > 10", "input > 100"));
  const { context } = run.engine;
  const { standing } = await next(context, run.caller, { run: run.id });
  if (standing.kind !== "action") throw new Error(standing.kind);
  const write = {
    run: run.id,
    updates: [{ path: "raw.count", operation: "increment" as const, value: 4 }],
    key: `${standing.action.id}@v0`,
  };
  await updateState(context, run.caller, write);
  await report(context, run.caller, { run: run.id, action: standing.action.id });
  expect(await updateState(context, run.caller, write)).toMatchObject({ recorded: "before" });
  expect((await readState(context, run.id)).state).toMatchObject({ count: 7 });
});
