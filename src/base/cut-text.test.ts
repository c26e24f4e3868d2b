import fc from "fast-check";
import { expect, test } from "vitest";
import { cutText, shorten } from "./cut-text.ts";

test("long texts are cut and say so", () => {
  expect(shorten("abcdefgh", 6)).toBe("abc...");
  expect(shorten("abcdefgh", 6, "…")).toBe("abcde…");
  expect(shorten("abc", 3)).toBe("abc");
  expect(cutText("abcdefgh", 4)).toBe("abcd... (8 characters)");
  expect(cutText("abcdefgh", 4, " ...")).toBe("abcd ...");
  expect(cutText("abcd", 4)).toBe("abcd");
});

test("no character is cut in half", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 40 }), fc.integer({ min: 1, max: 30 }), (text, chars) => {
      for (const shown of [shorten(text, chars, "|"), cutText(text, chars, "|")]) {
        expect(shown).not.toMatch(/\p{Surrogate}/u);
        expect(shown === text || text.startsWith(shown.slice(0, -1))).toBe(true);
      }
    }),
  );
});
