import { expect, test } from "vitest";
import { asSentence } from "./sentence.ts";

test("a text without an end of its own gets a full stop", () => {
  expect(["by run 2", "1 to 5 ", "see `a.ts`", "(all of it)"].map(asSentence)).toEqual([
    "by run 2.",
    "1 to 5.",
    "see `a.ts`.",
    "(all of it).",
  ]);
});

test("a text that ends by itself, and an empty one, stay as they are", () => {
  for (const text of ["Done.", "Really?", "Yes!", 'He said "no."', "(It is.)", "And so on…", "Written:", ""])
    expect(asSentence(text)).toBe(text);
});
