import { expect, test } from "vitest";
import { agentStep, program } from "../../test/support/make-program.ts";
import { MemoryRun } from "../../test/support/memory-run.ts";
import { apply } from "./apply.ts";
import { isPositionStale } from "./read-state.ts";
import { upcastState } from "./upcast-counters.ts";

const state = (() => {
  const run = new MemoryRun(program([agentStep("a")], "a"), () => ({}));
  run.start();
  return run.state;
})();

test("a counter of an earlier version says that a strand has not been shown, until it says the opposite", () => {
  const hidden = apply(state, { type: "counted", key: "unshown/main", by: 1 });
  expect(isPositionStale(hidden, "main")).toBe(true);
  expect(hidden.counters).toEqual(state.counters);
  expect(isPositionStale(apply(hidden, { type: "counted", key: "unshown/main", by: -1 }), "main")).toBe(false);
  expect(isPositionStale(apply(state, { type: "counted", key: "unshown/main", by: 0 }), "main")).toBe(false);
  expect(apply(state, { type: "counted", key: "unshown/gone", by: 1 }).strands).toEqual(state.strands);
});

test("a stored state of an earlier version has the field instead of the counter, and keeps its other counters", () => {
  const stored = { ...state, counters: { "unshown/main": 1, "unshown/t2": 0, reported: 3 } };
  const today = upcastState(stored);
  expect(isPositionStale(today, "main")).toBe(true);
  expect(today.counters).toEqual({ reported: 3 });
  expect(isPositionStale(upcastState({ ...stored, counters: { "unshown/main": 0 } }), "main")).toBe(false);
  expect(upcastState(state)).toBe(state);
  expect(today).toEqual({ ...state, strands: { main: { ...state.strands["main"], unshown: true } }, counters: { reported: 3 } });
});

test("other counters are counted as before", () => {
  expect(apply(state, { type: "counted", key: "reported", by: 2 }).counters).toEqual({ ...state.counters, reported: 2 });
});

const item = { list: "w#1", id: "A", facets: {}, root: "A" };
const opened = { type: "strand_opened" as const, strand: "s1", scope: "run", parent: "main", task: "A", item };

test("a strand of an earlier version is in the try after those that were counted as failed", () => {
  const attempts = (from: typeof state): number | undefined => apply(from, opened).strands["s1"]?.item?.attempts;
  const failed = apply(state, { type: "counted", key: "attempts:w#1/A", by: 1 });
  expect(attempts(state)).toBe(1);
  expect(attempts(failed)).toBe(2);
  expect(attempts(apply(failed, { type: "counted", key: "attempts:w#1/A", by: -1 }))).toBe(1);
  expect(apply(failed, { ...opened, item: { ...item, attempts: 7 } }).strands["s1"]?.item).toEqual({ ...item, attempts: 7 });
});

test("a stored state of an earlier version says of its tasks which try they are in, also for the journal that follows it", () => {
  const { s1 } = apply(state, opened).strands;
  const counters = { "attempts:w#1/A": 2 };
  const today = upcastState({ ...state, strands: { ...state.strands, s1: { ...s1!, item: item as never } }, counters });
  expect(today.strands["s1"]).toEqual({ ...s1, item: { ...item, attempts: 3 } });
  expect(today.strands["main"]).toEqual(state.strands["main"]);
  const later = apply(apply(today, { type: "counted", key: "attempts:w#1/A", by: 1 }), { ...opened, strand: "s2" });
  expect(later.strands["s2"]?.item?.attempts).toBe(4);
});
