import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileRegex } from "./compile-pattern.ts";
import { needlesOf } from "./needles-of.ts";
import { parseRegex } from "./parse-regex.ts";
import { slowOn } from "./slow-regex.ts";

const slow = (source: string, flags = "") => slowOn(parseRegex(source, flags), flags);
/** What is wrong with an expression, else its flags. */
function compiled(owner: string, source: string, flags = ""): unknown {
  const problems: { code: string; message: string }[] = [];
  const checked = compileRegex(owner, source, flags, (code, message) => problems.push({ code, message }));
  return checked === undefined ? problems : checked.flags;
}
const needles = (source: string, flags = "") => needlesOf(parseRegex(source, flags), flags);

describe("expressions that never end", () => {
  test.each([
    "(a+)+",
    "(a*)*b",
    "(a|a)*c",
    "(a|aa)+$",
    "(.*a){12,}",
    "(.*a){20}",
    "(\\w+\\s?)+$",
    "(\\s*\\w+)*;",
    "^(\\d+)*$",
    '(?:[^"\\\\]+|\\\\.)*"',
    "(?<word>[a-z]+)*!",
    "((ab?c?)+)+",
    "(x+x+)+y",
    "(.|\\s)*z",
    "(?:\\w|\\d)*!",
    "Error\\((?:[^()]+|\\([^()]*\\))*\\)",
    "([a-z]{1,30}){1,30}!",
  ])("%s is refused", (source) => {
    expect(slow(source)).toBeDefined();
  });

  test.each([
    "Error\\s*\\((?!\\s*ErrorInfo)[^)]+\\)",
    "//.*Error|ErrorInfo\\.Create",
    "Error\\s*\\(\\s*'[^']*%[0-9]+[^']*'",
    "'(?:[^']|'')*'",
    '"(?:[^"\\\\]|\\\\.)*"',
    "/\\*(?:(?!\\*/)[\\s\\S])*\\*/",
    "/\\*[\\s\\S]*?\\*/",
    "(\\w+\\.)*\\w+",
    "(?:\\s*,\\s*\\w+)*",
    "\\b(?:\\d{1,3}\\.){3}\\d{1,3}\\b",
    "^\\s*(?:public|private)\\s+(?:static\\s+)?\\w+\\s+\\w+\\s*\\(",
    "(a|b)*c",
    "(?:ab|cd)+",
    "(?:[^()]|\\([^()]*\\))*",
    "(a?)*b",
    "(?=(a+))\\1*b",
    "(?:\\w+\\s)*end",
    "[a-z]+[a-z]+[a-z]+",
    "(?:/[^/]+)+",
    "\\w+(?:-\\w+)*",
    "(?:\\r\\n|\\n|\\r)*x",
    "(?:(?!\\w)\\W)+",
  ])("%s passes", (source) => {
    expect(slow(source)).toBeUndefined();
  });

  test("flags count", () => {
    expect(slow("(.|\\n)*x")).toBeUndefined();
    expect(slow("(.|\\n)*x", "s")).toBeDefined();
    expect(slow("(?:a|A)*x")).toBeUndefined();
    expect(slow("(?:a|A)*x", "i")).toBeDefined();
    expect(slow("(?:[[a-z]--[aeiou]]+)*x", "v")).toBeDefined();
  });

  test("brackets nested beyond all measure are a problem, not a crash", () => {
    const source = `${"(".repeat(30_000)}a${")".repeat(30_000)}`;
    expect(compiled("It", source)).toMatchObject([{ code: "SCAN_BAD_PATTERN" }]);
  });

  test("a bad expression is a problem that names its owner", () => {
    expect(compiled("The exclude of pattern `p1`", "a(", "gi")).toMatchObject([
      { code: "SCAN_BAD_PATTERN", message: expect.stringContaining("The exclude of pattern `p1` does not compile") as string },
    ]);
    expect(compiled("It", "a", "q")).toMatchObject([{ code: "SCAN_BAD_PATTERN" }]);
    expect(compiled("It", "(a+)+", "g")).toMatchObject([{ code: "SCAN_SLOW_PATTERN" }]);
    expect(compiled("It", "a", "gyi")).toBe("i");
  });
});

describe("needles", () => {
  test.each([
    ["Error\\s*\\(", ["error"]],
    ["\\bNoSeriesMgt\\.GetNextNo\\(", ["noseriesmgt.getnextno("]],
    ["[Ee]rror", ["error"]],
    ["(?:FindSet|FindFirst)\\(", ["findset", "findfirst"]],
    ["Get(?:Next)No", ["getnextno"]],
    ["(?<name>Commit)\\b", ["commit"]],
    ["\\.then\\s*\\(", [".then"]],
    ["console\\.(log|debug)\\(", ["console."]],
    ["(abc)+", ["abc"]],
    ["x{3}", undefined],
    ["\\d+", undefined],
    ["ab?", undefined],
    ["foo|x", undefined],
    ["end else", ["else"]],
    ["(?=foo)bar", ["bar"]],
    ["\\x66oo", ["foo"]],
    ["Größe\\s*Error", ["error"]],
  ])("of %s", (source, expected) => {
    expect(needles(source)).toEqual(expected);
  });

  test("letters that fold outside ASCII break them", () => {
    expect(needles("task\\s", "i")).toEqual(["task"]);
    expect(needles("tasks", "iu")).toBeUndefined();
  });

  /** Small expressions over few letters, so that matches are found often. */
  const expression: fc.Arbitrary<string> = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3, depthIdentifier: "regex" },
      fc.constantFrom("a", "b", "foo", "bar", "[aA]", "\\w", ".", "Ab"),
      fc.tuple(tie("node"), tie("node")).map(([a, b]) => a + b),
      fc.tuple(tie("node"), tie("node")).map(([a, b]) => `(?:${a}|${b})`),
      fc.tuple(tie("node"), fc.constantFrom("?", "*", "+", "{2}", "{0,2}", "{1,3}")).map(([a, q]) => `(?:${a})${q}`),
      fc.tuple(tie("node"), tie("node")).map(([a, b]) => `(?=${a})${b}`),
    ),
  })).node;

  test("every match holds one of them", () => {
    let matches = 0;
    fc.assert(
      fc.property(expression, fc.stringMatching(/^(?:foo|bar|a|b|A|x| ){0,12}$/), fc.constantFrom("", "i"), (source, text, flags) => {
        fc.pre(slow(source, flags) === undefined);
        const found = needles(source, flags);
        fc.pre(found !== undefined);
        for (const [match] of text.matchAll(new RegExp(source, `${flags}g`))) {
          expect(found.some((needle) => match.toLowerCase().includes(needle))).toBe(true);
          matches += 1;
        }
      }),
      { numRuns: 500 },
    );
    expect(matches).toBeGreaterThan(20);
  });
});
