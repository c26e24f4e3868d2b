import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";
import { clearDone, readScope, saysDone, signalProblems } from "./project-area.ts";
import type { BotRun } from "./bot-run.ts";

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine({});
});
afterAll(() => engine.close());

let areas = 0;
/** A project area of its own with these files. */
async function area(files: Readonly<Record<string, string>>): Promise<BotRun> {
  areas += 1;
  const run = { area: `area${areas}` } as BotRun;
  for (const [name, text] of Object.entries(files)) await engine.write(`${run.area}/${name}`, text);
  return run;
}

test("a scope limits the work when it is a map, and says why it limits nothing when it is not", async () => {
  const scope = async (text: string) => readScope(engine.context, await area({ "scope.json": text }));
  expect(await scope('{"only":["a"]}')).toEqual({ scope: { only: ["a"] } });
  expect(await scope("[1]")).toEqual({ problem: `area${areas}/scope.json holds no map, so it limits nothing.` });
  expect(await scope("{")).toEqual({ problem: `area${areas}/scope.json is not JSON, so it limits nothing.` });
  expect(await readScope(engine.context, await area({}))).toEqual({});
  expect(await readScope(engine.context, { area: "" } as BotRun)).toEqual({});
});

test("an action is done only when the file says true", async () => {
  const done = async (text: string) => saysDone(engine.context, await area({ "action_is_done.json": text }));
  expect(await done('{"action_is_done":true}')).toBe(true);
  expect(await done('{"action_is_done":false}')).toBe(false);
  expect(await done('{"action_is_done":"true"}')).toBe(false);
  expect(await done("true")).toBe(false);
  expect(await saysDone(engine.context, await area({}))).toBe(false);
});

test("what was said of an action is cleared when the next one begins, and nothing else is touched", async () => {
  const after = async (text: string): Promise<string> => {
    const run = await area({ "action_is_done.json": text });
    await clearDone(engine.context, run);
    return readFile(join(engine.folder, run.area, "action_is_done.json"), "utf8");
  };
  expect(await after('{"by":"x","action_is_done":true}')).toBe('{"by":"x","action_is_done":false}\n');
  expect(await after('{ "action_is_done": false }')).toBe('{ "action_is_done": false }');
  expect(await after("{")).toBe("{");
});

test("what is wrong with either file is told", async () => {
  const problems = async (files: Readonly<Record<string, string>>) => signalProblems(engine.context, await area(files));
  expect(await problems({})).toEqual([]);
  expect(await problems({ "action_is_done.json": '{"action_is_done":true}', "scope.json": "{}" })).toEqual([]);
  expect(await problems({ "action_is_done.json": '{"action_is_done":1}', "scope.json": "3" })).toEqual([
    `area${areas}/action_is_done.json says neither true nor false as \`action_is_done\`, so it counts for nothing.`,
    `area${areas}/scope.json holds no map, so it limits nothing.`,
  ]);
  expect(await problems({ "action_is_done.json": "[]" })).toEqual([
    `area${areas}/action_is_done.json holds no map, so it counts for nothing.`,
  ]);
});
