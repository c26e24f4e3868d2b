import { afterAll, beforeAll, expect, test } from "vitest";
import type { ComposedEngine } from "../../test/crash/compose-engine.ts";
import { AlwaysBench } from "../../test/crash/engine-bench.ts";
import type { Json, JsonObject } from "../base/index.ts";
import { mainScope } from "../kernel/index.ts";
import { runs } from "../engine/commands/status.ts";
import { start } from "../engine/commands/start.ts";

const bench = new AlwaysBench();
let engine: ComposedEngine;
beforeAll(async () => {
  engine = await bench.open();
  await engine.define("in:none", "name: in:none\nsteps: [{ id: a, type: user_message, message: x }]\n");
  await engine.define(
    "in:kinds",
    declaring("kinds", ["text: string", "count: number", "flag: boolean", "list: array", "map: object", "free: any"]),
  );
  await engine.define("in:needs", declaring("needs", ["path: { type: string, required: true }", "depth: { type: number, default: 3 }"]));
  await engine.define(
    "in:rules",
    declaring("rules", [
      "level: { type: string, required: false, validation: { enum: [low, high] } }",
      "size: { type: number, required: false, validation: { min: 2, max: 4 } }",
      "names: { type: array, required: false, validation: { min: 1, max: 2 } }",
      'ticket: { type: string, required: false, validation: { pattern: "^T-[0-9]+$" } }',
    ]),
  );
});
afterAll(() => bench.close());

const declaring = (name: string, lines: readonly string[]): string =>
  `name: in:${name}\ninputs:\n${lines.map((line) => `  ${line.replace(/^(\w+): (\w+)$/, "$1: { type: $2, required: false }")}\n`).join("")}default_state: { raw: {} }\nsteps: [{ id: a, type: user_message, message: x }]\n`;

async function taken(workflow: string, inputs: JsonObject): Promise<Json> {
  const { run } = await start(engine.context, engine.caller(), { workflow, inputs });
  return (await engine.context.runs.open(run)).state.scopes[mainScope]?.inputs ?? {};
}

async function problems(workflow: string, inputs: JsonObject): Promise<readonly string[]> {
  const before = (await runs(engine.context, {})).length;
  const refusal = (await start(engine.context, engine.caller(), { workflow, inputs }).catch((error: unknown) => error)) as {
    readonly code: string;
    readonly details: { readonly problems: readonly string[] };
  };
  expect(refusal.code).toBe("ENGINE_WRONG_INPUTS");
  expect((await runs(engine.context, {})).length).toBe(before);
  return refusal.details.problems;
}

test("text is taken for what the input declares, and text and anything stay as they are", async () => {
  const given = { text: "7", count: "7", flag: "true", list: "[1]", map: '{"a":1}', free: "7" };
  expect(await taken("in:kinds", given)).toEqual({ text: "7", count: 7, flag: true, list: [1], map: { a: 1 }, free: "7" });
  const plain = { text: "x", count: 0.5, flag: false, list: [], map: {}, free: null };
  expect(await taken("in:kinds", plain)).toEqual(plain);
});

test("every value of another type is named in the one refusal, with what it was", async () => {
  expect(await problems("in:kinds", { text: 1, count: "seven", flag: 0, list: {}, map: [] })).toEqual([
    "`text` must be a string, not 1",
    '`count` must be a number, not "seven"',
    "`flag` must be a boolean, not 0",
    "`list` must be an array, not {}",
    "`map` must be an object, not []",
  ]);
});

test("what is missing has its default, or is named when it is required", async () => {
  expect(await taken("in:needs", { path: "src" })).toEqual({ path: "src", depth: 3 });
  expect(await taken("in:needs", { path: "src", depth: 1 })).toEqual({ path: "src", depth: 1 });
  expect(await problems("in:needs", {})).toEqual(["`path` (string) is required"]);
  expect(await taken("in:kinds", {})).toEqual({});
});

test("an input that is not declared is named, with the one that was perhaps meant", async () => {
  expect(await problems("in:needs", { path: "src", dept: 1 })).toEqual(["`dept` is not an input (did you mean `depth`?)"]);
  expect(await problems("in:needs", { path: "src", zzzzzzzz: 1 })).toEqual(["`zzzzzzzz` is not an input"]);
});

test("the refusal says how the inputs are declared, or that there are none", async () => {
  const refusal = (workflow: string): Promise<unknown> =>
    start(engine.context, engine.caller(), { workflow, inputs: { other: 1 } }).catch((error: unknown) => error);
  expect(await refusal("in:needs")).toMatchObject({ fix: "Give inputs as declared: path (string, required), depth (number)." });
  expect(await refusal("in:none")).toMatchObject({ fix: "Start it without inputs: it has none." });
});

test("values at the border of a rule are taken", async () => {
  for (const inputs of [{ level: "low" }, { size: 2 }, { size: 4 }, { names: ["a"] }, { names: ["a", "b"] }, { ticket: "T-1" }])
    expect(await taken("in:rules", inputs)).toEqual(inputs);
});

test("values beyond a rule are refused with the rule", async () => {
  expect(await problems("in:rules", { level: "mid", size: 1, names: [], ticket: "1" })).toEqual([
    '`level` must be one of "low", "high"',
    "`size` must be at least 2",
    "`names` must be at least 1",
    "`ticket` must match `^T-[0-9]+$`",
  ]);
  expect(await problems("in:rules", { size: 5, names: ["a", "b", "c"] })).toEqual([
    "`size` must be at most 4",
    "`names` must be at most 2",
  ]);
});
