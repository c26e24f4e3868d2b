import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../base/index.ts";
import type { WriteOperation } from "../program/index.ts";
import type { StoredWrite } from "./frame.ts";
import { applyUpdates, type Scope, type Update } from "./index.ts";
import { matchStored, storedBy, withoutStored, type WantedWrite } from "./write-state.ts";

const scope = (raw: Scope["raw"]): Scope => ({ part: "p", raw, state: {}, inputs: {}, fixed: {}, version: 1, calls: {} });
const update = (key: string, op: WriteOperation, value: Json): Update => ({ tier: "raw", keys: key.split("."), op, value });
const written = (before: Scope, ...updates: readonly Update[]): Scope => {
  const done = applyUpdates(before, updates);
  if (!done.ok) throw new Error(done.message);
  return done.value;
};

const value = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom("a", "b"), fc.constant(null));
const anyUpdate = fc.oneof(
  fc.record({
    key: fc.constantFrom("n", "fresh"),
    op: fc.constantFrom<WriteOperation>("increment", "decrement", "multiply", "set"),
    value: fc.integer({ min: -3, max: 3 }),
  }),
  fc.record({ key: fc.constantFrom("list", "new"), op: fc.constant<WriteOperation>("append"), value }),
  fc.record({
    key: fc.constantFrom("map", "made"),
    op: fc.constant<WriteOperation>("merge"),
    value: fc.dictionary(fc.constantFrom("x", "y", "z"), value),
  }),
  fc.record({ key: fc.constantFrom("text", "map.x", "map.deep.er"), op: fc.constant<WriteOperation>("set"), value }),
);

test("without what was stored the state is as it was before", () => {
  fc.assert(
    fc.property(fc.array(anyUpdate, { maxLength: 8 }), (all) => {
      const before = scope({ n: 2, list: ["a", "b"], map: { x: 1, deep: { er: 0 } }, text: "t" });
      const updates = all.map((each) => update(each.key, each.op, each.value as Json));
      const paths = updates.map(({ keys }) => `raw.${keys.join(".")}`);
      const stored = storedBy(before, updates, paths);
      expect(stored).toHaveLength(updates.length);
      expect(withoutStored(written(before, ...updates), stored).raw).toEqual(before.raw);
    }),
  );
});

test("only what goes to the paths is stored", () => {
  const before = scope({ a: 1 });
  expect(storedBy(before, [update("a", "set", 2), update("b", "set", 3)], ["raw.b"])).toEqual([{ path: "raw.b", op: "set", value: 3 }]);
});

test.each<[string, Update, readonly Update[], Json]>([
  ["entries", update("v", "append", "mine"), [update("v", "append", "theirs")], ["old", "theirs"]],
  ["entries before mine", update("v", "append", "mine"), [update("v", "set", ["theirs", "old", "mine"])], ["theirs", "old"]],
  ["a value", update("v", "set", "mine"), [update("v", "set", "theirs")], "theirs"],
])("what others made of %s stays", (_, mine, theirs, after) => {
  const before = scope({ v: ["old"] });
  const stored = storedBy(before, [mine], ["raw.v"]);
  expect(withoutStored(written(before, mine, ...theirs), stored).raw["v"]).toEqual(after);
});

test("what others added to a number stays", () => {
  const before = scope({ v: 1 });
  const stored = storedBy(before, [update("v", "increment", 2)], ["raw.v"]);
  expect(withoutStored(written(before, update("v", "increment", 2), update("v", "increment", 10)), stored).raw).toEqual({ v: 11 });
});

describe("of the writes that are wanted", () => {
  const append = (entry?: Json): WantedWrite => ({ path: "p", op: "append", ...(entry === undefined ? {} : { value: entry }) });
  const made = (op: WriteOperation, entry: Json): StoredWrite => ({ path: "p", op, value: entry });

  test.each<[string, readonly WantedWrite[], readonly StoredWrite[], readonly unknown[]]>([
    ["each counts once", [append("x"), append("x")], [made("append", "x")], ["same", undefined]],
    ["the same value goes first", [append("x"), append("y")], [made("append", "y")], [undefined, "same"]],
    ["another value counts too", [append("x")], [made("append", "y")], ["other"]],
    ["a value that is not known yet counts as another", [append(), append()], [made("append", "y")], ["other", undefined]],
    [
      "a whole list counts for all its entries",
      [append("x"), append("y"), append("z")],
      [made("set", ["x", "y"])],
      ["same", "same", "other"],
    ],
    ["another path does not count", [{ ...append("x"), path: "q" }], [made("append", "x")], [undefined]],
  ])("%s", (_, wanted, stored, expected) => {
    expect(matchStored(wanted, stored)).toEqual(expected);
  });
});
