import { afterAll, beforeAll, expect, test } from "vitest";
import { next } from "./commands/next.ts";
import { progress } from "./commands/progress.ts";
import { start } from "./commands/start.ts";
import { updateState } from "./commands/state.ts";
import type { Caller } from "./caller.ts";
import type { Json, JsonObject } from "../base/index.ts";
import type { Commit } from "../ports/index.ts";
import { AlwaysBench } from "../../test/crash/engine-bench.ts";
import type { ComposedEngine } from "../../test/crash/compose-engine.ts";

const bench = new AlwaysBench();
let engine: ComposedEngine;
/** Bytes written since the last look: what commits carry, and what snapshots and blobs hold. */
const written = { commits: 0, kept: 0 };
beforeAll(async () => {
  engine = await bench.open({
    storeMethods: ["commit", "createRun", "writeSnapshot", "putBlob"],
    store: async (name, args, call) => {
      if (name === "writeSnapshot") written.kept += String(args[2]).length;
      else if (name === "putBlob") written.kept += (args[0] as Uint8Array).byteLength;
      else written.commits += sizeOf(args[name === "createRun" ? 1 : 2] as Commit);
      return call();
    },
  });
});
afterAll(() => bench.close());

function sizeOf(commit: Commit): number {
  return JSON.stringify(commit).length;
}

/** Bytes of the commits that `work` makes. */
async function bytesOf(work: () => Promise<unknown>): Promise<number> {
  written.commits = 0;
  await work();
  return written.commits;
}

async function begun(name: string, yaml: string, inputs: JsonObject = {}): Promise<{ readonly run: string; readonly caller: Caller }> {
  await engine.define(name, yaml);
  const caller = engine.caller();
  const { run } = await start(engine.context, caller, { workflow: name, inputs });
  return { run, caller };
}

const list = (n: number): Json => Array.from({ length: n }, (_, index) => ({ id: `i${index}` }));

/** Ids grow by a few digits with the run; that is all that may grow. */
const allowance = 160;

const steps: Readonly<Record<string, (size: number) => Promise<number>>> = {
  "a report inside a loop over many items": async (size) => {
    const { run, caller } = await begun(
      "bytes:loop",
      `
name: bytes:loop
inputs: { list: array }
steps:
  - id: loop
    type: foreach
    items: "{{ inputs.list }}"
    steps: [{ id: act, type: mcp_call, mcp: { method: act, params: {} }, state_update: { path: raw.last } }]
`,
      { list: list(size) },
    );
    for (let turn = 0; turn < 4; turn += 1) await progress(engine.context, caller, { run, result: turn });
    return bytesOf(() => progress(engine.context, caller, { run, result: 9 }));
  },
  "a report of one of many tasks": async (size) => {
    const { run, caller } = await begun(
      "bytes:tasks",
      `
name: bytes:tasks
inputs: { list: array }
steps:
  - { id: all, type: parallel_foreach, items: "{{ inputs.list }}", sub_agent_task: work, max_parallel: 3 }
sub_agent_tasks:
  work:
    steps: [{ id: act, type: mcp_call, mcp: { method: act, params: {} }, state_update: { path: "raw.done.{{ task_id }}" } }]
`,
      { list: list(size) },
    );
    for (let turn = 0; turn < 4; turn += 1) {
      await next(engine.context, caller, { run, task: `i${turn}` });
      await progress(engine.context, caller, { run, task: `i${turn}`, result: turn });
    }
    await next(engine.context, caller, { run, task: "i4" });
    return bytesOf(() => progress(engine.context, caller, { run, task: "i4", result: 4 }));
  },
  "a state update beside many keys": async (size) => {
    const { run, caller } = await begun(
      "bytes:keys",
      `
name: bytes:keys
inputs: { many: object }
default_state: { raw: { many: "{{ inputs.many }}" } }
state_schema: { computed: { count: { from: raw.many, transform: "Object.keys(input).length" } } }
steps: [{ id: act, type: mcp_call, mcp: { method: act, params: {} }, state_update: { path: raw.many.k3, value: "{{ result }}" } }, { id: after, type: user_message, message: "{{ count }}" }]
`,
      { many: Object.fromEntries(Array.from({ length: size }, (_, index) => [`k${index}`, `value ${index}`])) },
    );
    await updateState(engine.context, caller, { run, updates: [{ path: "raw.many.k1", value: "new" }] });
    return bytesOf(() => progress(engine.context, caller, { run, result: "changed" }));
  },
  "an entry appended to a long list": async (size) => {
    const { run, caller } = await begun(
      "bytes:append",
      `
name: bytes:append
inputs: { list: array }
default_state: { raw: { log: "{{ inputs.list }}" } }
steps: [{ id: act, type: user_message, message: one }]
`,
      { list: list(size) },
    );
    return bytesOf(() =>
      updateState(engine.context, caller, { run, updates: [{ path: "raw.log", operation: "append", value: "one more" }] }),
    );
  },
};

test.each(Object.entries(steps))("rule 9: %s writes as much in a run of 5,000 as in one of 10", async (_what, cost) => {
  const small = await cost(10);
  const large = await cost(5_000);
  expect(small).toBeGreaterThan(100);
  expect(large).toBeLessThan(small + allowance);
});

test("rule 9: the hundredth task that fails writes as much as the third", async () => {
  const { run, caller } = await begun(
    "bytes:failing",
    `
name: bytes:failing
inputs: { list: array }
steps:
  - { id: all, type: parallel_foreach, items: "{{ inputs.list }}", sub_agent_task: work, max_parallel: 1, on_sub_agent_error: { strategy: continue, max_retries: 0 } }
sub_agent_tasks:
  work:
    steps: [{ id: act, type: mcp_call, mcp: { method: act, params: {} } }]
`,
    { list: list(110) },
  );
  const costs: number[] = [];
  for (let turn = 0; turn < 101; turn += 1) {
    await next(engine.context, caller, { run, task: `i${turn}` });
    costs.push(await bytesOf(() => progress(engine.context, caller, { run, task: `i${turn}`, status: "failed", error: "no" })));
  }
  expect(costs[100]).toBeLessThan((costs[3] ?? 0) + allowance);
});

test("rule 9: with snapshots counted too, a long list costs a bounded multiple of what is appended to it", async () => {
  const { run, caller } = await begun(
    "bytes:long",
    `
name: bytes:long
default_state: { raw: { log: [] } }
steps: [{ id: act, type: user_message, message: one }]
`,
  );
  const entry = "x".repeat(10_000);
  const rounds = 300;
  written.commits = 0;
  written.kept = 0;
  for (let turn = 0; turn < rounds; turn += 1)
    await updateState(engine.context, caller, { run, updates: [{ path: "raw.log", operation: "append", value: `${turn} ${entry}` }] });
  await engine.context.runs.settle();
  expect(written.kept).toBeGreaterThan(0);
  expect((written.commits + written.kept) / (rounds * entry.length)).toBeLessThan(5);
});
