import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { isWaymarkError } from "../base/index.ts";
import { AlwaysBench } from "../../test/crash/engine-bench.ts";
import type { ComposedEngine } from "../../test/crash/compose-engine.ts";
import type { Caller } from "./caller.ts";
import { end } from "./commands/end.ts";
import { next, type Position } from "./commands/next.ts";
import { progress } from "./commands/progress.ts";
import { updateState } from "./commands/state.ts";
import { start } from "./commands/start.ts";
import type { ReportRequest } from "./commands/report-request.ts";
import { oneCommand } from "./one-command.ts";
import { onKnownRun } from "./on-known-run.ts";

const benches: AlwaysBench[] = [];
afterEach(async () => {
  for (const bench of benches.splice(0)) await bench.close();
});

const workflow = `
name: known:steps
default_state: { raw: { told: 0, kept: "" } }
steps:
  - { id: first, type: user_message, message: "one {{ told }}" }
  - { id: ask, type: user_input, prompt: Which?, options: [red, blue], state_update: { path: raw.kept } }
  - id: each
    type: foreach
    items: [1, 2, 3]
    steps:
      - { id: inside, type: mcp_call, mcp: { method: act, params: { told: "{{ told + 0 }}" } }, on_error: continue }
  - { id: last, type: user_message, message: "{{ kept }} {{ told }}" }
`;

type Perform = typeof onKnownRun;
const freshly: Perform = (engine, perform) => perform(oneCommand(engine));

interface World {
  readonly engines: readonly [ComposedEngine, ComposedEngine];
  readonly run: string;
  /** The same agent, as two processes serve it, and another one. */
  readonly callers: readonly [Caller, Caller, Caller];
  readonly ids: string[];
  readonly perform: Perform;
}

async function world(perform: Perform, counted: string[] = []): Promise<World> {
  const bench = new AlwaysBench();
  benches.push(bench);
  const open = (own: boolean): Promise<ComposedEngine> =>
    bench.open({
      settings: { callWaitMs: 0 },
      ...(own ? { store: (name, _args, call) => (counted.push(name), call()), storeMethods: ["readRun", "readRecords", "commit"] } : {}),
    });
  const engines = [await open(true), await open(false)] as const;
  await engines[0].define("known:steps", workflow);
  const served = (name: string, { host }: ComposedEngine): Caller => ({
    holder: { kind: "agent", name, session: name },
    surface: "test",
    leaseOwner: host.processId,
  });
  const callers = [served("agent", engines[0]), served("agent", engines[1]), served("other", engines[1])] as const;
  const { run } = await start(engines[0].context, callers[0], { workflow: "known:steps", waitMs: 0 });
  return { engines, run, callers, ids: [], perform };
}

const acts = ["report", "report", "report", "answer", "again", "by name", "failed", "wrong", "ask"] as const;
const others = ["report", "report", "take over", "write", "end", "nothing", "nothing", "nothing", "nothing"] as const;

/** What the first process does, and before it somebody with the second one. */
const turns = fc.array(fc.tuple(fc.constantFrom(...others), fc.constantFrom(...acts)), { minLength: 4, maxLength: 14 });

function open({ standing }: Position): string | undefined {
  return standing.kind === "action" ? standing.action.id : standing.kind === "question" ? standing.decision.id : undefined;
}

async function meanwhile({ engines: [, { context }], callers: [, twin, other], run }: World, act: (typeof others)[number]): Promise<void> {
  if (act === "nothing") return;
  if (act === "write")
    return void (await updateState(context, twin, { run, updates: [{ path: "raw.told", operation: "increment", value: 1 }] }));
  if (act === "end") return void (await end(context, other, { run, status: "completed" }));
  const by = act === "take over" ? other : twin;
  const action = open(await next(context, by, { run, waitMs: 0, takeOver: true }));
  if (action !== undefined) await progress(context, by, { run, action, result: "red", waitMs: 0 });
}

async function turn(world: World, act: (typeof acts)[number]): Promise<unknown> {
  const { engines, callers, run, ids, perform } = world;
  const { context } = engines[0];
  const said: Partial<Record<typeof act, Omit<ReportRequest, "run">>> = {
    answer: { result: "blue" },
    again: { action: ids.at(-2) ?? "a1", result: "red" },
    "by name": { step: "inside", result: 7 },
    failed: { status: "failed", error: "it does not work", ...(ids.length > 0 ? { action: ids.at(-1)! } : {}) },
    wrong: { action: "a999", result: 1 },
    report: { result: "red", ...(ids.length > 0 ? { action: ids.at(-1)! } : {}) },
  };
  const request = said[act];
  const position = await (request === undefined
    ? next(oneCommand(context), callers[0], { run, waitMs: 0 }).then((found) => ({ reported: undefined, position: found }))
    : perform(context, (engine) => progress(engine, callers[0], { run, shownOnly: true, waitMs: 0, ...request })));
  const id = open(position.position);
  if (id !== undefined) ids.push(id);
  const { standing, state } = position.position;
  return { reported: position.reported, kind: standing.kind, id, status: state.status, raw: state.scopes["run"]?.raw };
}

async function outcome(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: unknown) => {
    if (!isWaymarkError(error)) throw error;
    return { code: error.code, message: error.message.replaceAll(/\d\d:\d\d UTC|\d+ s ago|in \d+ min[a-z]*/g, "then"), fix: error.fix };
  });
}

test("what a process says of a run that others change does not depend on what it remembers of it", async () => {
  let moved = 0;
  await fc.assert(
    fc.asyncProperty(turns, async (all) => {
      const [known, fresh] = [await world(onKnownRun), await world(freshly)];
      for (const [before, act] of all) {
        const said: unknown[] = [];
        for (const each of [known, fresh]) {
          await outcome(meanwhile(each, before));
          said.push(await outcome(turn(each, act)));
        }
        const plain = said.map((one) => JSON.stringify(one).replaceAll(known.run, "RUN").replaceAll(fresh.run, "RUN"));
        expect(plain[0]).toBe(plain[1]);
        if (before !== "nothing") moved += 1;
      }
    }),
    { numRuns: Number(process.env["WAYMARK_PROPERTY_RUNS"] ?? 12), endOnFailure: true },
  );
  expect(moved).toBeGreaterThan(10);
}, 120_000);

test("a report on a run that nobody else changes asks the store for nothing but its commit", async () => {
  const counted: string[] = [];
  const { engines, callers, run, perform } = await world(onKnownRun, counted);
  const report = (): Promise<unknown> =>
    perform(engines[0].context, (engine) => progress(engine, callers[0], { run, result: "red", waitMs: 0 }));
  await report();
  await report();
  counted.length = 0;
  await report();
  expect(counted).toEqual(["commit"]);
});

test("a process that others interrupt looks before each report, until it is alone again", async () => {
  const counted: string[] = [];
  const { engines, callers, run, perform } = await world(onKnownRun, counted);
  const report = (): Promise<unknown> =>
    perform(engines[0].context, (engine) => progress(engine, callers[0], { run, result: "red", waitMs: 0 }));
  await report();
  await updateState(engines[1].context, callers[1], { run, updates: [{ path: "raw.told", operation: "increment", value: 1 }] });
  await report();
  counted.length = 0;
  await report();
  expect(counted).toEqual(["readRun", "commit"]);
});
