import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openFence, splitMessage } from "./split-message.ts";

const withoutSpace = (text: string): string => text.replaceAll(/\s/g, "");

describe("splitMessage", () => {
  test("cuts at lines, else at words, else anywhere", () => {
    expect(splitMessage("short")).toEqual(["short"]);
    expect(splitMessage("one line\nanother line", 15)).toEqual(["one line", "another line"]);
    expect(splitMessage("some words here", 12)).toEqual(["some words", " here"]);
    expect(splitMessage("abcdefgh", 3)).toEqual(["abc", "def", "gh"]);
    expect(splitMessage("", 10)).toEqual([""]);
  });

  test("closes a block of code that is cut, and opens it again", () => {
    const code = ["```ts title", "const a = 1;", "const b = 2;", "const c = 3;", "```", "Done."].join("\n");
    expect(splitMessage(code, 40)).toEqual(["```ts title\nconst a = 1;\n```", "```ts\nconst b = 2;\nconst c = 3;\n```", "Done."]);
  });

  test("keeps all of the text, in order, no message too long, no character cut in two", () => {
    const text = fc
      .array(fc.constantFrom("a", "word", " ", "\n", "😀", "long".repeat(9), "."), { maxLength: 60 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 50 }), (whole, longest) => {
        const parts = splitMessage(whole, longest);
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(longest);
          expect(part).not.toMatch(/\p{Cs}/u);
        }
        expect(withoutSpace(parts.join(""))).toBe(withoutSpace(whole));
      }),
    );
  });

  test("with blocks of code every message has its blocks closed, and none is too long", () => {
    const line = fc.constantFrom("```ts", "```", "~~~", "const a = 1;", "words and more words", "");
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), fc.integer({ min: 30, max: 80 }), (lines, longest) => {
        const parts = splitMessage(lines.join("\n"), longest);
        for (const part of parts) expect(part.length).toBeLessThanOrEqual(longest);
        for (const part of parts.slice(0, -1)) expect(openFence(part)).toBeUndefined();
      }),
    );
  });
});
