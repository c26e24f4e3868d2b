import { roughTime, topCounts } from "../../../base/index.ts";
import fc from "fast-check";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { clipChars, clipTokens } from "./action-view.ts";

describe("cutting by tokens", () => {
  test("a text is kept, or begins the same and costs no more than asked for", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ maxLength: 300 }), fc.lorem({ maxCount: 60 }), fc.string({ unit: "binary", maxLength: 200 })),
        fc.nat(80),
        (text, most) => {
          const clipped = clipTokens(text, most);
          expect(clipped === text || (clipped.length <= text.length + 3 && text.startsWith(clipped.replace(/\.\.\.$/, "")))).toBe(true);
          // Tokens are whole, and an end of three signs is not left out.
          expect(encode(clipped).length).toBeLessThanOrEqual(Math.ceil(most * 1.7) + 3);
        },
      ),
      { examples: [["Aq 0 ", 1]] },
    );
  });
});

test("an end that is as short as the sign for it is not left out", () => {
  const text = "Everything that was found in this file is recorded; mark the review complete.";
  for (let most = 1; most < 20; most += 1) {
    const clipped = clipTokens(text, most);
    expect(clipped === text || text.length - clipped.length > 0, clipped).toBe(true);
  }
});

describe("texts and numbers", () => {
  test("a text is cut to its characters, not inside one", () => {
    expect(clipChars("abcdef", 6)).toBe("abcdef");
    expect(clipChars("abcdefg", 6)).toBe("abc...");
    expect(clipChars("ab😀defg", 6)).toBe("ab...");
  });

  test("times are rough and never nothing", () => {
    expect([1, 60_000, 300_000, 2_700_000, 7_200_000, 400_000_000].map(roughTime)).toEqual([
      "~1 minute",
      "~1 minute",
      "~5 minutes",
      "~45 minutes",
      "~2 hours",
      "~5 days",
    ]);
  });

  test("the largest counts keep the sum", () => {
    expect(topCounts({ a: 1, b: 5, c: 3, d: 2 }, 3)).toEqual({ b: 5, c: 3, "(2 others)": 3 });
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.nat(100)), fc.integer({ min: 1, max: 9 }), (counts, most) => {
        const sum = (record: Readonly<Record<string, number>>): number => Object.values(record).reduce((all, count) => all + count, 0);
        const top = topCounts(counts, most);
        expect(sum(top)).toBe(sum(counts));
        expect(Object.keys(top).length).toBeLessThanOrEqual(most);
      }),
    );
  });
});
