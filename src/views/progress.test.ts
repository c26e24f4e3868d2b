import { expect, test } from "vitest";
import type { ListCounts } from "../kernel/index.ts";
import type { Part } from "../program/index.ts";
import { progressOf } from "./progress.ts";

const by = (completed: number) => ({ pending: 0, in_progress: 0, completed, skipped: 0, failed: 0 });
const list = (completed: number, facet: string): ListCounts => ({
  total: completed,
  by: by(completed),
  facets: { [facet]: by(completed) },
  hasDependencies: false,
});
const part = (config: Part["config"]): Part => ({ dialect: "bots", config }) as unknown as Part;

test("the log of a bot does not count as work, whatever its list is called in the run", () => {
  const parts = { outer: part({}), inner: part({ lists: { actions: "inner.actions", activity: "inner.activity" } }) };
  const lists = {
    actions: list(2, "kind=action"),
    activity: list(4, "state=completed"),
    "inner.actions": list(2, "kind=action"),
    "inner.activity": list(4, "state=completed"),
  };
  expect(progressOf({ program: { parts }, state: { lists } })).toEqual({ progress: { done: 4, total: 4 } });
});
