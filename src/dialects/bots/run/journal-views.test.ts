import { expect, test } from "vitest";
import type { ActivityEntry } from "../definition/index.ts";
import type { Item } from "../../../program/index.ts";
import { inOrder, isIndependent, type Activity } from "./activity.ts";
import type { BotRun } from "./bot-run.ts";
import { completedOf, currentOf, mergeOthers, sameEntry, stateText, withCompleted } from "./journal-views.ts";

const definition = {
  name: "bot",
  behaviours: [
    {
      name: "shape",
      actions: [
        { name: "a", workflow: true },
        { name: "both", workflow: true },
      ],
    },
  ],
  independent: [
    { name: "beside", workflow: false },
    { name: "both", workflow: false },
  ],
};
const run = { definition, raw: {} } as unknown as BotRun;
const entry = (timestamp: string | null, action: string, more: Partial<ActivityEntry> = {}): ActivityEntry => ({
  timestamp,
  bot: "bot",
  behaviour: "shape",
  action,
  actionState: "completed",
  inputs: {},
  outputs: {},
  duration: null,
  kept: {},
  ...more,
});
const made = (id: string, ...of: Parameters<typeof entry>): Activity => ({ id, entry: entry(...of) });
const row = (action: string, status: Item["status"], data: object = {}): Item =>
  ({ id: `shape.${action}`, status, data: { behaviour: "shape", action, ...data } }) as unknown as Item;

test("entries are the same when all that an action says is, whatever others keep with them", () => {
  const one = entry("1", "a", { outputs: { x: 1 } });
  expect(sameEntry(one, { ...one, kept: { more: true } })).toBe(true);
  for (const other of [{ timestamp: "2" }, { action: "b" }, { actionState: "started" as const }, { outputs: {} }, { duration: 1 }])
    expect(sameEntry(one, { ...one, ...other })).toBe(false);
});

test("entries of other bots come where their time puts them, before one's own of the same time", () => {
  const own = [made("1", "2", "a"), made("2", "5", "a")];
  const others = [entry("1", "x", { bot: "o" }), entry("5", "y", { bot: "o" }), entry("6", "z", { bot: "o" }), entry("0", "mine")];
  expect(mergeOthers(run, own, others).map(({ action, timestamp }) => `${action}${timestamp}`)).toEqual(["x1", "a2", "y5", "a5", "z6"]);
  expect(mergeOthers(run, [made("1", null, "a")], [entry(null, "x", { bot: "o" })]).map(({ action }) => action)).toEqual(["x", "a"]);
});

test("the place of a bot is its last event that is not of an action beside the sequence", () => {
  const all = [made("1", "1", "a", { actionState: "started" }), made("2", "2", "beside")];
  expect(currentOf(run, all)).toEqual({ behaviour: "shape", action: "a", state: "started" });
  expect(currentOf(run, all.slice(1))).toBeUndefined();
  expect(["beside", "both", "a", "odd"].map((action) => isIndependent(run, { behaviour: "shape", action }))).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

test("activity comes in the order of its ids, each once", () => {
  expect(
    inOrder([made("3", "c", "a"), made("1", "a", "a"), made("3", "late", "a"), made("2", "b", "a")]).map(({ entry: of }) => of.timestamp),
  ).toEqual(["a", "b", "late"]);
});

test("only what counts as completed now is listed, what was brought along first", () => {
  const all = [made("1", "1", "a"), made("2", "2", "both"), made("3", "3", "a", { actionState: "started" })];
  const rows = [row("a", "completed"), row("both", "pending"), row("old", "completed", { completed_at: "0" }), row("older", "completed")];
  expect(completedOf(all, rows).map(({ action, timestamp }) => `${action} ${timestamp ?? "at no time"}`)).toEqual([
    "old 0",
    "older at no time",
    "a 1",
  ]);
  const open = [made("4", "4", "both"), made("5", "5", "third", { actionState: "started" })];
  expect(withCompleted([row("both", "pending"), row("third", "pending")], open).map(({ status }) => status)).toEqual([
    "completed",
    "pending",
  ]);
});

test("a state without activity names no place, and one with it names the place and its confirmations", () => {
  const kept = { theirs: 1 };
  expect(JSON.parse(stateText(run, { all: [], actions: [], open: [], kept }))).toMatchObject({
    current_behavior: null,
    current_action: null,
    theirs: 1,
  });
  const confirmed = { ...run, raw: { bot_confirmations: { build: { confirmed_at: "t", original_behavior: "shape" } } } };
  const all = [made("1", "2026-01-01T00:00:00.000Z", "a")];
  expect(JSON.parse(stateText(confirmed, { all, actions: [row("a", "pending")], open: all, kept: {} }))).toMatchObject({
    current_behavior: "shape",
    current_action: "a",
    action_state: "completed",
    completed_actions: [{ action: "a" }],
    out_of_order_confirmations: { build: { confirmed_by: "human", original_behavior: "shape" } },
  });
});
