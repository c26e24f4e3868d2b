import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { doctor } from "./commands/doctor.ts";
import { end } from "./commands/end.ts";
import { note } from "./commands/note.ts";
import { retry } from "./commands/resume.ts";
import { next } from "./commands/next.ts";
import { progress } from "./commands/progress.ts";
import { readState, updateState } from "./commands/state.ts";
import { start } from "./commands/start.ts";
import type { Caller } from "./caller.ts";
import type { Reported } from "./commands/report-request.ts";
import { AlwaysBench, codeOf } from "../../test/crash/engine-bench.ts";
import type { ComposedEngine } from "../../test/crash/compose-engine.ts";

const bench = new AlwaysBench();
const engines: ComposedEngine[] = [];
beforeAll(async () => {
  for (let at = 0; at < 3; at += 1) engines.push(await bench.open({ settings: { callWaitMs: 20 } }));
  await engines[0]?.define("together:tasks", workflow);
});
afterAll(() => bench.close());

const workflow = `
name: together:tasks
default_state: { raw: { reported: 0, ran: 0, told: 0 } }
state_schema: { computed: { sum: { from: [raw.reported, raw.ran], transform: "input[0] + input[1]" } } }
steps:
  - id: all
    type: parallel_foreach
    items: [{ id: a }, { id: b }, { id: c }, { id: d }, { id: e }]
    sub_agent_task: work
    max_parallel: 3
    on_sub_agent_error: { strategy: continue, max_retries: 1 }
  - { id: last, type: user_message, message: "{{ sum }}" }
sub_agent_tasks:
  work:
    steps:
      - id: rounds
        type: foreach
        items: [1, 2]
        steps:
          - { id: "act_{{ task_id }}", type: mcp_call, mcp: { method: act, params: { sum: "{{ sum + 0 }}" } }, state_update: { path: raw.reported, operation: increment, value: 1 } }
          - { id: "run_{{ task_id }}", type: shell_command, command: "echo {{ task_id }} >> together.log", state_update: { path: raw.ran, operation: increment, value: 1 } }
`;

/** What one driver did that the engine said it has recorded. */
interface Done {
  reports: number;
  writes: number;
}

const tolerated = new Set([
  "STRAND_HELD",
  "HOLDER_LOST",
  "ENGINE_WRONG_STEP",
  "ENGINE_NO_ACTION",
  "ENGINE_NO_TASK",
  "ACTION_NOT_OPEN",
  "TASKS_OPEN",
  "RUN_ENDED",
  "RUN_NOT_DONE",
  "NOTHING_TO_RETRY",
  "STRAND_ENDED",
  "STRAND_NOT_HELD",
]);

async function driver(engine: ComposedEngine, caller: Caller, run: string, throws: readonly number[], done: Done): Promise<void> {
  for (const thrown of throws) {
    const task = ["a", "b", "c", "d", "e", undefined][thrown % 6];
    const named = task === undefined ? {} : { task };
    const code = await codeOf(step(engine, caller, { run, ...named }, thrown, done));
    if (code !== "ok" && !tolerated.has(code)) throw new Error(`An unexpected refusal: ${code}`);
  }
}

async function step(
  { context }: ComposedEngine,
  caller: Caller,
  at: { readonly run: string; readonly task?: string },
  thrown: number,
  done: Done,
): Promise<void> {
  const kind = thrown % 11;
  if (kind === 0) return void (await note(context, caller, { run: at.run, text: "hello" }));
  if (kind === 1) {
    await updateState(context, caller, { ...at, updates: [{ path: "raw.told", operation: "increment", value: 1 }] });
    done.writes += 1;
    return;
  }
  if (kind === 2) return void (await retry(context, caller, { run: at.run, waitMs: 0 }));
  if (kind === 3) return void (await end(context, caller, { run: at.run, status: "completed" }));
  const { standing } = await next(context, caller, { ...at, takeOver: kind % 3 === 0, waitMs: kind === 4 ? 20 : 0 });
  if (standing.kind !== "action" || standing.action.what === "parallel_tasks") return;
  const failed = kind === 5;
  const request = { ...at, action: standing.action.id, status: failed ? "failed" : "success", result: thrown, waitMs: 0 } as const;
  const reported = await progress(context, caller, request).then(
    (done) => done.reported,
    // Another driver may hold the strand by the time the report is in: the refusal says that the report counts.
    (error: { readonly details?: { readonly reported?: Reported } }) => {
      if (error.details?.reported === undefined) throw error;
      return error.details.reported;
    },
  );
  if (reported.recorded === "now" && !failed && standing.action.step.includes("act_")) done.reports += 1;
}

/** One driver takes over whatever is left and brings it to the end. */
async function finish(engine: ComposedEngine, caller: Caller, run: string, done: Done): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) {
    const { state } = await next(engine.context, caller, { run, takeOver: true, waitMs: 300 });
    if (state.status !== "running") return;
    const tasks = Object.values(state.strands).flatMap((strand) => strand.task ?? []);
    for (const task of tasks) await codeOf(step(engine, caller, { run, task }, 9, done));
    if (tasks.length === 0) await step(engine, caller, { run }, 9, done);
    await sleep(10);
  }
}

test("rules 1 to 4 together: whatever several processes do to one run at once, each report counts once and nothing is lost", async () => {
  const dice = fc.array(fc.nat({ max: 10_000 }), { minLength: 10, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(fc.tuple(dice, dice, dice, dice), async (throws) => {
      const first = engines[0]!;
      const starter = first.caller("starter");
      const { run } = await start(first.context, starter, { workflow: "together:tasks", waitMs: 0 });
      const done: Done = { reports: 0, writes: 0 };
      await Promise.all(
        throws.map((own, index) =>
          driver(
            engines[index % 3] ?? first,
            index === 0 ? starter : (engines[index % 3] ?? first).caller(`driver${index}`),
            run,
            own,
            done,
          ),
        ),
      );
      await finish(first, starter, run, done);
      const { state } = await readState(first.context, run);
      expect(state).toMatchObject({ reported: done.reports, told: done.writes });
      for (const engine of engines) expect((await doctor(engine.context, run)).problems).toEqual([]);
      const { keys, state: stored } = await bench.stored(run);
      expect(new Set(keys).size).toBe(keys.length);
      expect(stored.status).toBe("completed");
      expect(stored.lists["all"]).toMatchObject({ total: 5, by: { pending: 0, in_progress: 0 } });
    }),
    { numRuns: Number(process.env["WAYMARK_PROPERTY_RUNS"] ?? 5), endOnFailure: true },
  );
}, 120_000);
