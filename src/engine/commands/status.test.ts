import { afterAll, beforeAll, expect, test } from "vitest";
import type { ComposedEngine } from "../../../test/crash/compose-engine.ts";
import { AlwaysBench } from "../../../test/crash/engine-bench.ts";
import { testTransformation } from "../../state/index.ts";
import { debugInfo, traceTransformations } from "./debug.ts";
import { exportRun } from "./journal.ts";
import { runs, status } from "./status.ts";
import { progress } from "./progress.ts";
import { start } from "./start.ts";

const bench = new AlwaysBench();
let engine: ComposedEngine;
beforeAll(async () => {
  engine = await bench.open();
  await engine.define(
    "look:steps",
    `
name: look:steps
inputs: { who: { type: string, required: false }, token: { type: string, required: false, secret: true } }
default_state: { raw: { list: [1, 2] } }
state_schema:
  computed:
    count: { from: raw.list, transform: "input.length" }
    twice: { from: computed.count, transform: "input * 2" }
steps:
  - { id: one, type: user_message, message: "{{ twice }}" }
  - { id: two, type: user_message, message: "two", on_error: continue }
  - { id: three, type: user_message, message: "three" }
`,
  );
});
afterAll(() => bench.close());

async function started(inputs: Readonly<Record<string, string>> = {}) {
  const caller = engine.caller();
  const { run } = await start(engine.context, caller, { workflow: "look:steps", inputs });
  return { run, caller };
}

test("runs are listed with how they stand, newest first", async () => {
  const { run: first, caller } = await started();
  for (let step = 0; step < 3; step += 1) await progress(engine.context, caller, { run: first });
  const { run: second } = await started();
  const listed = await runs(engine.context, {});
  expect(listed.slice(0, 2).map(({ id, workflow, status: is }) => [id, workflow, is])).toEqual([
    [second, "look:steps", "running"],
    [first, "look:steps", "completed"],
  ]);
  expect(listed[0]!.updatedAt).toBeGreaterThanOrEqual(listed[0]!.createdAt);
  expect(listed[0]!.line).toBeTypeOf("object");
  expect((await runs(engine.context, { status: ["completed"] })).map(({ id }) => id)).toEqual([first]);
});

test("the status of a run says what is open, who has it, and that its process is alive", async () => {
  const { run, caller } = await started();
  const { strands, handle } = await status(engine.context, run);
  expect(handle.id).toBe(run);
  expect(strands).toMatchObject([
    { strand: "main", standing: { kind: "action", action: { step: "one" } }, holder: caller.holder.name, alive: true, stale: false },
  ]);
  expect(strands[0]).not.toHaveProperty("task");
});

test("work that nobody reported for longer than the limit is stale, and a lease that is over is nobody's", async () => {
  const { run } = await started();
  const { store, settings } = engine.context;
  const later = (ms: number) =>
    Object.create(engine.context, {
      store: {
        value: new Proxy(store, {
          get: (target, name) => {
            if (name === "now") return async () => (await target.now()) + ms;
            const member: unknown = Reflect.get(target, name, target);
            return typeof member === "function" ? (member.bind(target) as unknown) : member;
          },
        }),
      },
    }) as typeof engine.context;
  expect((await status(later(settings.idleAfterMs / 2), run)).strands).toMatchObject([{ stale: false, alive: false }]);
  expect((await status(later(2 * settings.idleAfterMs), run)).strands).toMatchObject([{ stale: true, alive: false }]);
});

test("the history of a run has each step that was left, in order, with how it ended", async () => {
  const { run, caller } = await started();
  const { context } = engine;
  expect((await debugInfo(context, run)).step_history).toEqual([]);
  await progress(context, caller, { run });
  await progress(context, caller, { run, status: "failed", error: "no" });
  const { step_history: history, current_step: current } = await debugInfo(context, run);
  expect(history.map(({ step_id: step, status: how }) => `${step} ${how}`)).toEqual(["one success", "two failed"]);
  for (const { started_at: from, completed_at: to } of history) expect(Date.parse(from)).toBeLessThanOrEqual(Date.parse(to));
  expect(current).toBe("three");
});

test("what debugging tells of the state counts its bytes and the evaluations, by field", async () => {
  const { run } = await started();
  const info = await debugInfo(engine.context, run);
  expect(info.state_size.raw_bytes).toBe('{"list":[1,2]}'.length);
  expect(info.state_size.computed_bytes).toBe('{"count":2,"twice":4}'.length);
  expect(info.state_size.total_transformations).toBeGreaterThanOrEqual(2);
  const fields = info.performance.slowest_transformations;
  expect(fields.map(({ field }) => field).toSorted()).toEqual(["count", "twice"]);
  expect(fields[0]!.avg_ms).toBeGreaterThanOrEqual(fields[1]!.avg_ms);
});

test("traces show what each computed field was made of; one field can be asked for, and its time left out", async () => {
  const { run } = await started();
  const all = await traceTransformations(engine.context, run);
  expect(all.map(({ field }) => field)).toEqual(expect.arrayContaining(["count", "twice"]));
  expect(all.every((each) => typeof each.duration_ms === "number" && each.error === undefined)).toBe(true);
  const [twice, ...others] = await traceTransformations(engine.context, run, "twice", false);
  expect(others).toEqual([]);
  expect(twice).toMatchObject({ field: "twice", input: 2, output: 4 });
  expect(twice).not.toHaveProperty("duration_ms");
});

test("a transformation is tried without any run, with names beside its input", async () => {
  const { context } = engine;
  expect(await testTransformation(context, "input * factor", 3, { factor: 2 })).toMatchObject({ success: true, output: 6 });
  expect(await testTransformation(context, "other === null", 3)).toMatchObject({ success: true, output: true });
  expect(await testTransformation(context, "input.", 3)).toMatchObject({
    success: false,
    error: expect.stringMatching(/\(line 1, column \d+\)$/),
    execution_time_ms: 0,
  });
  expect(await testTransformation(context, "input.a.b", {})).toMatchObject({ success: false, error: expect.any(String) });
});

test("an exported run has its state, inputs and whole journal, and hides its secrets", async () => {
  const { run, caller } = await started({ who: "ada", token: "s3cret-token" });
  await progress(engine.context, caller, { run });
  const whole = await exportRun(engine.context, run);
  expect(whole).toMatchObject({
    format: "waymark-run",
    run_id: run,
    workflow: "look:steps",
    status: "running",
    state: { count: 2, twice: 4 },
  });
  expect(whole["inputs"]).toMatchObject({ who: "ada" });
  expect(JSON.stringify(whole)).not.toContain("s3cret-token");
  expect(whole).not.toHaveProperty("error");
  expect((whole["journal"] as readonly { position: number }[]).map(({ position }) => position)).toEqual(
    (await bench.records(run)).map(({ position }) => position),
  );
});

test("the export of a run that failed says why, and a long journal is whole", async () => {
  await engine.define(
    "look:long",
    `
name: look:long
inputs: { list: array }
default_state: { raw: { turn: 0 } }
steps:
  - id: again
    type: foreach
    items: "{{ inputs.list }}"
    steps:
      - { id: say, type: user_message, message: x }
      - { id: count, type: state_update, path: raw.turn, operation: increment }
  - { id: wrong, type: user_message, message: y }
`,
  );
  const { context } = engine;
  const caller = engine.caller();
  const { run } = await start(context, caller, { workflow: "look:long", inputs: { list: Array.from({ length: 210 }, () => 1) } });
  for (let turn = 0; turn < 210; turn += 1) await progress(context, caller, { run });
  await progress(context, caller, { run, status: "failed", error: "broken" });
  const whole = await exportRun(context, run);
  expect(whole).toMatchObject({ status: "failed", error: { message: expect.stringContaining("broken") } });
  const records = await bench.records(run);
  expect(records.length).toBeGreaterThan(200);
  expect(whole["journal"]).toHaveLength(records.length);
  expect((await debugInfo(context, run)).step_history).toHaveLength(200);
});
