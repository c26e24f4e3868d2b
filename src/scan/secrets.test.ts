import { describe, expect, test } from "vitest";
import { maskSecret, maskSpans } from "../base/index.ts";
import type { Instance, PatternSpec } from "../ports/index.ts";
import { compileRules } from "./compile-rules.ts";
import { scanBytes } from "./scan-file.ts";

function found(text: string, facts: Partial<PatternSpec>): readonly Instance[] {
  const plain = { id: "key", name: "Key", description: "", contextLines: 0, rules: [], transformations: [], secret: true };
  return scanBytes(Buffer.from(text), "a.ts", compileRules({ patterns: [{ ...plain, ...facts }] })).instances;
}

describe("what a pattern of secrets finds leaves the scanner masked", () => {
  const text = "const key = 'AKIA1234567890abcdef';\n";

  test("the group `secret`, else what is in quotes, else all of it", () => {
    expect(found(text, { regex: "key = '(?<secret>\\w+)'" })[0]).toMatchObject({ text: "key = 'AKIA*** (20 characters)'", secret: true });
    expect(found(text, { regex: "key = '\\w+'" })[0]?.text).toBe("key = 'AKIA*** (20 characters)'");
    expect(found(text, { regex: "AKIA\\w+" })[0]?.text).toBe("AKIA*** (20 characters)");
  });

  test("its place stays that of the whole match, and what a template repeats is masked too", () => {
    const rules = [{ name: "literal", pattern: ".", action: "Replace it.", auto: true }];
    const transformations = [{ type: "literal", template: "env(/* {{match}} */)", review: true }];
    const [one] = found(text, { regex: "'(?<secret>\\w+)'", rules, transformations });
    expect(one).toMatchObject({ start: 12, end: 34, column: 13, endColumn: 35, suggestion: "env(/* 'AKIA*** (20 characters)' */)" });
    expect(JSON.stringify(one)).not.toContain("1234567890abcdef");
  });

  test("without the mark the text is as it stands in the file", () => {
    expect(found(text, { regex: "AKIA\\w+", secret: false })[0]).toMatchObject({ text: "AKIA1234567890abcdef" });
  });

  test("two that look the same behind their masks are told apart by their place among equals", () => {
    const two = found("'AKIA1234567890abcdef' 'AKIA0987654321abcdef'", { regex: "'(?<secret>\\w+)'" });
    expect(two.map(({ text: shown, ordinal }) => [shown, ordinal])).toEqual([
      ["'AKIA*** (20 characters)'", 0],
      ["'AKIA*** (20 characters)'", 1],
    ]);
  });
});

test("a mask shows a quarter of a secret at most", () => {
  expect(["abc", "abcdefgh", "abcdefghijklmnopqrst"].map(maskSecret)).toEqual([
    "*** (3 characters)",
    "ab*** (8 characters)",
    "abcd*** (20 characters)",
  ]);
  expect(
    maskSpans("a secret and a secret", [
      { start: 15, end: 21 },
      { start: 2, end: 8 },
      { start: 4, end: 8 },
    ]),
  ).toBe("a s*** (6 characters) and a s*** (6 characters)");
});
