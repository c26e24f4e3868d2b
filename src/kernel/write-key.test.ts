import { expect, test } from "vitest";
import { handOutOfKey, writeKey } from "./read-state.ts";

test.each(["a9", "d12"])("the key of %s says which hand-out it is for", (id) => {
  expect(handOutOfKey(writeKey(id, 3))).toBe(id);
});

test.each(["", "a9", "mine", "fix@a9", "a9@v", "a9@v1 again"])("%j is a key that a client made up", (key) => {
  expect(handOutOfKey(key)).toBeUndefined();
});
