import { expect, test } from "vitest";
import type { RunState, Strand } from "./run-state.ts";
import { isCounted, readListName, taskName } from "./task-name.ts";

const strand = (id: string, task: string, list: string): Strand =>
  ({ id, task, item: { list, id: task, facets: {}, root: task, attempts: 1 } }) as unknown as Strand;
const stateOf = (lists: readonly string[], ...strands: readonly Strand[]): RunState =>
  ({
    lists: Object.fromEntries(lists.map((list) => [list, {}])),
    strands: Object.fromEntries(strands.map((each) => [each.id, each])),
  }) as unknown as RunState;

test("a list that a work filled names its block and its number; a declared one has neither", () => {
  expect([readListName("a#b.c#12"), readListName("files")]).toEqual([{ block: "a#b.c", number: 12 }, undefined]);
});

test("a name counts items when it is the block and a number, and nothing else", () => {
  const names = ["all.0", "all.12", "all.1a", "all.", "all", "ball.0", "alls.0"];
  expect(names.map((name) => isCounted(name, "all"))).toEqual([true, true, false, false, false, false, false]);
});

test.each<[string, string, readonly string[], string, string]>([
  ["the first group", "all.0", ["all#5"], "all#5", "all.0"],
  ["a group after one that is closed", "all.0", ["all", "all#50"], "all#50", "all.0@s60"],
  ["a group after one that is open", "all.0", ["all#5", "all#50"], "all#50", "all.0@s60"],
  ["the first of two open groups", "all.0", ["all#5", "all#50"], "all#5", "all.0"],
  ["an author's id after a group that is closed", "mine", ["all", "all#50"], "all#50", "mine"],
  ["an author's id after a group that is open", "mine", ["all#5", "all#50"], "all#50", "mine@s60"],
  ["a group of another block", "mine", ["other#5", "all#50"], "all#50", "mine"],
  ["a group of a block whose name only begins alike", "all.0", ["all.0", "all.0#5", "all#50"], "all#50", "all.0"],
  ["an item of a declared list", "a.js", ["files"], "files", "a.js"],
])("%s", (_, task, lists, list, name) => {
  const own = strand("s60", task, list);
  expect(taskName(stateOf(lists, own), own)).toBe(name);
});

test("beside an older open task of its name a task has an id of its own, until the older one is over", () => {
  const [older, own] = [strand("s7", "mine", "one#5"), strand("s60", "mine", "two#50")];
  expect(taskName(stateOf(["one#5", "two#50"], older, own), own)).toBe("mine@s60");
  expect(taskName(stateOf(["one#5", "two#50"], older, own), older)).toBe("mine");
  expect(taskName(stateOf(["one", "two#50"], own), own)).toBe("mine");
});

test("a strand that is not a task has its own id", () => {
  expect(taskName(stateOf([]), { id: "s9" })).toBe("s9");
});
