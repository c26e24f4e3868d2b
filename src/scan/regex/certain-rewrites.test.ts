import { describe, expect, test } from "vitest";
import { compileRules } from "../compile-rules.ts";
import { scanBytes } from "../scan-file.ts";

const rules = compileRules({
  patterns: [
    {
      id: "old-call",
      name: "Old call",
      description: "",
      regex: "old\\(",
      in: "code",
      balanced: true,
      contextLines: 2,
      rules: [
        { name: "text", pattern: "old\\('[^']*'", action: "Rename it", auto: true },
        { name: "rest", pattern: "old", action: "Look", auto: false },
      ],
      transformations: [{ type: "text", template: "fresh({{arg0}})", review: false }],
    },
  ],
});
const scan = (text: string) =>
  scanBytes(new TextEncoder().encode(text), "a.js", rules, {}).instances.map(({ text: match, type, auto, why }) => ({
    match,
    type,
    auto,
    why,
  }));

describe("a rewrite is made without a look only when nothing of the match is lost", () => {
  test("a rule that fits inside the match does not vouch for the match", () => {
    expect(scan(`old(x, "old('q')");`)).toMatchObject([{ type: "text", auto: false }]);
    expect(scan("old(x, old('q'));")).toMatchObject([{ auto: false }, { match: "old('q')", auto: true }]);
  });

  test("a template that leaves an argument out is a proposal", () => {
    expect(scan("old('a', b);")).toMatchObject([{ type: "text", auto: false, why: "The transformation would drop argument 2." }]);
    expect(scan("old('a');")).toMatchObject([{ type: "text", auto: true }]);
  });
});
