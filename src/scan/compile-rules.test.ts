import { describe, expect, test } from "vitest";
import type { PatternSpec, ScanRules } from "../ports/index.ts";
import { checkRules, compileRules } from "./compile-rules.ts";
import { scanBytes } from "./scan-file.ts";

function pattern(facts: Partial<PatternSpec>): PatternSpec {
  return { id: "p", name: "P", description: "", contextLines: 2, rules: [], transformations: [], ...facts };
}

describe("rules that cannot be used", () => {
  const codes = (...patterns: Partial<PatternSpec>[]) =>
    checkRules({ patterns: patterns.map((one, index) => pattern({ id: `p${index}`, ...one })) }).map(
      ({ code, pattern: id }) => `${id} ${code}`,
    );

  test("all problems of all patterns come at once, and compiling throws them", () => {
    const rules: ScanRules = {
      bcVersion: "latest",
      patterns: [
        pattern({ id: "a", regex: "(" }),
        pattern({ id: "a", regex: "(x+)+", exclude: "[" }),
        pattern({ id: "b", finder: "al-eror-call" }),
        pattern({ id: "c" }),
      ],
    };
    expect(checkRules(rules).map(({ code }) => code)).toEqual([
      "SCAN_BAD_PATTERN",
      "SCAN_BAD_PATTERN",
      "SCAN_SLOW_PATTERN",
      "SCAN_BAD_PATTERN",
      "SCAN_UNKNOWN_FINDER",
      "SCAN_BAD_PATTERN",
      "SCAN_BAD_VERSION",
    ]);
    expect(checkRules(rules).find(({ code }) => code === "SCAN_UNKNOWN_FINDER")?.message).toContain("Did you mean `al-error-call`?");
    expect(() => compileRules(rules)).toThrow(
      expect.objectContaining({ code: "SCAN_BAD_PATTERN", details: expect.objectContaining({ pattern: "a" }) }),
    );
  });

  test("options, templates and rules are checked", () => {
    const transformation = (type: string, template: string) => ({ transformations: [{ type, template, review: true }] });
    expect(codes({ regex: "x", in: "words" as "code" })).toEqual(["p0 SCAN_BAD_PATTERN"]);
    expect(codes({ regex: "x", arguments: { min: 3, max: 1 } })).toEqual(["p0 SCAN_BAD_PATTERN"]);
    expect(codes({ regex: "x", arguments: { shapes: { first: "name" } } })).toEqual(["p0 SCAN_BAD_PATTERN"]);
    expect(codes({ regex: "x", arguments: { shapes: { "0": "list" as "name" } } })).toEqual(["p0 SCAN_BAD_PATTERN"]);
    expect(codes({ regex: "x", rules: [{ name: "r", pattern: "(", action: "", auto: false }] })).toEqual(["p0 SCAN_BAD_PATTERN"]);
    expect(codes({ regex: "x", ...transformation("p0", "{{orignal_string}}") })).toEqual(["p0 SCAN_BAD_TEMPLATE"]);
    expect(codes({ regex: "x", ...transformation("q", "y") })).toEqual(["p0 SCAN_BAD_TEMPLATE"]);
    expect(codes({ regex: "(?<g>x)", ...transformation("p0", "{{g}} {{match}} { {{{g}}} }") })).toEqual([]);
    expect(codes({ finder: "al-error-call", wholeWord: true })).toEqual(["p0 SCAN_BAD_PATTERN"]);
    expect(codes({ finder: "al-error-call", in: "all", wholeWord: false })).toEqual([]);
  });
});

describe("a pattern as people write them, with rules and templates", () => {
  const spec = pattern({
    id: "error-call",
    regex: "Error\\s*\\((?!\\s*ErrorInfo)[^)]+\\)",
    flags: "gi",
    exclude: "//.*Error|ErrorInfo\\.Create",
    rules: [
      { name: "literal", pattern: "Error\\s*\\(\\s*'[^']*'\\s*\\)", action: "Wrap it.", auto: true },
      { name: "strsubstno", pattern: "Error\\s*\\(\\s*'[^']*%[0-9]+[^']*'", action: "Convert it.", auto: true },
      { name: "text_constant", pattern: "Error\\s*\\(\\s*[A-Z][A-Za-z0-9_]+\\s*\\)", action: "Look first.", auto: false },
    ],
    transformations: [
      { type: "literal", template: "Error(ErrorInfo.Create({{original_string}}))", review: false },
      { type: "strsubstno", template: "Error(ErrorInfo.Create(StrSubstNo({{original_string}}, {{params}})))", review: false },
      { type: "text_constant", template: "Error(ErrorInfo.Create({{constant_name}}))", review: true },
    ],
  });

  test.each([
    ["Error('a');", "literal", true, "Error(ErrorInfo.Create('a'))"],
    ["Error('a (b)');", "literal", true, "Error(ErrorInfo.Create('a (b)'))"],
    ["ERROR('%1 of %2', Fmt(A, 1), B);", "strsubstno", true, "Error(ErrorInfo.Create(StrSubstNo('%1 of %2', Fmt(A, 1), B)))"],
    ["Error('%1 of %2' + x);", "strsubstno", false, undefined],
    ["Error(Text001);", "text_constant", false, "Error(ErrorInfo.Create(Text001))"],
    ["AddError('a');", "literal", false, "Error(ErrorInfo.Create('a'))"],
    ["Message('Error(1)');", "other", false, undefined],
    ["Error(a + b);", "other", false, undefined],
  ])("%s", (line, type, auto, suggestion) => {
    const { instances } = scanBytes(Buffer.from(`    ${line}`), "a.al", compileRules({ patterns: [spec] }));
    expect(instances.map((one) => ({ type: one.type, auto: one.auto, suggestion: one.suggestion }))).toEqual([{ type, auto, suggestion }]);
  });

  test.each(["// Error('a')", "Error(ErrorInfo.Create('a'));"])("%s gives nothing", (line) => {
    expect(scanBytes(Buffer.from(line), "a.al", compileRules({ patterns: [spec] })).instances).toEqual([]);
  });
});
