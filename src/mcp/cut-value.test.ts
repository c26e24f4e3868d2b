import { encode } from "gpt-tokenizer/encoding/o200k_base";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../base/index.ts";
import { cutLevels, cutText, cutValue } from "./cut-text.ts";
import { roughTokens } from "./rough-tokens.ts";

const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as Json);

describe("cutting values", () => {
  test("what is short stays as it is", () => {
    const level = { chars: 20, entries: 5, depth: 3 };
    const value = { a: [1, 2, { b: "short" }], c: null, d: {}, e: [] };
    expect(cutValue(value, level)).toEqual(value);
  });

  test("what is cut says how long it was", () => {
    const level = { chars: 4, entries: 2, depth: 2 };
    expect(cutValue("abcdefgh", level)).toBe("abcd... (8 characters)");
    expect(cutValue([1, 2, 3, 4], level)).toEqual([1, 2, "... 2 more entries"]);
    expect(cutValue({ a: { b: { c: 1 } } }, level)).toEqual({ a: { b: "object with 1 keys" } });
    expect(cutValue({ a: 1, b: 2, c: 3 }, level)).toEqual({ a: 1, b: 2, "...": "1 more keys" });
  });

  test("a character is never cut in half", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), fc.integer({ min: 1, max: 30 }), (text, chars) => {
        const shown = cutText(text, chars).replace(/\.\.\. \(\d+ characters\)$/, "");
        return text.startsWith(shown) && !/[\uD800-\uDBFF]$/.test(text === shown ? "" : shown.slice(-1));
      }),
    );
  });

  test("the last level makes any value short, and every level makes it no longer than the one before by much", () => {
    const last = cutLevels.at(-1)!;
    const big = fc
      .array(fc.tuple(fc.string({ maxLength: 60 }), json), { minLength: 20, maxLength: 60 })
      .map((entries) => Object.fromEntries(entries) as Json);
    fc.assert(fc.property(big, (value) => JSON.stringify(cutValue(value, last)).length < 500));
  });

  test("a very deep value does not exhaust the stack", () => {
    let deep: Json = "end";
    for (let level = 0; level < 5000; level += 1) deep = [deep];
    expect(JSON.stringify(cutValue(deep, cutLevels[0]!)).length).toBeLessThan(200);
  });
});

describe("the estimate of tokens", () => {
  const samples = [
    "Run this command yourself and report its output as a list of lines.",
    '{"run_id":"wf-demo-two-2026-11-15-ab12cd","status":"action","action_id":"a3","step":{"id":"look","type":"agent_shell_command"}}',
    "U29tZSBiYXNlNjQgdGV4dCB0aGF0IG5vYm9keSB3YW50cyB0byByZWFk0123456789abcdef",
    "src/components/very/long/path/to/some-file.component.test.tsx",
    "2026-11-15T09:28:28.774Z",
    "Größe, naïve café; 漢字かな交じり文 и кириллица",
  ];

  test.each(samples)("is not below what %s costs", (text) => {
    expect(roughTokens(text)).toBeGreaterThanOrEqual(encode(text).length * 0.95);
  });

  test("is rarely below the truth, and not absurdly above it, for random text", () => {
    const word = fc.oneof(
      fc.constantFrom("state", "files", "workflow", "src/index.ts", "error", "2026"),
      fc.string({ minLength: 1, maxLength: 12 }),
      fc.base64String({ maxLength: 24 }),
    );
    fc.assert(
      fc.property(fc.array(word, { minLength: 20, maxLength: 60 }), (words) => {
        const text = words.join(" ");
        const real = encode(text).length;
        return roughTokens(text) >= real * 0.7 && roughTokens(text) <= real * 2.5;
      }),
    );
  });
});
