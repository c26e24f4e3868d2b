import fc from "fast-check";
import { expect, test } from "vitest";
import { beginningOf, cutText, endOf, shorten, shortenAtWord } from "./cut-text.ts";

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
      const [begins, ends] = [beginningOf(text, chars), endOf(text, chars)];
      expect(`${begins}|${ends}`).not.toMatch(/\p{Surrogate}/u);
      expect([text.startsWith(begins), text.endsWith(ends)]).toEqual([true, true]);
      expect(Math.min(begins.length, ends.length)).toBeGreaterThanOrEqual(Math.min(text.length, chars - 1));
      expect(Math.max(begins.length, ends.length)).toBeLessThanOrEqual(chars);
    }),
  );
});

test("a text that is shortened at a word keeps names whole, or leaves them out", () => {
  const branch = "waymark/wf-migrate-2026-01-31-a1b2c3-1+run.migrate.2-e31";
  expect(shortenAtWord(`It is on the branch ${branch}.`, 60)).toBe("It is on the branch...");
  expect(shortenAtWord("Two words", 9)).toBe("Two words");
  expect(shortenAtWord("x".repeat(20), 10)).toBe("xxxxxxx...");
});
