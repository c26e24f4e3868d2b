import { afterEach, beforeEach, expect, test } from "vitest";
import { openTestEngine, type TestEngine } from "../../../test/support/test-engine.ts";
import type { Caller } from "../caller.ts";
import { end } from "./end.ts";
import { next } from "./next.ts";
import { start } from "./start.ts";

const text = `
name: two
steps: [{ id: all, type: parallel_foreach, items: [{ id: A }, { id: B }], sub_agent_task: each }]
sub_agent_tasks: { each: { steps: [{ id: s, type: mcp_call, mcp: { method: m } }] } }
`;
let engine: TestEngine;
let run: string;
beforeEach(async () => {
  engine = await openTestEngine({ ".waymark/workflows/two.yaml": text });
  ({ run } = await start(engine.context, engine.caller, { workflow: "two", waitMs: 0, held: false }));
});
afterEach(() => engine.close());

const caller = (name: string, kind: "agent" | "person" = "agent"): Caller => ({
  holder: { kind, name, session: name },
  surface: "test",
  leaseOwner: name,
});
const abort = (by: Caller): Promise<unknown> => end(engine.context, by, { run, status: "cancelled" });
const takeTask = (by: Caller, task: string): Promise<unknown> => next(engine.context, by, { run, task, waitMs: 0 });

test("an agent does not end a run while another one alive works on a task of it, though nobody drives the run itself", async () => {
  await takeTask(caller("first"), "A");
  const { head } = await engine.context.runs.open(run);
  await expect(abort(caller("second"))).rejects.toMatchObject({ code: "STRAND_HELD", details: { holder: "first" } });
  await takeTask(caller("second"), "B");
  await expect(abort(caller("second"))).rejects.toMatchObject({ code: "STRAND_HELD", details: { holder: "first" } });
  expect((await engine.context.runs.open(run)).state.status).toBe("running");
  expect(head).toBeGreaterThan(0);
});

test.each([
  ["a person", caller("ada", "person")],
  ["the only one who works on it", caller("first")],
])("%s ends a run", async (_who, by) => {
  await takeTask(caller("first"), "A");
  expect(await abort(by)).toMatchObject({ status: "cancelled" });
});

test("who drives a run ends it with the tasks that others work on", async () => {
  await next(engine.context, caller("driver"), { run, waitMs: 0 });
  await takeTask(caller("first"), "A");
  expect(await abort(caller("driver"))).toMatchObject({ status: "cancelled" });
});

test("a run whose holders have given back what they held is ended by anybody", async () => {
  await takeTask(caller("first"), "A");
  await engine.context.holding.release("first");
  expect(await abort(caller("second"))).toMatchObject({ status: "cancelled" });
});
