import { expect, test } from "vitest";
import { chunksOf, findingsOf, type Read } from "../../../test/support/findings-of.ts";

const tsc = String.raw`^(?<file>[^(]+)\((?<line>\d+),(?<column>\d+)\): (?<severity>error|warning) (?<rule>TS\d+): (?<message>.*)$`;
const gcc = String.raw`^(?<file>[^:]+):(?<line>\d+):(?:(?<column>\d+):)? (?<severity>[a-z ]+): (?<message>.*)$`;

const read = (text: string, pattern = tsc): Promise<Read[]> => findingsOf(text, { format: "lines", pattern });

test("lines that fit are findings wherever the output is cut, and the others are passed over", async () => {
  const output = "Compiling\nsrc/a.ts(3,7): error TS2322: Not a number.\r\n  indented follow-up\n/w/src/b.ts(1,1): warning TS6133: Unused.";
  const whole = await read(output);
  expect(whole).toEqual([
    { tool: "tool", rule: "TS2322", severity: "error", message: "Not a number.", path: "src/a.ts", region: { line: 3, column: 7 } },
    { tool: "tool", rule: "TS6133", severity: "warning", message: "Unused.", path: "src/b.ts", region: { line: 1, column: 1 } },
  ]);
  for (const size of [1, 2, 5]) expect(await findingsOf(chunksOf(output, size), { format: "lines", pattern: tsc })).toEqual(whole);
});

test("what the pattern does not name has a plain default", async () => {
  const [found] = await read("./x/../y.c:12 broken\n", "^(?<file>[^:]+):(?<line>\\d+)");
  expect(found).toEqual({
    tool: "tool",
    rule: "unnamed",
    severity: "warning",
    message: "./x/../y.c:12 broken",
    path: "y.c",
    region: { line: 12 },
  });
  expect(await read("y.c: broken", "^(?<file>[^:]+):(?<line>\\d+)?(?<column>\\d+)? ")).toMatchObject([
    { path: "y.c", region: { line: 1 } },
  ]);
});

test("colours, links and a byte order mark do not count", async () => {
  const text = "\uFEFF\u001b[1m\u001b]8;;file:///w/a.c\u001b\\a.c\u001b]8;;\u001b\\:3:\u001b[0m \u001b[31merror\u001b[K: bad\u001b[m\n";
  expect(await read(text, gcc)).toMatchObject([{ path: "a.c", severity: "error", message: "bad", region: { line: 3 } }]);
});

test("a line without a file, or with one outside of the workspace, is there all the same", async () => {
  const found = await read(
    "/other/a.ts(1,1): error TS1: x\n../b.ts(1,1): error TS1: x\n(2,1): error TS9: y\n",
    tsc.replace("[^(]+", "[^(]*"),
  );
  expect(found).toMatchObject([
    { unplaced: "outside", named: "/other/a.ts" },
    { unplaced: "outside" },
    { unplaced: "no_file", message: "y" },
  ]);
});

test("severities are read in the words of compilers and linters", async () => {
  const words = {
    error: "error",
    "fatal error": "error",
    "Warning!": "warning",
    note: "info",
    hint: "info",
    E: "error",
    c: "info",
    critical: "critical",
    bother: "warning",
  };
  const text = Object.keys(words).map((word) => `a.c:1:2: ${word}: x\n`);
  const found = await read(text.join(""), gcc.replace("[a-z ]+", "[^:]+"));
  expect(found.map(({ severity }) => severity)).toEqual(Object.values(words));
});

test.each([
  ["(?<file>", "it is not a regular expression"],
  ["(.*)", "it has no group `(?<file>...)`"],
  ["(?<file>.)\\k<file>", "it refers back to a group"],
])("the pattern %s is refused: %s", async (pattern, reason) => {
  const failure = await read("x", pattern).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "FINDINGS_PATTERN" });
  expect((failure as Error).message).toContain(reason);
  expect((failure as Error).message).toContain(`\`${pattern}\``);
});

test("no line holds up a pattern, and of a very long one the beginning is read", async () => {
  const text = `a.c:1:2: error: ${"x ".repeat(300_000)}\n${"a".repeat(300_000)}\n`;
  const found = await read(text, "^(?<file>(\\w|\\.|\\w+)+):(?<line>\\d+):(?<column>\\d+): (?<severity>\\w+): (?<message>.*)$");
  expect(found).toMatchObject([{ path: "a.c", severity: "error" }]);
  expect(found[0]?.message.length).toBeLessThan(20_001);
});
