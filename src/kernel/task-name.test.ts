import { expect, test } from "vitest";
import type { Program } from "../program/index.ts";
import type { RunState, Strand } from "./run-state.ts";
import { listName, nameInList, nameOfItem, needsNames, readListName, taskName } from "./task-name.ts";

const strand = (id: string, task: string, list: string): Strand =>
  ({ id, task, item: { list, id: task, facets: {}, root: task, attempts: 1 } }) as unknown as Strand;
const stateOf = (lists: readonly string[]): RunState =>
  ({ lists: Object.fromEntries(lists.map((list) => [list, {}])) }) as unknown as RunState;
const tasks = { kind: "work", task: { name: "each", prompt: "" } };
const program = { blocks: { all: tasks, other: tasks, loop: { kind: "work" } } } as unknown as Program;

test.each([
  ["a#b.c#12", { block: "a#b.c", number: 12, apart: false }],
  ["all#12@", { block: "all", number: 12, apart: true }],
])("the list %s names its block, its number and whether its tasks have names of their own", (list, parts) => {
  expect(readListName(list)).toEqual(parts);
  expect(listName(parts)).toBe(list);
});

test("a declared list is not one that a work filled", () => {
  expect(["files", "files#", "files#x"].map(readListName)).toEqual([undefined, undefined, undefined]);
});

test("a task has the author's id, or one with the number of its list, as the list says", () => {
  expect(taskName(strand("s60", "mine", "all#50"))).toBe("mine");
  expect(taskName(strand("s60", "mine", "all#50@"))).toBe("mine@g50");
  expect(taskName(strand("s60", "a.js", "files"))).toBe("a.js");
  expect(nameOfItem({ list: "all#50@", id: "mine" })).toBe("mine@g50");
});

test("a name with the number of its list is there for every task of a filled list", () => {
  expect([nameInList("mine", "all#50"), nameInList("mine", "all#50@"), nameInList("a.js", "files")]).toEqual([
    "mine@g50",
    "mine@g50",
    "a.js",
  ]);
});

test("a strand that is not a task has its own id", () => {
  expect(taskName({ id: "s9" })).toBe("s9");
});

test.each<[string, readonly string[], readonly string[], boolean]>([
  ["counted ids of the first group", [], ["all.0", "all.1"], false],
  ["counted ids beside a group of another block", ["other#5"], ["all.0"], false],
  ["counted ids after a group that is closed", ["all"], ["all.0"], true],
  ["counted ids beside an open group of the block", ["all#5"], ["all.0"], true],
  ["an author's ids, with no other group open", ["all", "other"], ["mine"], false],
  ["an author's ids inside a loop that has no tasks", ["loop#5"], ["mine"], false],
  ["an author's ids beside an open group of another block", ["other#5"], ["mine"], true],
  ["an author's ids beside an open group of the block", ["all#5@"], ["mine"], true],
  ["an author's id among counted ones, beside another group", ["other#5"], ["all.0", "mine"], true],
  ["the name of the main strand", [], ["main", "b"], true],
  ["a name that tells tasks apart", [], ["mine@g7"], true],
  ["ids that only begin like these", [], ["mains", "s12", "mine@g"], false],
])("names of their own for %s: %s beside %s", (_, lists, ids, expected) => {
  expect(needsNames(stateOf(lists), program, "all", ids)).toBe(expected);
});
