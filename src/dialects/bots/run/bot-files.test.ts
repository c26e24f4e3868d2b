import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { smallBot } from "../../../../test/support/bot-sample.ts";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";
import { botProblems, callBot } from "./call-bot.ts";
import { closeAction } from "./close-action.ts";
import { openBot } from "./bot-position.ts";
import type { EngineContext } from "../../../engine/index.ts";

let engine: TestEngine;
let run: string;
beforeEach(async () => {
  engine = await openTestEngine(smallBot());
  await mkdir(join(engine.folder, "area"), { recursive: true });
  ({ run } = await openBot(engine.context, engine.caller, "small_bot", { project_area: "area" }));
});
afterEach(() => engine.close());

const [stateFile, logFile] = ["area/workflow_state.json", "area/activity_log.json"];
type Fields = Readonly<Record<string, unknown>>;
const read = async (path: string): Promise<unknown> => JSON.parse(await readFile(join(engine.folder, path), "utf8"));
const write = (path: string, value: unknown): Promise<void> => writeFile(join(engine.folder, path), JSON.stringify(value));
const edit = async (fields: Fields): Promise<void> => write(stateFile, { ...((await read(stateFile)) as Fields), ...fields });

const look = (): Promise<readonly string[]> => botProblems(engine.context, run);

async function close(): Promise<readonly string[]> {
  const { context, caller } = engine;
  const person = { ...caller, holder: { kind: "person" as const, name: "p", session: "p" }, surface: "cli-terminal" };
  await closeAction(context, caller, { bot: "small_bot", result: { summary: "s" }, person });
  const { state } = await context.runs.open(run);
  return (state.scopes["run"]?.raw["bot_problems"] ?? []) as readonly string[];
}

test("nothing is wrong with files as Waymark wrote them, nor with keys of others, another form or another bot's state", async () => {
  expect(await look()).toEqual([]);
  await edit({ mine: 7 });
  expect(await look()).toEqual([]);
  await writeFile(join(engine.folder, logFile), `${JSON.stringify(await read(logFile), null, 7)}\n\n`);
  expect(await look()).toEqual([]);
  await edit({ bot: "other_bot", current_action: "nonsense" });
  expect(await look()).toEqual([]);
});

test("a place that the journal does not know is told with what both say, and the next completion keeps a copy", async () => {
  await edit({ current_action: "check" });
  const told =
    `${stateFile} was changed outside Waymark. It says shape.check (started) with 0 completed, ` +
    "and the journal says shape.gather (started) with 0.";
  expect(await look()).toEqual([
    `${told} Waymark goes by its journal: with the next start or completion it keeps that content in a copy and writes the file again.`,
  ]);
  const edited = await read(stateFile);
  const problems = await close();
  const [copy = "", ...others] = (await readdir(join(engine.folder, "area"))).filter((name) => name.includes(".edited-"));
  expect(others).toEqual([]);
  expect(problems).toEqual([expect.stringContaining(`Its content is kept in area/${copy}; the file is written again.`)]);
  expect(await read(`area/${copy}`)).toEqual(edited);
  expect(await read(stateFile)).toMatchObject({ current_action: "render" });
  expect(await look()).toEqual([]);
});

test("more or fewer completed actions than the journal has are told", async () => {
  await edit({ completed_actions: [{ behavior: "shape", action: "gather", action_state: "completed" }] });
  expect(await look()).toEqual([expect.stringContaining("with 1 completed, and the journal says shape.gather (started) with 0.")]);
  await close();
  await edit({ completed_actions: [] });
  expect(await look()).toEqual([expect.stringContaining("with 0 completed, and the journal says shape.render (started) with 1.")]);
});

test("a file that was removed is told, and written again without a copy", async () => {
  for (const path of [stateFile, logFile]) await rm(join(engine.folder, path));
  const again = "was removed. Waymark goes by its journal: with the next start or completion it writes the file again.";
  expect((await look()).toSorted()).toEqual([`${logFile} ${again}`, `${stateFile} ${again}`]);
  expect(await close()).toEqual([`${logFile}`, `${stateFile}`].map((path) => expect.stringContaining(`${path} was removed.`) as string));
  expect((await readdir(join(engine.folder, "area"))).toSorted()).toEqual(["activity_log.json", "workflow_state.json"]);
  expect(await read(logFile)).toHaveLength(3);
});

test("a file that cannot be read any more is told with the reason", async () => {
  for (const path of [stateFile, logFile]) await writeFile(join(engine.folder, path), "{ no");
  const told = await look();
  expect(told).toHaveLength(2);
  for (const each of told) expect(each).toMatch(/ was changed outside Waymark and cannot be read: /);
});

test("entries of the log that are missing and entries that were never recorded are counted", async () => {
  const [first] = (await read(logFile)) as readonly Fields[];
  await write(logFile, []);
  expect(await look()).toEqual([
    expect.stringContaining(`${logFile} was changed outside Waymark. 1 of the recorded entries of small_bot is not in it. Waymark`),
  ]);
  const strange = (action: string): Fields => ({ ...first, action });
  await write(logFile, [first, strange("render")]);
  expect(await look()).toEqual([
    expect.stringContaining(`${logFile} was changed outside Waymark. 1 of its entries was never recorded. Waymark`),
  ]);
  await write(logFile, [strange("render"), strange("check")]);
  expect(await look()).toEqual([
    expect.stringContaining("1 of the recorded entries of small_bot is not in it. 2 of its entries were never recorded."),
  ]);
});

/** Something happens when a turn at the files of the area has just ended, before what was written is recorded. */
function afterFirstTurn({ store }: EngineContext, happens: () => Promise<unknown>): void {
  const release = store.releaseLease.bind(store);
  const watched = vi.spyOn(store, "releaseLease").mockImplementation(async (key, owner) => {
    await release(key, owner);
    if (!key.startsWith("bot-area/")) return;
    watched.mockRestore();
    await happens();
  });
}

test("a window that writes the files between another's write and its record suspects nobody, nor does that other", async () => {
  const other = await engine.again();
  try {
    const beside = vi.fn<() => Promise<unknown>>(() =>
      callBot(other.context, other.caller, { bot: "small_bot", behaviour: "shape", action: "correct" }),
    );
    afterFirstTurn(engine.context, beside);
    expect(await close()).toEqual([]);
    expect(beside).toHaveBeenCalledOnce();
    expect(await read(stateFile)).toMatchObject({ current_action: "render", completed_actions: [{ action: "gather" }] });
    expect(await look()).toEqual([]);
    expect(await botProblems(other.context, run)).toEqual([]);
  } finally {
    await other.close();
  }
});
