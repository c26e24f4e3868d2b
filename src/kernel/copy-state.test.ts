import { expect, test } from "vitest";
import { copyState, copyStrand, emptyState } from "./apply.ts";
import type { RunState, Strand } from "./run-state.ts";

// Required: a key that is added to the state is missing here until it is copied as well.
const strand: Required<Strand> = {
  id: "s2",
  status: "waiting",
  scope: "run",
  frames: [],
  fence: 3,
  waits: { on: "action", id: "a1" },
  parent: "main",
  of: ["l a"],
  calls: [{ block: "b", scope: "c1" }],
  task: "t",
  entry: "batch",
  pauses: true,
  item: { list: "l", id: "i", facets: {}, root: "i", attempts: 1 },
  holder: { kind: "agent", name: "n", session: "s" },
  last: { action: "a0", step: "b" },
  session: { agent: "claude", id: "1" },
  error: { code: "C", message: "m" },
  unshown: true,
  blocked: { code: "C", reason: "r" },
};

const state: Required<RunState> = {
  ...emptyState,
  error: { code: "C", message: "m" },
  endedAt: 5,
  retryOf: "wf-first",
  mark: { id: "k1", step: "b", reason: "r", at: 4 },
  closing: "cancelled",
};

test("a copy of a state has everything that the state has", () => {
  expect(copyState(state)).toEqual(state);
  expect(copyState(emptyState)).toEqual(emptyState);
});

test("a copy of a strand has everything but what it leaves", () => {
  expect(copyStrand(strand)).toEqual(strand);
  const { waits: _waits, blocked: _blocked, ...rest } = strand;
  expect(copyStrand(strand, "waits", "blocked")).toStrictEqual(rest);
});
