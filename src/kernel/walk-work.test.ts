import { expect, test } from "vitest";
import { agentStep, itemRow, program, taskWork, value } from "../../test/support/make-program.ts";
import { agent, holder, MemoryRun } from "../../test/support/memory-run.ts";
import { textOf, type Json, type JsonObject } from "../base/index.ts";
import type { Block, WorkBlock } from "../program/index.ts";
import { emptyState } from "./apply.ts";
import { transition } from "./transition.ts";
import type { Input, Need } from "./input.ts";

const task = { name: "t", prompt: "p" };

function runOf(items: Json, block: WorkBlock, serial = false, ...more: Block[]): MemoryRun {
  const run = new MemoryRun(program([block, agentStep("a"), ...more], "w"), ({ exprs, locals }) =>
    Object.fromEntries(Object.keys(exprs).map((key): [string, Json] => [key, key === "items" ? items : { of: locals["item"] ?? null }])),
  );
  run.start({ serial });
  return run;
}

const ids = (run: MemoryRun): string[] => [...run.items.values()].map(({ id }) => id);
const first = <T>(record: Readonly<Record<string, T>>): T | undefined => Object.values(record)[0];
const frame = (run: MemoryRun): Extract<NonNullable<MemoryRun["state"]["strands"]["main"]>["frames"][number], { kind: "work" }> => {
  const top = run.state.strands["main"]?.frames[0];
  if (top?.kind !== "work") throw new Error("The main strand is not at its work.");
  return top;
};

/** Ends the first open step that is not a handout. */
function act(run: MemoryRun, ok = true): void {
  const { id = "", strand = "" } = Object.values(run.state.actions).find(({ what }) => what !== "parallel_tasks") ?? {};
  if (run.state.strands[strand]?.holder === undefined) run.input({ type: "claim", strand, holder });
  const outcome = ok ? { ok: true as const, value: null } : { ok: false as const, code: "STEP_FAILED", message: "no" };
  run.input({ type: "report", action: id, holder, fence: run.state.strands[strand]?.fence ?? 0, outcome, write: true });
}

test.each<[string, Json, string[]]>([
  ["have their own ids", [{ id: "A" }, { id: "B" }], ["A", "B"]],
  ["share one", [{ id: "A" }, { id: "A" }], ["w.0", "w.1"]],
  ["do not all have one", [{ id: "A" }, { name: "B" }], ["w.0", "w.1"]],
  ["have an empty one", [{ id: "A" }, { id: "" }], ["w.0", "w.1"]],
  ["have numbers for ids", [{ id: 1 }, { id: 2 }], ["w.0", "w.1"]],
  ["are plain values", [null, "x"], ["w.0", "w.1"]],
])("items that %s are called by their ids only when those tell them apart", (_title, items, expected) => {
  expect(ids(runOf(items, taskWork()))).toEqual(expected);
});

test.each<[Json, string]>([
  ["x", '`w` needs a list of items, but `items` gave "x".'],
  [{ a: 1 }, '`w` needs a list of items, but `items` gave {"a":1}.'],
])("a work that is given %j instead of a list says so", (items, message) => {
  expect(runOf(items, taskWork()).state.error).toEqual({ code: "ITEMS_NOT_A_LIST", message, block: "w" });
});

test("a work that is given nothing instead of a list says so", () => {
  const run = new MemoryRun(program([taskWork(), agentStep("a")], "w"), () => ({}));
  run.start();
  expect(run.state.error?.message).toBe("`w` needs a list of items, but `items` gave nothing.");
});

test.each<[string, Partial<WorkBlock>, boolean]>([
  ["in strands", {}, false],
  ["one by one", { mode: "each" }, false],
])("items are asked for only when some are left and there is room, %s", (_title, more, serial) => {
  const run = runOf([{ id: "A" }, { id: "B" }, { id: "C" }], taskWork(more), serial);
  for (let step = 0; step < 3; step += 1) act(run);
  expect(run.state.status).toBe("completed");
  const given = run.journal.flatMap(({ input }) => (input.type === "advance" && input.given?.type === "items" ? [input.given.items] : []));
  expect(given.filter((items) => items.length === 0)).toEqual([]);
});

/** What a work over the declared list asks for, in turn, when every expression gives its own name. */
function needsOf(block: WorkBlock): Need[] {
  const { fill: _fill, ...declared } = block;
  const of = program([declared, agentStep("a")], "w");
  const defaults = { raw: {}, state: {}, fixed: {} };
  const options = { serial: false, unable: [] };
  const needs: Need[] = [];
  let state = emptyState;
  const tell = (input: object): void => {
    const decided = transition(of, state, { at: 1, by: agent, ...input } as Input);
    if ("rejected" in decided) throw new Error(decided.rejected.message);
    ({ state } = decided);
    if (decided.need !== undefined) needs.push(decided.need);
  };
  tell({ type: "start", id: "wf", program: "hash", inputs: {}, defaults, options });
  tell({ type: "items", change: { add: [{ list: "l", items: [itemRow("A"), itemRow("B")] }] }, reason: "r" });
  tell({ type: "advance", strand: "main" });
  const [asked] = needs;
  if (asked?.type === "evaluate")
    tell({
      type: "advance",
      strand: "main",
      given: { type: "values", values: Object.fromEntries(Object.keys(asked.exprs).map((key) => [key, key])) },
    });
  return needs;
}

test("a work over a declared list asks for what is ready, as its query and what was evaluated on entry say", () => {
  const where = { parent: value("p"), facets: { kind: value("k") } };
  const query = { facets: { kind: "other", size: "s" } };
  const [asked, select] = needsOf(taskWork({ list: "l", where, query }));
  expect(asked).toMatchObject({ type: "evaluate", exprs: { "facet:kind": value("k"), parent: value("p") } });
  expect(select).toEqual({
    type: "select",
    strand: "main",
    list: "l",
    query: { parent: "parent", facets: { kind: "facet:kind", size: "s" }, status: "pending", ready: true },
    limit: 2,
    notRoots: [],
  });
});

test.each<[Partial<WorkBlock>, JsonObject]>([
  [{}, {}],
  [{ where: { parent: value("p") } }, { parent: "parent" }],
  [{ where: { facets: { kind: value("k") } } }, { facets: { kind: "facet:kind" } }],
])("the query of a work with %j has nothing that nobody asked for", (more, query) => {
  expect(needsOf(taskWork({ list: "l", ...more })).at(-1)).toMatchObject({ query: { ...query, status: "pending", ready: true } });
  expect(Object.keys((needsOf(taskWork({ list: "l", ...more })).at(-1) as Extract<Need, { type: "select" }>).query).sort()).toEqual(
    [...Object.keys(query), "ready", "status"].sort(),
  );
});

test.each([false, true])("each task sees its own item and the inputs that were evaluated for it (one by one: %j)", (serial) => {
  const seen: JsonObject[] = [];
  const block = taskWork({ task: { ...task, inputs: { extra: value("e") } } });
  const run = new MemoryRun(
    program([block, agentStep("a", { args: { x: value("x") } })], "w"),
    ({ exprs, locals }): Record<string, Json> => {
      if ("items" in exprs)
        return {
          items: [
            { id: "A", size: 1 },
            { id: "B", size: 2 },
          ],
        };
      if ("extra" in exprs) return { extra: `for ${textOf(locals["task_id"])}` };
      seen.push(locals);
      return {};
    },
  );
  run.start({ serial });
  act(run);
  act(run);
  expect(run.state.status).toBe("completed");
  expect(seen.map(({ task_id, size, extra, index, total }) => [task_id, size, extra, index, total])).toEqual([
    ["A", 1, "for A", 0, 2],
    ["B", 2, "for B", 1, 2],
  ]);
  expect(seen[1]).toMatchObject({
    item: { id: "B", size: 2 },
    context: { id: "B", size: 2, extra: "for B", batch_id: "B", index: 1, total: 2, workflow_id: "wf-test" },
    parent: { workflow: { id: "wf-test" } },
  });
});

test("an item of a loop is tried as often as its workflow says", () => {
  const run = runOf([{ id: "A" }], taskWork({ mode: "each", onItemFailure: { retries: 1, then: "fail" } }));
  act(run, false);
  expect(frame(run).item).toMatchObject({ id: "A", status: "in_progress", attempts: 2 });
  act(run, false);
  expect(run.state.status).toBe("failed");
  expect(run.items.get(`${frame(run).list}/A`)).toMatchObject({ status: "failed", attempts: 2 });
});

test("where a task stood that failed or was stopped is forgotten when it is taken up again", () => {
  const run = runOf([{ id: "A" }, { id: "B" }, { id: "C" }], taskWork({ parallel: 3 }));
  act(run, false);
  expect(Object.keys(frame(run).kept ?? {})).toEqual(["A", "B", "C"]);
  run.input({ type: "retry", resetCounts: false });
  expect(frame(run).open).toHaveLength(3);
  expect(frame(run)).not.toHaveProperty("kept");
});

test("tasks that are tried again after all have ended are handed out again", () => {
  const rescue = { retry: { times: 1, delayMs: 0, factor: 1, capMs: 0 }, then: "fail" as const };
  const run = runOf([{ id: "A" }], taskWork({ task, rescue, onItemFailure: { retries: 0, then: "fail_at_end" } }));
  const before = frame(run).action;
  act(run, false);
  expect(run.state.status).toBe("running");
  expect(run.events).toContainEqual({ type: "action_closed", action: before, how: "joined" });
  expect(frame(run).action).not.toBe(before);
  expect(run.state.actions[frame(run).action ?? ""]).toMatchObject({ what: "parallel_tasks", args: { task: "t", prompt: "p" } });
});

test.each([
  [5, "5 of 6 tasks of `w` failed: T0, T1, T2, T3, T4."],
  [6, "6 of 6 tasks of `w` failed: T0, T1, T2, T3, T4 ..."],
])("a work that fails at its end after %i failures names the first five", (failures, message) => {
  const items = Array.from({ length: 6 }, (_, index) => ({ id: `T${index}` }));
  const run = runOf(items, taskWork({ mode: "each", onItemFailure: { retries: 0, then: "fail_at_end" } }));
  for (let step = 0; step < 6; step += 1) act(run, step >= failures);
  expect(run.state.error).toMatchObject({ code: "TASKS_FAILED", block: "w" });
  expect(run.state.error?.message).toContain(message);
});

test("a work that fails at its end says that one of its items was lost, and only then", () => {
  const failures = (lost: boolean): unknown[] => {
    const command: Block = { ...agentStep("c"), who: "engine", what: "shell", whenLost: "fail" };
    const run = runOf([{ id: "A" }], taskWork({ body: "c", onItemFailure: { retries: 0, then: "fail_at_end" } }), false, command);
    const outcome = lost ? { ok: "lost" as const } : { ok: false as const, code: "COMMAND_FAILED", message: "no" };
    run.input({ type: "outcome", effect: first(run.state.effects)?.id ?? "", outcome });
    return run.events.flatMap((event) => (event.type === "failed" && event.block === "w" ? [event.error.lost] : []));
  };
  expect(failures(true)).toEqual([true]);
  expect(failures(false)).toEqual([undefined]);
});
