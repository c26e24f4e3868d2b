/** A command opens its run once, whatever the dialect of the run. */
import { afterEach, expect, test } from "vitest";
import type { EngineContext } from "../../../src/engine/index.ts";
import { openClient, serverParts, type TestClient } from "../../process/mcp-client.ts";
import { oldCalls } from "../../support/checklist-sample.ts";
import { openTestEngine, type TestEngine } from "../../support/test-engine.ts";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close();
});

const steps = `name: steps
description: d
version: "1.0.0"
steps:
  - { id: s, type: agent_shell_command, command: x, state_update: { path: raw.out } }
  - { id: gate, type: user_input, prompt: "Ship?", state_update: { path: raw.ok } }
  - { id: tell, type: user_message, message: done }`;

interface Counted {
  readonly call: TestClient["call"];
  /** How often the call opens its run. */
  readonly openings: (tool: string, args: Record<string, unknown>) => Promise<number>;
}

async function counted(): Promise<Counted> {
  const engine: TestEngine = await openTestEngine({
    ".waymark/workflows/steps.yaml": steps,
    ".waymark/workflows/o.workflow.yaml": oldCalls,
    "a.js": "old('x');\nold(y);\n",
    "b.js": "old('z');\n",
  });
  opened.push(engine);
  let count = 0;
  const runs = new Proxy(engine.context.runs, {
    get: (target, name) => {
      const held: unknown = Reflect.get(target, name);
      if (typeof held !== "function") return held;
      return (...given: unknown[]): unknown => {
        if (name === "open") count += 1;
        return Reflect.apply(held, target, given);
      };
    },
  });
  const context: EngineContext = { ...engine.context, runs };
  const client = await openClient({ context, ...serverParts, toolsets: ["seed", "state"] });
  opened.push(client);
  const openings: Counted["openings"] = async (tool, args) => {
    count = 0;
    const reply = await client.call(tool, args);
    expect(reply.isError, reply.text).toBe(false);
    return count;
  };
  return { call: client.call, openings };
}

test("workflow_next and workflow_get_next_step open a plain run once", async () => {
  const { call, openings } = await counted();
  const { run_id } = (await call("workflow_start", { workflow: "steps" })).data;
  expect([await openings("workflow_next", { run_id }), await openings("workflow_get_next_step", { workflow_id: run_id })]).toEqual([1, 1]);
});

test("the report of a plain step opens its run once", async () => {
  const { call, openings } = await counted();
  const { run_id, action_id } = (await call("workflow_start", { workflow: "steps" })).data;
  expect(await openings("workflow_progress", { run_id, action_id, result: "x" })).toBe(1);
});

test("the answer of a gate opens its run once", async () => {
  const { call, openings } = await counted();
  const { run_id, action_id } = (await call("workflow_start", { workflow: "steps" })).data;
  const gate = (await call("workflow_progress", { run_id, action_id, result: "x" })).data;
  expect(await openings("workflow_decide", { run_id, decision_id: gate.action_id, answer: "yes" })).toBe(1);
});

test("the report of a checklist entry opens its run once", async () => {
  const { call, openings } = await counted();
  const { session_id } = (await call("workflow_start", { workflow_type: "old-calls" })).data;
  await call("workflow_progress", { session_id, answer: "review_by_file" });
  const { next_call, next_action } = (await call("workflow_next", { session_id })).data;
  const skipped = { status: "skipped", skip_reason: "fine", action_id: next_action.action_id ?? next_call?.arguments.action_id };
  expect(await openings("workflow_progress", { session_id, ...skipped })).toBe(1);
});

test("a batch opens its run once for the preview and once for the confirmation", async () => {
  const { call, openings } = await counted();
  const { session_id } = (await call("workflow_start", { workflow_type: "old-calls" })).data;
  await call("workflow_progress", { session_id, answer: "apply_auto_first" });
  const preview = { session_id, operation: "apply_fixes", filter: { auto_fixable_only: true }, dry_run: true };
  expect(await openings("workflow_batch", preview)).toBe(1);
  const text = (await call("workflow_batch", preview)).text;
  const confirmation_token = /batch-[\w-]+/.exec(text)?.[0];
  expect(await openings("workflow_batch", { session_id, operation: "apply_fixes", confirmation_token })).toBe(1);
});
