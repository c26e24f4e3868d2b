import { expect, test } from "vitest";
import { agentStep, program, value } from "../../test/support/make-program.ts";
import { agent, holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import { itemStatuses, type Block, type Item, type ItemStatus } from "../program/index.ts";
import type { Json } from "../base/index.ts";
import { apply, emptyState } from "./apply.ts";
import { transition } from "./transition.ts";
import type { Event } from "./event.ts";

const list = "tasks";
const item = (id: string, order: string, dependsOn: string[], status: ItemStatus = "pending"): Item => ({
  list,
  id,
  order,
  status,
  data: { id },
  facets: {},
  root: id,
  attempts: 0,
  waitsFor: dependsOn.length,
  ...(dependsOn.length === 0 ? {} : { dependsOn }),
});

/** A run that goes through the tasks after its first step, which is open while they are added. */
function runOf(items: Item[], more: Partial<Extract<Block, { kind: "work" }>> = {}): MemoryRun {
  const run = new MemoryRun(
    program(
      [
        { kind: "seq", id: "root", blocks: ["begin", "w"] },
        agentStep("begin"),
        { kind: "work", id: "w", list, query: {}, mode: "each", join: "all", body: "do", ...more },
        agentStep("do", { name: value("name") }),
      ],
      "root",
      { worklists: [{ id: list, facets: [] }] },
    ),
    (need) => ("name" in need.exprs ? { name: String((need.locals["item"] as { id: string }).id) } : {}),
  );
  run.start();
  run.input({ type: "items", change: { add: [{ list, items }] }, reason: "r" });
  report(run, "begin");
  return run;
}

function report(run: MemoryRun, step: string): void {
  const action = Object.values(run.state.actions).find((open) => open.step === step);
  if (action === undefined) throw new Error(`${step} is not open, but ${run.open().join(", ")}`);
  if (run.state.strands[action.strand]?.holder === undefined) run.input({ type: "claim", strand: action.strand, holder });
  run.report(action.id);
}

function move(run: MemoryRun, id: string, to: ItemStatus): void {
  const from = run.items.get(`${list}/${id}`)?.status ?? "pending";
  run.input({ type: "items", change: { moves: [{ list, id, from, to, facets: {}, root: id }] }, reason: "rework" });
}

const sweepOf = (from: ItemStatus, to: ItemStatus, count: number) => ({ list, query: {}, from, to, reason: "r", count, facets: {} });

function sweep(run: MemoryRun, from: ItemStatus, to: ItemStatus): void {
  const count = [...run.items.values()].filter(({ status }) => status === from).length;
  run.input({ type: "items", change: { sweeps: [sweepOf(from, to, count)] }, reason: "rework" });
}

test("an item that is reopened and settled again does not open a dependant whose other dependency is open", () => {
  const run = runOf([item("A", "a", []), item("B", "b", []), item("C", "aa", ["A", "B"])]);
  report(run, "A");
  expect(run.open()).toEqual(["B"]);
  move(run, "A", "pending");
  move(run, "A", "skipped");
  run.input({ type: "rewind", strand: "main", reason: "the strand looks for its next item" });
  expect(run.open()).toEqual(["B"]);
});

test("an item that moves from one settled status to another counts once", () => {
  const run = runOf([item("A", "a", []), item("B", "b", []), item("C", "aa", ["A", "B"])]);
  report(run, "A");
  move(run, "A", "failed");
  run.input({ type: "rewind", strand: "main", reason: "look again" });
  expect(run.open()).toEqual(["B"]);
});

test("a dependant that was ready waits again when what it depends on is reopened", () => {
  const run = runOf([item("A", "a", []), item("B", "b", []), item("C", "c", ["A"])]);
  report(run, "A");
  expect(run.open()).toEqual(["B"]);
  move(run, "A", "pending");
  report(run, "B");
  expect(run.open()).toEqual(["A"]);
  report(run, "A");
  expect(run.open()).toEqual(["C"]);
  expect(run.items.get(`${list}/C`)).toMatchObject({ waitsFor: 0 });
  expect(replay(run.events)).toEqual(run.state);
});

test("a reopened dependency is recorded with the number each dependant waits for", () => {
  const run = runOf([item("A", "a", []), item("B", "b", []), item("C", "c", ["A", "B"])]);
  report(run, "A");
  move(run, "A", "pending");
  report(run, "B");
  const told = run.events.filter((event) => event.type === "dependency_settled" || event.type === "dependency_reopened");
  expect(told).toEqual([
    { type: "dependency_settled", list, of: "A", ids: ["C"], waits: [1] },
    { type: "dependency_reopened", list, of: "A", ids: ["C"], waits: [1] },
    { type: "dependency_settled", list, of: "B", ids: ["C"], waits: [1] },
  ]);
  expect(run.state.settled).toEqual([]);
});

test("an item that is reopened and settled before anybody looked is told once, as settled", () => {
  const run = runOf([item("A", "a", []), item("B", "b", []), item("C", "c", ["A"])]);
  report(run, "A");
  move(run, "A", "pending");
  move(run, "A", "skipped");
  expect(run.state.settled).toEqual([{ list, id: "A" }]);
  report(run, "B");
  expect(run.open()).toEqual(["C"]);
});

test("an item that settles and is reopened before anybody looked is told once, as reopened", () => {
  const run = runOf([item("A", "a", []), item("B", "b", []), item("C", "c", ["B"])]);
  move(run, "B", "completed");
  move(run, "B", "pending");
  expect(run.state.settled).toEqual([{ list, id: "B", reopened: true }]);
  report(run, "A");
  expect(run.open()).toEqual(["B"]);
});

test("a sweep is told to the dependants of what it settled and of what it reopened", () => {
  const run = runOf([item("A", "a", []), item("B", "b", []), item("C", "aa", ["B"])], { mode: "strands", parallel: 1 });
  const waits = (): number | undefined => run.items.get(`${list}/C`)?.waitsFor;
  move(run, "C", "skipped");
  sweep(run, "pending", "completed");
  move(run, "C", "pending");
  expect([run.open(), waits(), run.state.settled]).toEqual([["A"], 0, []]);
  sweep(run, "completed", "pending");
  expect([run.open(), waits(), run.state.settled]).toEqual([["A"], 1, []]);
  expect(run.events.filter((event) => "of" in event && event.of === "")).toEqual([
    { type: "dependency_settled", list, of: "", ids: ["C"], waits: [0] },
    { type: "dependency_reopened", list, of: "", ids: ["C"], waits: [1] },
  ]);
  report(run, "A");
  expect(run.open()).toEqual(["B"]);
  expect(replay(run.events)).toEqual(run.state);
});

test("a sweep that settles and opens nothing is noticed by nobody, nor is one in a list without dependencies", () => {
  const added = { type: "items_added" as const, list, items: [item("A", "a", [], "completed"), item("C", "c", ["A"])] };
  const swept = { type: "items_swept" as const, ...sweepOf("completed", "skipped", 1) };
  expect([added, swept].reduce(apply, emptyState).settled).toEqual([]);
  expect(apply(emptyState, { type: "items_swept", ...sweepOf("pending", "skipped", 0) }).settled).toEqual([]);
});

test("what is noticed in a list is forgotten with the list, and in no other", () => {
  const added = (name: string): Event => ({ type: "items_added", list: name, items: [item("A", "a", []), item("C", "c", ["A"])] });
  const swept = (name: string): Event => ({ type: "items_swept", ...sweepOf("pending", "skipped", 2), list: name });
  const events = [added("x"), added("y"), swept("x"), swept("y"), { type: "list_closed" as const, list: "x", into: "w" }];
  expect(events.reduce(apply, emptyState).settled).toEqual([{ list: "y", id: "" }]);
});

test("a work that has room takes what a sweep opens at once", () => {
  const run = runOf([item("A", "a", []), item("B", "b", [], "skipped")], { mode: "strands", parallel: 2 });
  expect(run.open()).toEqual(["A"]);
  sweep(run, "skipped", "pending");
  expect(run.open()).toEqual(["A", "B"]);
});

test("a move in a list without dependencies is noticed by nobody", () => {
  const run = runOf([item("A", "a", []), item("B", "b", [])]);
  report(run, "A");
  move(run, "A", "pending");
  expect(run.state.settled).toEqual([]);
  expect(run.events.at(-1)).toEqual({
    type: "item_moved",
    move: { list, id: "A", from: "completed", to: "pending", facets: {}, root: "A" },
  });
});

test("an item that names no dependencies has none", () => {
  const run = runOf([{ ...item("A", "a", []), dependsOn: [] }]);
  expect(run.state.lists[list]?.hasDependencies).toBe(false);
});

test("a work that waits for its strands hands out what a skip makes ready", () => {
  const run = runOf([item("A", "a", []), item("X", "b", ["A"]), item("C", "c", ["X"])], { mode: "strands", parallel: 2 });
  expect(run.open()).toEqual(["A"]);
  move(run, "X", "skipped");
  expect(run.open()).toEqual(["A", "C"]);
});

test.each(["added", "reopened"])("a work that waits for its strands and has room hands out what is %s", (how) => {
  const run = runOf([item("A", "a", []), item("B", "b", [])], { mode: "strands", parallel: 2 });
  report(run, "B");
  expect(run.open()).toEqual(["A"]);
  if (how === "added") run.input({ type: "items", change: { add: [{ list, items: [item("D", "d", [])] }] }, reason: "more" });
  else move(run, "B", "pending");
  expect(run.open()).toEqual(["A", how === "added" ? "D" : "B"]);
});

test("a work without room is not disturbed by what is added", () => {
  const run = runOf([item("A", "a", [])], { mode: "strands", parallel: 1 });
  run.input({ type: "items", change: { add: [{ list, items: [item("D", "d", [])] }] }, reason: "more" });
  expect(run.events.at(-1)).toMatchObject({ type: "items_added" });
});

test("a row that comes to fit a work by its new facets is taken at once when there is room", () => {
  const fits = { facets: { kind: "x" } };
  const run = runOf([{ ...item("A", "a", []), ...fits }, item("B", "b", [])], { mode: "strands", parallel: 2, query: fits });
  expect(run.open()).toEqual(["A"]);
  const moves = [{ list, id: "B", from: "pending" as const, to: "pending" as const, facets: {}, newFacets: fits.facets, root: "B" }];
  run.input({ type: "items", change: { moves }, reason: "r" });
  expect(run.open().sort()).toEqual(["A", "B"]);
});

test("a work that waits for its strands and has room is not disturbed by a move that opens nothing", () => {
  const run = runOf([item("A", "a", []), item("B", "b", [])], { mode: "strands", parallel: 2 });
  report(run, "B");
  move(run, "B", "skipped");
  expect(run.events.at(-1)).toMatchObject({ type: "item_moved", move: { id: "B", to: "skipped" } });
});

test("a work without room waits on, and knows what a skip made ready", () => {
  const run = runOf([item("A", "a", []), item("B", "b", []), item("C", "aa", ["B"])], { mode: "strands", parallel: 1 });
  move(run, "B", "skipped");
  expect(run.open()).toEqual(["A"]);
  expect(run.state.settled).toEqual([]);
  expect(run.items.get(`${list}/C`)).toMatchObject({ waitsFor: 0 });
  expect(run.state.strands["main"]).toMatchObject({ status: "waiting", waits: { on: "strands" } });
});

test.each(["moves", "sweeps"] as const)("an item that was chosen and not opened yet is chosen again: its list %s", (how) => {
  const run = runOf([item("A", "a", []), item("B", "b", [])], { task: { name: "t", prompt: "p", inputs: { x: value(1) } } });
  const chosen = apply(
    {
      ...run.state,
      strands: { main: { ...run.state.strands["main"]!, status: "ready", frames: run.state.strands["main"]!.frames.slice(0, 2) } },
    },
    { type: "moved", strand: "main", patch: { phase: "inputs", item: null, next: item("B", "b", []) as unknown as Json } },
  );
  const moved = { list, id: "B", from: "pending" as const, to: "skipped" as const, facets: {}, root: "B" };
  const change = how === "moves" ? { moves: [moved] } : { sweeps: [sweepOf("pending", "skipped", 1)] };
  const decided = transition(run.program, chosen, { type: "items", change, reason: "r", at: 1, by: agent });
  expect("state" in decided && decided.state.strands["main"]?.frames.at(-1)).toMatchObject({ kind: "work", phase: "run" });
  expect("state" in decided && decided.state.strands["main"]?.frames.at(-1)).not.toHaveProperty("next");
});

test.each(itemStatuses)("a settled dependency of an old journal, without numbers, has the meaning it had: %s", (status) => {
  const events: Event[] = [
    { type: "items_added", list, items: [item("A", "a", []), item("C", "c", ["A"])] },
    { type: "item_moved", move: { list, id: "A", from: "in_progress", to: status, facets: {}, root: "A" } },
  ];
  const settled = status !== "pending" && status !== "in_progress";
  const state = events.reduce(apply, emptyState);
  expect(state.settled).toEqual(settled ? [{ list, id: "A" }] : []);
  expect(apply(state, { type: "dependency_settled", list, of: "A", ids: ["C"] }).settled).toEqual([]);
});
