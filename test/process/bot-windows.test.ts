/** Two editor windows on one project area: no entry is lost, and there is one order of events. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, expect, test } from "vitest";
import type { BotLine, BotTask } from "../crash/bot-child.ts";
import { growBot } from "../crash/bot-matrix.ts";
import { runChild, type Ran } from "../crash/run-child.ts";
import { bundleChild } from "../crash/bundle-child.ts";

let program = "";
let base = "";
beforeAll(async () => {
  program = await bundleChild("bot-child.ts");
});
afterEach(() => rm(base, { recursive: true, force: true }));

interface Entry {
  readonly timestamp: string;
  readonly bot: string;
  readonly behavior: string;
  readonly action: string;
  readonly action_state: string;
}

const child = (task: Partial<BotTask>): Promise<Ran<BotLine>> =>
  runChild(program, { base, bot: "small_bot", what: "walk", leaseTtlMs: 10_000, workMs: 5, ...task });
const log = async (): Promise<Entry[]> => JSON.parse(await readFile(join(base, "work/area/activity_log.json"), "utf8")) as Entry[];
const handed = ({ lines }: Ran<BotLine>): number => lines.filter((line) => line.said === "reported").length;
const foundIn = ({ lines }: Ran<BotLine>) =>
  lines.find((line): line is Extract<BotLine, { said: "looked" }> => line.said === "looked")?.found;

/** Starts and completions of each action, in order, without one that is missing or stands twice. */
function expectPaired(entries: readonly Entry[]): void {
  const open = new Map<string, number>();
  for (const { bot, behavior, action, action_state: state } of entries) {
    const key = `${bot} ${behavior}.${action}`;
    const now = (open.get(key) ?? 0) + (state === "started" ? 1 : -1);
    expect(now, key).toBeGreaterThanOrEqual(0);
    open.set(key, now);
  }
  const times = entries.map((entry) => entry.timestamp);
  expect(times).toEqual(times.toSorted());
}

test("one bot in two windows: the sequence in one, an action beside it in the other", async () => {
  base = await mkdtemp(join(tmpdir(), "waymark-windows-"));
  growBot(base, "small_bot");
  expect((await child({ what: "look" })).problem).toBe("");
  const [main, beside] = await Promise.all([child({ actions: 5 }), child({ what: "beside", actions: 5 })]);
  expect([main.problem, beside.problem]).toEqual(["", ""]);
  const last = await child({ what: "look" });
  expect(foundIn(last)?.problems).toEqual([]);
  const entries = await log();
  const count = (action: RegExp, state: string): number =>
    entries.filter((entry) => action.test(entry.action) && entry.action_state === state).length;
  expect(count(/^correct$/, "started")).toBe(5);
  expect(count(/^correct$/, "completed")).toBe(5);
  expect(count(/^(?:gather|render|check)$/, "completed")).toBeGreaterThanOrEqual(4);
  expectPaired(entries);
}, 180_000);

test("one bot in two windows that take it from each other: whoever has it goes on, and nothing is done twice", async () => {
  base = await mkdtemp(join(tmpdir(), "waymark-windows-"));
  growBot(base, "small_bot");
  const both = await Promise.all([child({ actions: 3, takeOver: true }), child({ actions: 3, takeOver: true })]);
  expect(both.map((ran) => ran.problem)).toEqual(["", ""]);
  expect(both.reduce((sum, ran) => sum + handed(ran), 0)).toBe(6);
  const last = await child({ what: "look" });
  expect(foundIn(last)?.problems).toEqual([]);
  expectPaired(await log());
}, 180_000);

test("two bots in one project area, each in a window of its own", async () => {
  base = await mkdtemp(join(tmpdir(), "waymark-windows-"));
  growBot(base, "small_bot");
  growBot(base, "other_bot");
  const both = await Promise.all([child({ actions: 5 }), child({ bot: "other_bot", actions: 5 })]);
  expect(both.map((ran) => ran.problem)).toEqual(["", ""]);
  for (const bot of ["small_bot", "other_bot"]) expect(foundIn(await child({ bot, what: "look" }))?.problems).toEqual([]);
  const entries = await log();
  for (const bot of ["small_bot", "other_bot"])
    expect(entries.filter((entry) => entry.bot === bot && entry.action_state === "completed").length).toBeGreaterThanOrEqual(4);
  expectPaired(entries);
}, 180_000);
