import { expect, test } from "vitest";
import type { ListCounts, RunState } from "../kernel/index.ts";
import type { Block, Part, Program } from "../program/index.ts";
import { doneOf, progressOf } from "./item-counts.ts";

const by = (completed: number) => ({ pending: 0, in_progress: 0, completed, skipped: 0, failed: 0 });
const list = (completed: number, facet: string): ListCounts => ({
  total: completed,
  by: by(completed),
  facets: { [facet]: by(completed) },
  hasDependencies: false,
});
const part = (...ids: readonly string[]): Part => ({ worklists: ids.map((id) => ({ id, facets: [] })) }) as unknown as Part;
const work = (list: string): Block => ({ kind: "work", list }) as unknown as Block;

test("a list that no block works through does not count as work, whatever it is called in the run", () => {
  const parts = { outer: part("actions", "activity"), inner: part("inner.actions", "inner.activity") };
  const blocks = { a: work("actions"), b: work("inner.actions") };
  const lists = {
    actions: list(2, "kind=action"),
    activity: list(4, "state=completed"),
    "inner.actions": list(2, "kind=action"),
    "inner.activity": list(4, "state=completed"),
  };
  expect(progressOf({ program: { parts, blocks }, state: { lists } })).toEqual({ progress: { done: 4, total: 4 } });
});

test("what was left when a run was cancelled is not counted as done", () => {
  const program = { parts: { main: part("files") }, blocks: { a: work("files") } } as unknown as Program;
  const counts = { ...by(1), skipped: 2 };
  const stateOf = (status: RunState["status"]) =>
    ({ status, lists: { files: { total: 3, by: counts, facets: {}, hasDependencies: false } } }) as unknown as RunState;
  expect(doneOf(stateOf("cancelled"), program)).toEqual({ done: 1, total: 3 });
  expect(doneOf(stateOf("completed"), program)).toEqual({ done: 3, total: 3 });
});

test("what was settled from the beginning is nobody's work: it is neither done nor among what is to do", () => {
  const program = { parts: { main: part("files") }, blocks: { a: work("files") } } as unknown as Program;
  const files = (completed: number, given: number): ListCounts => ({
    total: 10,
    by: { ...by(completed), skipped: 1, pending: 9 - completed },
    facets: { "done=given_file": { ...by(given), skipped: 1 }, "kind=file": by(completed) },
    hasDependencies: false,
  });
  const shown = (completed: number, given: number): unknown =>
    progressOf({ program, state: { lists: { files: files(completed, given) } } });
  expect(shown(4, 4)).toEqual({ progress: { done: 0, total: 5 } });
  expect(shown(6, 4)).toEqual({ progress: { done: 2, total: 5 } });
  expect(shown(9, 9)).toEqual({ progress: { done: 9, total: 10, skipped: 1 } });
});
