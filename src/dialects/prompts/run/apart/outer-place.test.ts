import { expect, test } from "vitest";
import { isOf, nameFor } from "./outer-place.ts";

const node = { scope: "run", block: "group/all" };

test("worktrees of an item are known by their names, with those inside", () => {
  const name = nameFor(node, 2, "e40");
  expect(name).toBe("run.group.all.2-e40");
  for (const each of [name, `${name}+c9.x.0-e50`]) expect(isOf(node, 2)(each)).toBe(true);
  expect(isOf(node)(name)).toBe(true);
});

test.each([
  ["another item", nameFor(node, 20, "e40")],
  ["another call of the graph", nameFor({ ...node, scope: "c12" }, 2, "e40")],
  ["a node whose id begins so", nameFor({ ...node, block: "group/all-of" }, 2, "e40")],
  ["a node that is called so outside of the group", nameFor({ ...node, block: "group_all" }, 2, "e40")],
  ["a task of another dialect", "T-001-e4"],
])("%s is another one", (_what, name) => {
  expect(isOf(node, 2)(name)).toBe(false);
});
