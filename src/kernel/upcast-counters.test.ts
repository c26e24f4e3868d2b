import { expect, test } from "vitest";
import { agentStep, program } from "../../test/support/make-program.ts";
import { MemoryRun } from "../../test/support/memory-run.ts";
import { apply, isUnshown, upcastState } from "./index.ts";

const state = (() => {
  const run = new MemoryRun(program([agentStep("a")], "a"), () => ({}));
  run.start();
  return run.state;
})();

test("a counter of an earlier version says that a strand has not been shown, until it says the opposite", () => {
  const hidden = apply(state, { type: "counted", key: "unshown/main", by: 1 });
  expect(isUnshown(hidden, "main")).toBe(true);
  expect(hidden.counters).toEqual(state.counters);
  expect(isUnshown(apply(hidden, { type: "counted", key: "unshown/main", by: -1 }), "main")).toBe(false);
  expect(isUnshown(apply(state, { type: "counted", key: "unshown/main", by: 0 }), "main")).toBe(false);
  expect(apply(state, { type: "counted", key: "unshown/gone", by: 1 }).strands).toEqual(state.strands);
});

test("a stored state of an earlier version has the field instead of the counter, and keeps its other counters", () => {
  const stored = { ...state, counters: { "unshown/main": 1, "unshown/t2": 0, reported: 3 } };
  const today = upcastState(stored);
  expect(isUnshown(today, "main")).toBe(true);
  expect(today.counters).toEqual({ reported: 3 });
  expect(isUnshown(upcastState({ ...stored, counters: { "unshown/main": 0 } }), "main")).toBe(false);
  expect(upcastState(state)).toBe(state);
  expect(today).toEqual({ ...state, strands: { main: { ...state.strands["main"], unshown: true } }, counters: { reported: 3 } });
});

test("other counters are counted as before", () => {
  expect(apply(state, { type: "counted", key: "reported", by: 2 }).counters).toEqual({ ...state.counters, reported: 2 });
});
