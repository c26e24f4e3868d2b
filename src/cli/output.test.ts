import fc from "fast-check";
import { expect, test } from "vitest";
import { plainText } from "./output.ts";

const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom("\u001b", "[", "8", "1", "m", "\u009b", "\u202e", "\u0007", "\r", "\n", "\u2066", "a"),
    fc.string({ minLength: 1, maxLength: 1 }),
  ),
});

test("without colours no control character but line breaks and tabs comes through", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(plainText(text, false)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    }),
  );
});

test("with colours only the styles of our own come through", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const left = plainText(text, true).replaceAll(/\u001b\[(?:1|2|22|31|32|33|36|39)m/g, "");
      expect(left).not.toMatch(/[\u001b\u009b\r]/);
    }),
  );
});

test("what cannot be seen is spelled out", () => {
  expect(plainText("rm -rf x\u001b[2K\rls", false)).toBe("rm -rf x\\u001b[2K\\u000dls");
  expect(plainText("rm\u200b \u001b[31m-rf\u2060\u001b[39m", true)).toBe("rm\\u200b \u001b[31m-rf\\u2060\u001b[39m");
  expect(plainText("a\u001b[8mhidden\u001b[0m", true)).toBe("a\\u001b[8mhidden\\u001b[0m");
});
