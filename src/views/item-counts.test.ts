import { expect, test } from "vitest";
import type { ListCounts } from "../kernel/index.ts";
import type { Block, Part } from "../program/index.ts";
import { progressOf } from "./item-counts.ts";

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
