import fc from "fast-check";
import { expect, test } from "vitest";
import { handOutId, readHandOutId } from "./read-state.ts";

test("an id holds the author's step and the hand-out's own id, whatever the step is called", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.stringMatching(/^[a-z]\d+$/), (step, id) => {
      expect(readHandOutId(handOutId(step, id))).toEqual({ step, id });
    }),
  );
});

test.each(["", "plain", "@a1", "step@"])("%j is not such an id", (text) => {
  expect(readHandOutId(text)).toBeUndefined();
});
