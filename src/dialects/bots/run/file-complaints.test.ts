import { expect, test } from "vitest";
import type { ActivityEntry, WorkflowState } from "../definition/index.ts";
import type { Item } from "../../../program/index.ts";
import type { Activity } from "./activity.ts";
import type { BotRun } from "./bot-run.ts";
import { complaintOfLog, complaintOfState } from "./bot-files.ts";
import type { FoundLog, FoundState } from "./area-files.ts";

const actions = ["a", "b", "c"].map((name) => ({ name, workflow: true }));
const run = { definition: { name: "bot", behaviours: [{ name: "shape", actions }], independent: [] } } as unknown as BotRun;
const made = (at: number, action: string, actionState: "started" | "completed"): Activity => {
  const entry = {
    timestamp: `t${at}`,
    bot: "bot",
    behaviour: "shape",
    action,
    actionState,
    inputs: {},
    outputs: {},
    duration: null,
    kept: {},
  };
  return { id: `${at}`, entry };
};
const [begun, ended, next] = [made(1, "a", "started"), made(2, "a", "completed"), made(3, "b", "started")] as const;

const logSays = (own: readonly ActivityEntry[], more: Partial<FoundLog> = {}, last: string | undefined = "old"): string[] =>
  complaintOfLog(run, {
    file: { path: "log", text: "x", hash: "new", own, others: [], ...more },
    last,
    recorded: [begun, ended],
    all: [begun, ended, next],
  });

test("a log with every recorded entry and nothing that is not known is left alone", () => {
  expect(logSays([begun.entry, ended.entry])).toEqual([]);
  expect(logSays([begun.entry, ended.entry, next.entry])).toEqual([]);
});

test("a log that Waymark wrote last, or never wrote, is left alone whatever it holds", () => {
  expect(logSays([], {}, "new")).toEqual([]);
  expect(
    complaintOfLog(run, { file: { path: "log", text: "x", hash: "h", own: [], others: [] }, last: undefined, recorded: [begun], all: [] }),
  ).toEqual([]);
});

test("a log that is gone or cannot be read is told", () => {
  expect(logSays([], { text: undefined as never })).toEqual(["log was removed."]);
  expect(logSays([], { broken: "No list." })).toEqual(["log was changed outside Waymark and cannot be read: No list."]);
});

test("a complaint about a log counts what lacks and what is strange in it", () => {
  const changed = "log was changed outside Waymark.";
  const strange = [made(8, "x", "started").entry, made(9, "x", "completed").entry];
  expect(logSays([begun.entry])).toEqual([`${changed} 1 of the recorded entries of bot is not in it.`]);
  expect(logSays([])).toEqual([`${changed} 2 of the recorded entries of bot are not in it.`]);
  expect(logSays([begun.entry, ended.entry, ...strange.slice(1)])).toEqual([`${changed} 1 of its entries was never recorded.`]);
  expect(logSays([begun.entry, ended.entry, ...strange])).toEqual([`${changed} 2 of its entries were never recorded.`]);
});

const rows = actions.map(({ name }) => ({
  id: `shape.${name}`,
  status: name === "a" ? "completed" : "pending",
  data: {},
})) as unknown as Item[];
const place = (currentAction: string, actionState: "started" | "completed", completed: number): WorkflowState => ({
  bot: "bot",
  currentBehaviour: "shape",
  currentAction,
  actionState,
  timestamp: null,
  completedActions: Array.from({ length: completed }, () => ({ behaviour: "shape", action: "a", timestamp: null, kept: {} })),
  confirmations: {},
  kept: {},
});
const stateSays = (state: WorkflowState | undefined, more: object = {}, own?: Activity): string[] =>
  complaintOfState(run, {
    file: { path: "state", text: "x", hash: "new", ...(state === undefined ? {} : { state }), ...more } as unknown as FoundState,
    last: "old",
    known: { recorded: [begun, ended], open: [next], ...(own === undefined ? {} : { own }) },
    actions: rows,
  });

test("a state fits that says what is recorded, or what will be when the open records are made", () => {
  expect(stateSays(place("a", "completed", 1))).toEqual([]);
  expect(stateSays(place("b", "started", 1))).toEqual([]);
  expect(stateSays(place("b", "completed", 2), {}, made(4, "b", "completed"))).toEqual([]);
});

test("a state of another place or with another number of completed actions is told with what the journal says", () => {
  const told = (said: string): string[] => [
    `state was changed outside Waymark. It says ${said} completed, and the journal says shape.a (completed) with 1.`,
  ];
  expect(stateSays(place("c", "started", 1))).toEqual(told("shape.c (started) with 1"));
  expect(stateSays(place("a", "completed", 0))).toEqual(told("shape.a (completed) with 0"));
  expect(stateSays(place("a", "completed", 2))).toEqual(told("shape.a (completed) with 2"));
  const nowhere = { ...place("a", "started", 1), currentBehaviour: null, currentAction: null, actionState: null };
  expect(stateSays(nowhere)).toEqual(told("no behaviour.no action (no state) with 1"));
});

test("a state of another bot is its own business, and one that is gone or broken is told", () => {
  expect(stateSays({ ...place("z", "started", 9), bot: "other" })).toEqual([]);
  expect(stateSays(undefined, { text: undefined })).toEqual(["state was removed."]);
  const broken = "state was changed outside Waymark and cannot be read:";
  expect(stateSays(undefined)).toEqual([`${broken} it is not JSON.`]);
  expect(stateSays(undefined, { broken: "No map." })).toEqual([`${broken} No map.`]);
  expect(stateSays(place("z", "started", 9), { hash: "old" })).toEqual([]);
});
