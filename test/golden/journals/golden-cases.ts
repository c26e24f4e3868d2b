import { setTimeout as sleep } from "node:timers/promises";
import { answer, end, next, note, progress, retry, start, updateState, type Caller } from "../../../src/engine/index.ts";
import type { Block, Item } from "../../../src/program/index.ts";
import { apply, type Event } from "../../../src/kernel/index.ts";
import { codeOf } from "../../crash/engine-bench.ts";
import type { ComposedEngine } from "../../crash/compose-engine.ts";
import { crashWorkflows } from "../../crash/crash-workflows.ts";
import { driveToEnd } from "../../crash/scripted-agent.ts";
import { agentStep, condition, program } from "../../support/make-program.ts";
import { holder, MemoryRun } from "../../support/memory-run.ts";
import { checklistCase } from "./checklist-case.ts";

/** A run of the real engine, played by a script; answers the id of the run. */
export type EngineCase = (engine: ComposedEngine, another: () => Promise<ComposedEngine>) => Promise<string>;
/** A run of the kernel alone, for blocks that no dialect of this version lowers to. */
export type KernelCase = () => MemoryRun;

const quiet = { did: () => undefined, acknowledged: () => undefined };

function crashCase(name: string): EngineCase {
  return async (engine) => {
    const workflow = crashWorkflows.find((one) => one.name === name);
    for (const [file, yaml] of Object.entries(workflow?.files ?? {})) await engine.define(file, yaml);
    const caller = engine.caller("golden");
    const { run } = await start(engine.context, caller, { workflow: name });
    await driveToEnd(engine, caller, run, quiet);
    return run;
  };
}

async function begin(engine: ComposedEngine, caller: Caller, yaml: string): Promise<string> {
  await engine.define("golden:case", `name: golden:case\n${yaml}`);
  return (await start(engine.context, caller, { workflow: "golden:case" })).run;
}

const failures: EngineCase = async (engine) => {
  const caller = engine.caller("golden");
  const run = await begin(
    engine,
    caller,
    `
default_state: { raw: { steps_failed: [], steps_completed: [], retry_counts: {}, last_error: null, errors: [] } }
state_schema: { raw: { steps_failed: array, steps_completed: array, retry_counts: object, last_error: any } }
error_handling: { on_error: checkpoint_and_fail, error_collection: { enabled: true }, on_failure: [{ id: sorry, type: user_message, message: "{{ error.message }}" }] }
steps:
  - { id: warn, type: user_message, message: "{{ nobody }}" }
  - { id: nothing, type: foreach, items: [], steps: [{ id: never, type: user_message, message: x }] }
  - { id: fallback, type: mcp_call, mcp: { method: m, params: {} }, on_error: retry, retry_count: 1, retry_delay: 1, fallback_value: 7, state_update: { path: raw.fallback } }
  - { id: all, type: parallel_foreach, items: [1, 2, 3], sub_agent_task: work, max_parallel: 2, on_sub_agent_error: { strategy: retry_failed, max_retries: 1, collect_errors: true, error_state_path: raw.errors } }
sub_agent_tasks:
  work:
    steps: [{ id: act, type: mcp_call, mcp: { method: m, params: {} } }]
    error_handling: { cleanup_on_error: [{ id: clean, type: state_update, path: raw.cleaned, operation: increment }] }
`,
  );
  const { context } = engine;
  await progress(context, caller, { run });
  for (let tries = 0; tries < 2; tries += 1) {
    await progress(context, caller, { run, status: "failed", error: "no" });
    await next(context, caller, { run });
  }
  for (let turn = 0; turn < 12; turn += 1) {
    const { standing } = await next(context, caller, { run });
    if (standing.kind === "ended") break;
    if (standing.kind === "action" && standing.action.what !== "parallel_tasks") await progress(context, caller, { run });
    for (const { task } of standing.kind === "action" ? (standing.tasks ?? []) : []) {
      await next(context, caller, { run, task });
      await progress(context, caller, {
        run,
        task,
        ...(task.endsWith(".1") ? { status: "failed" as const, error: "bad luck" } : { result: task }),
      });
    }
  }
  await retry(context, caller, { run, resetCounts: true });
  await end(context, caller, { run, status: "cancelled", reason: "enough" });
  return run;
};

const questions: EngineCase = async (engine) => {
  const caller = engine.caller("golden");
  const { context } = engine;
  const run = await begin(
    engine,
    caller,
    `
budget: { steps: 3 }
steps:
  - { id: ask, type: user_input, prompt: "Version?", validation: { pattern: "^\\\\d+$", error_message: "Digits." }, attempts: 2, state_update: { path: raw.version } }
  - { id: gate, type: user_input, prompt: "Go?", options: ["yes", "no"], answer_by: person, state_update: { path: raw.go } }
  - { id: say, type: user_message, message: "{{ version }}" }
  - { id: more, type: user_message, message: more }
  - { id: ask_again, type: user_input, prompt: "Again?", validation: { pattern: "^y$" }, attempts: 1, on_error: continue }
  - { id: last, type: user_message, message: last }
`,
  );
  const decision = async (): Promise<string> => {
    const { standing } = await next(context, caller, { run });
    return standing.kind === "question" ? standing.decision.id : "";
  };
  await codeOf(progress(context, caller, { run, result: "one" }));
  await progress(context, caller, { run, result: "1" });
  await answer(context, engine.person(), { run, decision: await decision(), answer: "yes", relayed: false });
  await note(context, engine.person(), { run, text: "mind the step" });
  await progress(context, caller, { run });
  await answer(context, engine.person(), { run, decision: await decision(), answer: 5, relayed: false });
  await progress(context, caller, { run, usage: { tokens: 12, money: 0.5 } });
  await codeOf(progress(context, caller, { run, result: "n" }));
  await answer(context, engine.person(), { run, decision: await decision(), answer: "stop", relayed: false });
  return run;
};

const taken: EngineCase = async (engine, another) => {
  const caller = engine.caller("golden");
  const run = await begin(
    engine,
    caller,
    `
steps:
  - { id: ask, type: agent_shell_command, command: make, on_lost: ask }
  - { id: fail, type: agent_shell_command, command: make, on_lost: fail, on_error: continue }
  - { id: again, type: agent_shell_command, command: make }
  - { id: pause, type: wait, duration_ms: 1 }
  - { id: slow, type: sequential, timeout: 20, on_error: continue, steps: [{ id: inside, type: user_message, message: slow }] }
  - { id: later, type: parallel_foreach, items: [a, b], sub_agent_task: work, wait_for_all: false }
  - { id: out, type: exit }
sub_agent_tasks:
  work: { steps: [{ id: act, type: user_message, message: "{{ item }}" }] }
`,
  );
  const two = await another();
  const other = two.caller("other");
  await next(two.context, other, { run, takeOver: true });
  await progress(two.context, other, { run, result: "continue" });
  await next(engine.context, caller, { run, takeOver: true });
  await next(two.context, other, { run, takeOver: true });
  await progress(two.context, other, { run, result: "made" });
  await sleep(30);
  await next(two.context, other, { run });
  await codeOf(progress(two.context, other, { run }));
  await next(two.context, other, { run, waitMs: 200 });
  return run;
};

const large: EngineCase = async (engine) => {
  const caller = engine.caller("golden");
  const run = await begin(engine, caller, "steps: [{ id: act, type: user_message, message: one }]\n");
  await updateState(engine.context, caller, {
    run,
    updates: [
      { path: "raw.text", value: "large ".repeat(11_000) },
      { path: 'raw.odd["$blob"]', value: "not a reference" },
    ],
  });
  await progress(engine.context, caller, { run });
  return run;
};

const person = { kind: "person" as const, name: "ada", session: "t", surface: "test" };

const list = "files";

/** Machine, entries, a declared list with facets and dependencies, and a step that blocks. */
const blockList: readonly Block[] = [
  { kind: "seq", id: "root", blocks: ["m", "w", "b"] },
  {
    kind: "machine",
    id: "m",
    initial: "A",
    states: {
      A: { body: "a", outcomes: [{ when: condition("yes"), to: "B" }, { to: null }] },
      B: { body: "to", outcomes: [{ to: null }] },
      C: { body: "c", outcomes: [{ to: null }] },
    },
  },
  agentStep("a"),
  { kind: "leave", id: "to", how: "to", state: "C" },
  agentStep("c"),
  { kind: "work", id: "w", list, body: "each", mode: "strands", join: "all", parallel: 2 },
  agentStep("each"),
  agentStep("b", { rescue: { then: "block" } }),
  agentStep("aside"),
];

function fileItem(id: string, dependsOn: readonly string[]): Item {
  const facets = { type: "ts" };
  return {
    list,
    id,
    order: id,
    status: "pending",
    data: { path: id },
    facets,
    root: id,
    attempts: 0,
    dependsOn,
    waitsFor: dependsOn.length,
  };
}

/** Items of a declared list come from outside; here they are simply there. */
function addItems(run: MemoryRun, items: readonly Item[]): void {
  const added: Event = { type: "items_added", list, items };
  run.state = apply(run.state, added);
  run.events.push(added);
  for (const item of items) run.items.set(`${list}/${item.id}`, item);
}

/** Reports the oldest open step, by whoever holds its strand then. */
function reportOldest(run: MemoryRun, ok = true): void {
  const action = Object.values(run.state.actions).find((open) => open.what !== "parallel_tasks");
  if (action === undefined) return;
  if (run.state.strands[action.strand]?.holder === undefined) run.input({ type: "claim", strand: action.strand, holder });
  const now = run.state.strands[action.strand];
  const current = now?.waits?.on === "action" ? now.waits.id : action.id;
  const outcome = ok ? { ok: true as const, value: 1 } : { ok: false as const, code: "STEP_FAILED", message: "no" };
  run.input({ type: "report", action: current, holder, fence: now?.fence ?? 0, outcome, write: true });
}

const blocks: KernelCase = () => {
  const entries = { aside: { root: "aside", by: "anyone" as const, main: "waits" as const } };
  const run = new MemoryRun(program(blockList, "root", { worklists: [{ id: list, facets: ["type"] }], entries }), () => ({ "0": true }));
  run.start();
  addItems(run, [fileItem("a", []), fileItem("b", ["a"]), fileItem("c", [])]);
  run.input({ type: "entry", name: "aside", args: { why: "now" } });
  reportOldest(run);
  run.input({ type: "mark", step: "m", reason: "half-way" });
  run.input({ type: "limits", budget: { tokens: 1000 } }, person);
  const reached = (): boolean => Object.values(run.state.actions).some((action) => action.block === "b");
  for (let turn = 0; turn < 9 && !reached(); turn += 1) reportOldest(run);
  run.input({ type: "release", strand: "main", fence: run.state.strands["main"]?.fence ?? 0, why: "given_back" });
  reportOldest(run, false);
  run.input({ type: "retry", resetCounts: false });
  reportOldest(run);
  return run;
};

export const engineCases: Readonly<Record<string, EngineCase>> = {
  plain: crashCase("crash:plain"),
  loops: crashCase("crash:loops"),
  tasks: crashCase("crash:tasks"),
  failures,
  questions,
  taken,
  large,
  checklist: checklistCase,
};
/** A dependency that settles, is reopened and settles again before what depends on it is handed out. */
const dependencies: KernelCase = () => {
  const row = (id: string, dependsOn: string[]): Item => ({
    list: "tasks",
    id,
    order: id,
    status: "pending",
    data: id,
    facets: {},
    root: id,
    attempts: 0,
    waitsFor: dependsOn.length,
    ...(dependsOn.length === 0 ? {} : { dependsOn }),
  });
  const blocks: Block[] = [
    { kind: "seq", id: "root", blocks: ["begin", "w"] },
    agentStep("begin"),
    { kind: "work", id: "w", list: "tasks", query: {}, mode: "each", join: "all", body: "task" },
    agentStep("task"),
  ];
  const run = new MemoryRun(program(blocks, "root", { worklists: [{ id: "tasks", facets: [] }] }), () => ({}));
  const report = () => run.report(Object.keys(run.state.actions)[0] ?? "");
  run.start();
  run.input({
    type: "items",
    change: { add: [{ list: "tasks", items: [row("a", []), row("b", []), row("c", ["a", "b"])] }] },
    reason: "plan",
  });
  report();
  report();
  const moves = [{ list: "tasks", id: "a", from: "completed" as const, to: "pending" as const, facets: {}, root: "a" }];
  run.input({ type: "items", change: { moves }, reason: "rework" });
  for (let guard = 0; run.state.status === "running" && guard < 9; guard += 1) report();
  return run;
};

export const kernelCases: Readonly<Record<string, KernelCase>> = { blocks, dependencies };

/** Every event a journal can hold; a type that no golden journal has is one nobody would notice being broken. */
export const eventTypes: readonly Event["type"][] = [
  "started",
  "scope_opened",
  "scope_closed",
  "strand_opened",
  "strand_ended",
  "entered",
  "moved",
  "left",
  "waiting",
  "ready",
  "blocked",
  "failed",
  "wrote",
  "action_opened",
  "action_closed",
  "effect_opened",
  "effect_closed",
  "timer_set",
  "timer_gone",
  "decision_opened",
  "answer_refused",
  "decision_closed",
  "claimed",
  "released",
  "items_added",
  "item_moved",
  "items_swept",
  "list_closed",
  "dependency_settled",
  "dependency_reopened",
  "counted",
  "spent",
  "budget_set",
  "noted",
  "note_delivered",
  "marked",
  "warned",
  "ended",
  "reopened",
];
