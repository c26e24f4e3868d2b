import { expect, test } from "vitest";
import { agentStep, itemRow, program, taskWork } from "../../test/support/make-program.ts";
import { holder, MemoryRun } from "../../test/support/memory-run.ts";
import type { Json } from "../base/index.ts";
import type { Block, WorkBlock } from "../program/index.ts";
import { apply } from "./apply.ts";
import { upcastState } from "./upcast-counters.ts";
import type { Strand } from "./run-state.ts";

const work = (more: Partial<WorkBlock> = {}): WorkBlock => taskWork({ parallel: 5, ...more });

function runOf(...blocks: Block[]): MemoryRun {
  const run = new MemoryRun(program([...blocks, agentStep("a")], blocks[0]?.id ?? ""), ({ exprs }) =>
    Object.fromEntries(Object.keys(exprs).map((key): [string, Json] => [key, key === "items" ? [{ id: "A" }, { id: "B" }] : true])),
  );
  run.start();
  return run;
}

const failed = { ok: false as const, code: "STEP_FAILED", message: "no" };
function fail(run: MemoryRun): void {
  const { id = "", strand = "" } = Object.values(run.state.actions)[0] ?? {};
  if (run.state.strands[strand]?.holder === undefined) run.input({ type: "claim", strand, holder });
  run.input({ type: "report", action: id, holder, fence: run.state.strands[strand]?.fence ?? 0, outcome: failed, write: true });
}

const listOf = (run: MemoryRun): string => [...run.items.values()][0]?.list ?? "";

test("items of a list that a work made itself are not held by its strand, those of a declared list are", () => {
  const moves = (run: MemoryRun): unknown[] =>
    run.events.flatMap((event) => (event.type === "item_moved" ? [[event.move.id, event.move.to, event.move.strand]] : []));
  const own = runOf(work({ mode: "each" }));
  own.report(Object.keys(own.state.actions)[0] ?? "");
  expect(moves(own)).toEqual([
    ["A", "in_progress", undefined],
    ["A", "completed", undefined],
    ["B", "in_progress", undefined],
  ]);
  const { fill: _fill, ...declared } = work({ mode: "each", list: "l" });
  const run = runOf({ kind: "seq", id: "root", blocks: ["begin", "w"] }, agentStep("begin"), declared);
  run.input({ type: "items", change: { add: [{ list: "l", items: [itemRow("A")] }] }, reason: "r" });
  run.report(Object.keys(run.state.actions)[0] ?? "");
  run.report(Object.keys(run.state.actions)[0] ?? "");
  expect(moves(run)).toEqual([
    ["A", "in_progress", "main"],
    ["A", "completed", "main"],
  ]);
  expect(run.state.held).toEqual({});
});

test("a retry gives failed items their tries again, whatever an earlier version counted", () => {
  const run = runOf(work({ parallel: 1, onItemFailure: { retries: 1, then: "fail" } }));
  const before = run.events.length;
  run.state = apply(run.state, { type: "counted", key: `attempts:${listOf(run)}/A`, by: 3 });
  for (const status of ["running", "failed"]) {
    fail(run);
    expect(run.state.status).toBe(status);
  }
  run.input({ type: "retry", resetCounts: false });
  expect([...run.items.values()].map(({ attempts }) => attempts)).toEqual([1, 0]);
  fail(run);
  expect(run.state.status).toBe("running");
  expect(run.events.slice(before).filter(({ type }) => type === "counted")).toEqual([]);
});

test.each([
  [0, "running"],
  [1, "failed"],
])("a task that an earlier version opened, and that failed %i times before, has one try left at most", (failures, status) => {
  const run = runOf(work({ onItemFailure: { retries: 1, then: "fail" } }));
  const { strand = "" } = Object.values(run.state.actions)[0] ?? {};
  const key = `attempts:${listOf(run)}/A`;
  const stored = { ...run.state, strands: { ...run.state.strands, [strand]: ofBefore(run.state.strands[strand]) } };
  run.state = upcastState(failures === 0 ? stored : { ...stored, counters: { [key]: failures } });
  fail(run);
  expect(run.state.status).toBe(status);
});

/** A strand as earlier versions stored it. */
function ofBefore(strand: Strand | undefined): Strand {
  return JSON.parse(JSON.stringify(strand, (key, held: unknown) => (key === "attempts" ? undefined : held))) as Strand;
}

test("a change of rows says only what it changes", () => {
  const run = runOf({ kind: "seq", id: "root", blocks: ["a"] });
  const sweep = { list: "l", query: {}, from: "pending" as const, to: "skipped" as const, reason: "r", facets: {} };
  const before = run.events.length;
  run.input({ type: "items", change: { add: [{ list: "l", items: [] }], sweeps: [{ ...sweep, count: 0 }] }, reason: "r" });
  expect(run.events.slice(before)).toEqual([]);
  run.input({ type: "items", change: { add: [{ list: "l", items: [itemRow("A")] }] }, reason: "r" });
  run.input({ type: "items", change: { sweeps: [{ ...sweep, count: 1 }] }, reason: "r" });
  expect(run.events.slice(before)).toEqual([
    { type: "items_added", list: "l", items: [itemRow("A")] },
    { type: "items_swept", ...sweep, count: 1 },
  ]);
  expect(run.state.lists["l"]?.by).toMatchObject({ pending: 0, skipped: 1 });
});

test("only a work that waits for its strands is woken by new rows", () => {
  const { fill: _fill, ...declared } = work({ list: "l", mode: "each" });
  const run = runOf({ kind: "seq", id: "root", blocks: ["begin", "w"] }, agentStep("begin"), declared);
  run.input({ type: "items", change: { add: [{ list: "l", items: [itemRow("A")] }] }, reason: "r" });
  run.report(Object.keys(run.state.actions)[0] ?? "");
  run.state = apply(run.state, { type: "left", strand: "main", block: "a", how: "skipped" });
  run.state = apply(run.state, { type: "blocked", strand: "main", code: "STEP_FAILED", reason: "no" });
  run.input({ type: "items", change: { add: [{ list: "l", items: [itemRow("B")] }] }, reason: "r" });
  expect(run.state.strands["main"]?.status).toBe("blocked");
});

test("an item that settles in one strand lets another one hand out at once what waited for it", () => {
  const { fill: _fill, ...over } = work({ list: "l" });
  const main: WorkBlock = { ...over, query: { facets: { for: "main" } } };
  const side: WorkBlock = { ...over, id: "side", mode: "each", query: { facets: { for: "side" } }, body: "s" };
  const blocks = [
    { kind: "seq", id: "root", blocks: ["begin", "w"] } as const,
    agentStep("begin"),
    main,
    agentStep("a"),
    side,
    agentStep("s"),
  ];
  const entries = { side: { root: "side", by: "anyone" as const, main: "goes_on" as const } };
  const run = new MemoryRun(program(blocks, "root", { entries }), () => ({}));
  run.start();
  const items = [
    itemRow("A", { facets: { for: "side" } }),
    itemRow("B", { facets: { for: "main" }, dependsOn: ["A"], waitsFor: 1 }),
    itemRow("C", { facets: { for: "main" } }),
  ];
  run.input({ type: "items", change: { add: [{ list: "l", items }] }, reason: "r" });
  run.report(Object.keys(run.state.actions)[0] ?? "");
  run.input({ type: "entry", name: "side", args: {} });
  expect(run.open()).toEqual(["a", "s"]);
  const { id = "", strand = "" } = Object.values(run.state.actions).find(({ step }) => step === "s") ?? {};
  run.input({ type: "claim", strand, holder });
  run.report(id);
  expect(Object.values(run.state.strands).flatMap(({ task }) => (task === undefined ? [] : [task]))).toEqual(["C", "B"]);
});
