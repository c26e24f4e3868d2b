import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { steadyRegex } from "./steady-regex.ts";

function steady(source: string): (text: string) => unknown {
  const regex = steadyRegex(source);
  if (typeof regex === "string") throw new Error(regex);
  return (text) => {
    const groups = regex(text);
    return groups === undefined ? undefined : { ...groups };
  };
}

function engine(source: string, text: string): unknown {
  const match = new RegExp(source).exec(text);
  return match === null ? undefined : { ...match.groups };
}

const tsc = String.raw`^(?<file>.+?)\((?<line>\d+),(?<column>\d+)\): (?<severity>error|warning) (?<rule>TS\d+): (?<message>.*)$`;

describe("what it finds is what the engine finds", () => {
  test.each([
    [tsc, ["src/a (1).ts(3,7): error TS2322: Type 'x' (y).", "src/a.ts(3): error", "", "(1,2): error TS1: x", "a(1,2): warning TS9: "]],
    [String.raw`(?<file>[^\s:]+):(?<line>\d{1,5})(?::(?<column>\d+))?`, ["x a.c:12:3: y", "a.c:123456", ":1", "é.c:9"]],
    [String.raw`\b(?<rule>[A-Z]{2,}\d*)\b`, ["see TS12, x", "aTS1", "TS", "T"]],
    ["^(?!node_modules)(?<file>[^:]+):", ["node_modules/a:1", "src/a:1"]],
    ["(?=(?<ahead>.*error))(?<file>\\w+)", ["x a error b", "warning"]],
    ["(?<a>a|ab)(?<b>c|bcd)(?<c>d*)", ["abcd", "acd", "abcdd"]],
    ["(?:(?<a>x)|(?<b>y))*z", ["xyz", "yxz", "z", "xy"]],
    ["(?<a>a*?)(?<b>a{2,3}?)(?<c>.*)", ["aaaaa", "a", "aab"]],
    ["(?<a>[\\s\\S]{2})$", ["\ud83d\ude00", "a\n", "x"]],
    ["[^]x|(?<dot>.)\\n", ["a\n", "\nx"]],
  ])("%s", (source, texts) => {
    for (const text of texts) expect(steady(source)(text), text).toEqual(engine(source, text));
  });

  const characters = fc.constantFrom("a", "b", "[ab]", "[^a]", ".", "\\w", "c");
  const expressions = fc.letrec<{ node: string; group: string }>((tie) => ({
    // What a repetition repeats is never empty: there the engine has rules of its own about rounds that match nothing.
    node: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      characters,
      fc.tuple(tie("node"), tie("node")).map((parts) => parts.join("")),
      fc.tuple(tie("node"), tie("node")).map(([one, two]) => `(?:${one}|${two})`),
      fc.tuple(characters, fc.constantFrom("+", "+?", "{2}", "{1,3}", "{2,}?")).map((parts) => parts.join("")),
      tie("group"),
    ),
    group: fc.tuple(tie("node"), fc.constantFrom("", "+", "{1,2}", "+?")).map(([node, times]) => `(?<G>${node})${times}`),
  })).node;

  test("for any expression and any text", () => {
    const optional = fc
      .tuple(expressions, fc.constantFrom("", "*", "?", "*?", "??"), expressions)
      .map(([one, times, two]) => `(?:${one})${times}${two}`);
    fc.assert(
      fc.property(
        fc.oneof(expressions, optional),
        fc.string({ unit: fc.constantFrom("a", "b", "c", " "), maxLength: 12 }),
        (written, text) => {
          let count = 0;
          const source = written.replaceAll("(?<G>", () => `(?<g${(count += 1)}>`);
          expect(steady(source)(text)).toEqual(engine(source, text));
        },
      ),
      { numRuns: 400 },
    );
  });
});

test("what an engine tries without end on a long line comes to an end", () => {
  const line = `${"a".repeat(19_990)}!`;
  expect(steady("^(?<file>(a+)+)$")(line)).toBeUndefined();
  expect(steady("^(?<file>(?:a|a)*)(?<line>b)$")(line)).toBeUndefined();
  expect(steady("(?<a>.*)(?<b>.*)(?<c>.*)(?<d>.*)(?<line>\\d)")(line)).toBeUndefined();
  expect(steady("(?<file>a*)*(?<line>b)")(line)).toBeUndefined();
  expect(steady("(?=(a+)+b)(?<file>a)")(line)).toBeUndefined();
});

test("what cannot be steady is refused with the reason", () => {
  expect(steadyRegex("(?<a>x)\\k<a>")).toBe("it refers back to a group");
  expect(steadyRegex("(?<=a)b")).toBe("it looks behind (`(?<=` or `(?<!`)");
  expect(steadyRegex("(?:a{1,100}){1,100}")).toBe("its repetitions are too many together");
  expect(() => steadyRegex("(")).toThrow(SyntaxError);
});
