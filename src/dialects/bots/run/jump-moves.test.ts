import { expect, test } from "vitest";
import type { Item, ItemStatus } from "../../../program/index.ts";
import { jumpMoves } from "./bot-rows.ts";

const row = (id: string, order: string, status: ItemStatus, more: Partial<Item> = {}): Item => {
  const [behaviour = id, action] = id.split(".");
  const parent = action === undefined ? {} : { parent: behaviour };
  return {
    list: "actions",
    id,
    order,
    status,
    data: {},
    facets: { of: id },
    root: behaviour,
    attempts: 0,
    waitsFor: 0,
    ...parent,
    ...more,
  };
};

const rows = [
  row("first", "0", "pending"),
  row("first.a", "0.0", "completed"),
  row("first.b", "0.1", "pending"),
  row("second", "1", "completed"),
  row("second.a", "1.0", "pending"),
  row("second.b", "1.1", "completed"),
  row("second.c", "1.2", "skipped", { reason: "setting" }),
  row("second.d", "1.3", "pending"),
  row("third", "2", "pending"),
  row("third.a", "2.0", "completed"),
];
const jump = (behaviour: string, action: string): string[] =>
  jumpMoves(rows, { behaviour, action }, "a person said so").map(
    ({ id, from, to, reason }) => `${id}: ${from} to ${to}, ${reason ?? "no reason"}`,
  );

test("a jump skips what is open before its target and opens the rest of the target's behaviour", () => {
  expect(jump("second", "b")).toEqual([
    "first: pending to skipped, a person said so",
    "first.b: pending to skipped, a person said so",
    "second: completed to pending, no reason",
    "second.a: pending to skipped, a person said so",
    "second.b: completed to pending, no reason",
  ]);
});

test("an action that a setting skips is opened only by a jump to itself", () => {
  expect(jump("second", "c")).toContain("second.c: skipped to pending, no reason");
});

test("a jump back opens again what an earlier jump passed over after its target, with the behaviours it is in", () => {
  const passed = { reason: "an earlier jump" };
  const skipped = [
    row("first", "0", "skipped", passed),
    row("first.a", "0.0", "skipped", passed),
    row("first.b", "0.1", "skipped", passed),
    row("second", "1", "completed"),
    row("second.a", "1.0", "skipped", passed),
    row("second.b", "1.1", "completed"),
    row("third", "2", "skipped", passed),
    row("third.a", "2.0", "skipped", passed),
    row("third.b", "2.1", "skipped", { reason: "setting" }),
    row("fourth", "3", "completed"),
    row("fourth.a", "3.0", "completed"),
  ];
  const moves = jumpMoves(skipped, { behaviour: "first", action: "b" }, "r");
  expect(moves.map(({ id, to, reason }) => [id, to, reason])).toEqual([
    ["first", "pending", null],
    ["first.b", "pending", null],
    ["second", "pending", null],
    ["second.a", "pending", null],
    ["third", "pending", null],
    ["third.a", "pending", null],
  ]);
});

test("a jump keeps what the rows are filed under", () => {
  expect(jumpMoves(rows, { behaviour: "third", action: "a" }, "r").at(-1)).toEqual({
    list: "actions",
    id: "third.a",
    from: "completed",
    to: "pending",
    facets: { of: "third.a" },
    root: "third",
    reason: null,
  });
});

test("a jump to a place that does not exist moves nothing", () => {
  expect(jump("second", "z")).toEqual([]);
});
