import { expect, test } from "vitest";
import type { Item } from "../../../program/index.ts";
import { botRows, movesBetween, placeImported } from "./bot-rows.ts";
import type { BotRun } from "./bot-run.ts";

const action = (name: string, more: object = {}) => ({ name, next: null, autoProgress: false, ...more });
const definition = {
  name: "bot",
  behaviours: [
    { name: "first", actions: [action("a", { next: "b" }), action("b", { setting: "skip" }), action("c", { setting: "combine" })] },
    { name: "second", setting: "skip", actions: [action("a", { autoProgress: true, calls: "other" })] },
    { name: "third", actions: [action("a"), action("b")] },
  ],
};
const rows = botRows({ definition, lists: { actions: "actions", activity: "activity" } } as unknown as BotRun);
const told = (all: readonly Item[]): string[] =>
  all.map(({ id, status, reason }) => `${id} ${status}${reason === undefined ? "" : `: ${reason}`}`);

test("what a setting skips is settled from the beginning, a whole behaviour with all its actions", () => {
  expect(told(rows)).toEqual([
    "first pending",
    "first.a pending",
    "first.b skipped: setting",
    "first.c pending",
    "second skipped: setting",
    "second.a skipped: setting",
    "third pending",
    "third.a pending",
    "third.b pending",
  ]);
  expect(rows.map(({ order }) => order).toSorted()).toEqual(rows.map(({ order }) => order));
});

test("an action is passed without a question when it says so or is combined, and names the workflow that it calls", () => {
  const data = (id: string) => rows.find((row) => row.id === id)?.data;
  expect(data("first.a")).toEqual({ id: "first.a", kind: "action", behaviour: "first", action: "a", next: "b", auto: false });
  expect(data("first.c")).toMatchObject({ auto: true });
  expect(data("second.a")).toMatchObject({ auto: true, calls: "other" });
});

test("a brought state completes what it names, passes over what is before its place, and closes whole behaviours", () => {
  const placed = placeImported(rows, { completed: { "first.a": "2026-01-01", "third.b": null }, target: "third.a", interrupted: true });
  expect(told(placed)).toEqual([
    "first completed: brought along",
    "first.a completed: brought along",
    "first.b skipped: setting",
    "first.c skipped: passed before the state was brought along",
    "second skipped: setting",
    "second.a skipped: setting",
    "third pending",
    "third.a pending",
    "third.b completed: brought along",
  ]);
  const data = (id: string) => placed.find((row) => row.id === id)?.data;
  expect(data("first.a")).toMatchObject({ action: "a", completed_at: "2026-01-01" });
  expect(data("third.b")).toMatchObject({ completed_at: null });
  expect(data("third.a")).toMatchObject({ interrupted: true });
});

test("a brought state without a place passes over nothing", () => {
  const placed = placeImported(rows, { completed: { "first.c": null }, target: null, interrupted: false });
  expect(told(placed).filter((line) => !line.includes("setting"))).toEqual([
    "first pending",
    "first.a pending",
    "first.c completed: brought along",
    "third pending",
    "third.a pending",
    "third.b pending",
  ]);
});

test("only rows that became something else are moved", () => {
  const named = { completed: { "first.a": null }, target: "first.c" };
  expect(movesBetween(rows, placeImported(rows, { ...named, interrupted: false }))).toMatchObject([
    { list: "actions", id: "first.a", from: "pending", to: "completed", reason: "brought along", root: "first" },
  ]);
  expect(movesBetween(rows, placeImported(rows, { ...named, interrupted: true }))).toMatchObject([
    { id: "first.a" },
    { id: "first.c", from: "pending", to: "pending", data: { interrupted: true }, reason: null },
  ]);
});

test("a behaviour without actions is not closed by a brought state", () => {
  const bare = rows.filter(({ id }) => id === "third");
  expect(told(placeImported(bare, { completed: {}, target: null, interrupted: false }))).toEqual(["third pending"]);
});
