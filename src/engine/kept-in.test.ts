import { expect, test } from "vitest";
import { keptIn } from "./kept-in.ts";

test("what is kept is made once, and made again after more than fit were kept", () => {
  const kept = new Map<string, { readonly of: string }>();
  const made: string[] = [];
  const ask = (key: string): { readonly of: string } =>
    keptIn(kept, {
      key,
      most: 2,
      make: () => {
        made.push(key);
        return { of: key };
      },
    });
  expect([ask("a"), ask("b"), ask("a")]).toEqual([{ of: "a" }, { of: "b" }, { of: "a" }]);
  expect(made).toEqual(["a", "b"]);
  ask("c");
  expect(ask("a")).toEqual({ of: "a" });
  expect(made).toEqual(["a", "b", "c", "a"]);
});

test("what cannot be made is not kept", () => {
  const kept = new Map<string, object>();
  const make = (): object => {
    throw new Error("broken");
  };
  expect(() => keptIn(kept, { key: "a", most: 2, make })).toThrow("broken");
  expect(kept.size).toBe(0);
});
