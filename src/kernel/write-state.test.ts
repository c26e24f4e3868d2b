import { expect, test } from "vitest";
import type { Json } from "../base/index.ts";
import { applyUpdates, targetOf } from "./write-state.ts";
import type { Scope } from "./run-state.ts";
import type { Update } from "./event.ts";

const scope: Scope = {
  part: "p",
  raw: { n: 2, list: [1], map: { a: 1 }, text: "t", nothing: null },
  state: { kept: true },
  inputs: {},
  fixed: {},
  version: 4,
  calls: {},
};
const write = (keys: string[], op: Update["op"], value: Json, tier: Update["tier"] = "raw") =>
  applyUpdates(scope, [{ tier, keys, op, value }]);
const rawAfter = (keys: string[], op: Update["op"], value: Json): unknown => {
  const written = write(keys, op, value);
  return written.ok ? written.value.raw : written.message;
};

test("a list of updates is applied in order to both tiers, and the version grows by one", () => {
  const written = applyUpdates(scope, [
    { tier: "raw", keys: ["n"], op: "set", value: 5 },
    { tier: "state", keys: ["deep", "er"], op: "set", value: 1 },
    { tier: "raw", keys: ["n"], op: "increment", value: 1 },
  ]);
  expect(written).toMatchObject({ ok: true, value: { version: 5, raw: { n: 6, text: "t" }, state: { kept: true, deep: { er: 1 } } } });
});

test("one update that does not fit refuses all of them", () => {
  const updates: Update[] = [
    { tier: "raw", keys: ["n"], op: "set", value: 5 },
    { tier: "raw", keys: ["text"], op: "append", value: 1 },
  ];
  expect(applyUpdates(scope, updates)).toEqual({ ok: false, message: "Cannot append to `raw.text`: it holds a string, not a list." });
  expect(scope.raw["n"]).toBe(2);
});

test.each<[string[], Update["op"], Json, Json]>([
  [["n"], "increment", 3, 5],
  [["n"], "decrement", 3, -1],
  [["n"], "multiply", 3, 6],
  [["fresh"], "increment", 3, 3],
  [["list"], "append", 2, [1, 2]],
  [["fresh"], "append", 2, [2]],
  [["nothing"], "append", 2, [2]],
  [["map"], "merge", { b: 2 }, { a: 1, b: 2 }],
  [["nothing"], "merge", { b: 2 }, { b: 2 }],
])("%j %s %j gives %j", (keys, op, value, expected) => {
  expect(rawAfter(keys, op, value)).toMatchObject({ [keys[0] ?? ""]: expected });
});

test("entries of a list are written by index, also the next one, but not beyond", () => {
  expect(rawAfter(["list", "0"], "set", 9)).toMatchObject({ list: [9] });
  expect(rawAfter(["list", "1"], "set", 9)).toMatchObject({ list: [1, 9] });
  expect(rawAfter(["list", "2"], "set", 9)).toContain("`2` is not an index of the list there, which has 1 entries.");
  expect(rawAfter(["list", "x"], "set", 9)).toContain("is not an index");
});

test.each<[string[], Update["op"], Json, string]>([
  [["text", "below"], "set", 1, "`text` holds a string, so nothing can be written below it."],
  [["map"], "merge", [1], "Cannot merge a list into `raw.map`: only an object can be merged."],
  [["list"], "merge", { a: 1 }, "Cannot merge into `raw.list`: it holds a list, not an object."],
  [["text"], "increment", 1, "Cannot increment `raw.text`: it holds a string, not a number."],
  [["n"], "increment", null, "Cannot increment `raw.n` by null: a number is needed."],
  [["n"], "multiply", Number.MAX_VALUE, "the result is not a finite number"],
  [["__proto__", "x"], "set", 1, "uses the reserved key `__proto__`"],
  [["map"], "merge", JSON.parse('{"__proto__": 1}') as Json, "uses the reserved key `__proto__`"],
])("%j %s %j is refused: %s", (keys, op, value, message) => {
  const before = rawAfter(["n"], "set", 2);
  expect(before).toEqual(scope.raw);
  expect(op === "multiply" ? rawAfter(["n"], op, value) : rawAfter(keys, op, value)).toContain(message);
});

test.each([
  [["raw", "a", "b"], { tier: "raw", keys: ["a", "b"] }],
  [["state", "a"], { tier: "state", keys: ["a"] }],
])("the path %j leads to %j", (keys, value) => {
  expect(targetOf(keys)).toEqual({ ok: true, value });
});

test.each([
  [["computed", "a"], "is computed and cannot be written"],
  [["inputs", "a"], "a path must start with `raw.` or `state.`"],
  [["raw"], "names a whole tier: add the field, e.g. `raw.name`"],
  [["raw", ""], "has an empty segment"],
  [["raw", "constructor"], "uses the reserved key `constructor`"],
])("the path %j cannot be written: %s", (keys, message) => {
  expect(targetOf(keys)).toEqual({ ok: false, message: expect.stringContaining(message) as string });
});
