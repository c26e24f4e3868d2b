import fc from "fast-check";
import { expect, test } from "vitest";
import { changedLines } from "./changed-lines.ts";

test("what changed, a line around it, and the sign of what is left out", () => {
  const before = ["a", "b", "c", "d", "e", "f", "g", "h"];
  expect(changedLines(before, ["a", "b", "c", "X", "e", "f", "g", "h", "i"])).toEqual([
    "  ...",
    "  c",
    "- d",
    "+ X",
    "  e",
    "  ...",
    "  h",
    "+ i",
  ]);
  expect(changedLines(before, before)).toEqual([]);
  expect(changedLines(["a", "b"], ["b", "a"])).not.toEqual([]);
});

test("of a long line that became another only the place, however much was put in", () => {
  const [head, tail, put] = ["h".repeat(500), "t".repeat(500), "new ".repeat(100)];
  expect(changedLines([`${head}${tail}`], [`${head}${put}${tail}`])).toEqual([
    `- ...${"h".repeat(60)}${"t".repeat(60)}...`,
    `+ ...${"h".repeat(60)}${put}${"t".repeat(60)}...`,
  ]);
});

test("every line that is only in one of both is shown, and equal lists give nothing", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c", "d", "e"), { maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const shown = changedLines(before, after);
      const signed = (sign: string): string[] => shown.filter((line) => line.startsWith(sign)).map((line) => line.slice(2));
      const counted = (list: readonly string[], line: string): number => list.filter((each) => each === line).length;
      expect(shown.length === 0).toBe(before.join() === after.join());
      for (const line of ["a", "b", "c", "d", "e"])
        expect(counted(after, line) - counted(before, line)).toBe(counted(signed("+"), line) - counted(signed("-"), line));
    }),
    { numRuns: 100 },
  );
});
