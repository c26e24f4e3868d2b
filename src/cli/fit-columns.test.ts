import fc from "fast-check";
import { expect, test } from "vitest";
import { columnsOf, fitColumns } from "./fit-columns.ts";

test("a text that fits stays, one that does not ends in dots", () => {
  expect([fitColumns("abcdef", 6), fitColumns("abcdefg", 6), fitColumns("a\n b", 6)]).toEqual(["abcdef", "abc...", "a b"]);
  expect([fitColumns("字字字", 6), fitColumns("字字字字", 6), fitColumns("👍👍👍👍", 7)]).toEqual(["字字字", "字...", "👍👍..."]);
});

test("no line is wider than it may be, nor is a character cut in half", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), fc.integer({ min: 0, max: 30 }), (text, columns) => {
      const fitted = fitColumns(text, columns);
      expect(columnsOf(fitted)).toBeLessThanOrEqual(columns);
      expect(Buffer.from(fitted).toString()).toBe(fitted);
    }),
  );
});
