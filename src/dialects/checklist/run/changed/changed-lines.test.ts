import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ByteEdit, FileScan, Instance } from "../../../../ports/index.ts";
import { linesAfter, onChangedLines, readDifferences } from "./changed-lines.ts";

const place = { column: 1, endColumn: 5, start: 0, end: 0, pattern: "p", type: "t", auto: false, text: "x", ordinal: 0 };

function scanOf(...found: readonly Pick<Instance, "line" | "endLine">[]): FileScan {
  return { path: "a.ts", size: 1, problems: [], instances: found.map((lines) => ({ ...place, ...lines })) };
}

describe("what is on changed lines", () => {
  const lines = new Map([["a.ts", [[3, 4] as const, [9, 9] as const]]]);
  const kept = (line: number, endLine = line, endColumn = 5): boolean => {
    const [instance] = scanOf({ line, endLine }).instances;
    const scan = { ...scanOf(), instances: [{ ...instance!, endColumn }] };
    return onChangedLines(scan, lines).instances.length === 1;
  };

  test("a finding counts with any of its lines", () => {
    expect([1, 2, 3, 4, 5, 8, 9, 10].filter((line) => kept(line))).toEqual([3, 4, 9]);
    expect(kept(1, 3)).toBe(true);
    expect(kept(5, 8)).toBe(false);
    expect(kept(4, 20)).toBe(true);
  });

  test("a finding that ends with a line break has nothing on the next line", () => {
    expect(kept(1, 3, 1)).toBe(false);
    expect(kept(1, 3, 2)).toBe(true);
  });

  test("a file without changes has none, and what is suppressed is held to the same", () => {
    expect(onChangedLines({ ...scanOf({ line: 3, endLine: 3 }), path: "b.ts" }, lines).instances).toEqual([]);
    const left = { kind: "in_source" } as const;
    const suppressed = scanOf({ line: 3, endLine: 3 }, { line: 1, endLine: 1 }).instances.map((each) => ({ ...each, suppressed: left }));
    expect(onChangedLines({ ...scanOf(), suppressed }, lines).suppressed).toEqual([suppressed[0]]);
  });
});

describe("a difference", () => {
  test("is read by its counts, whatever the lines in it look like", () => {
    const text = [
      "diff --git a/a b/a",
      "--- a/a",
      "+++ b/a",
      "@@ -1,2 +1,3 @@ function x()",
      "--- a/evil",
      "-two",
      "+++ b/evil",
      "+@@ -1 +7 @@",
      "+three",
      "\\ No newline at end of file",
      "@@ -9 +10,0 @@",
      "-gone",
      "@@ -12,0 +12 @@",
      "+new",
      "diff --git a/gone b/gone",
      "--- a/gone",
      "+++ /dev/null",
      "@@ -1 +0,0 @@",
      "-x",
      'diff --git "a/t\\tb \\303\\274" "b/t\\tb \\303\\274"',
      "--- /dev/null",
      '+++ "b/t\\tb \\"\\\\ \\303\\274 é"',
      "@@ -0,0 +1,2 @@",
      "+1",
      "+2",
      "diff --git a/with space b/with space",
      "--- a/with space\t",
      "+++ b/with space\t",
      "@@ -1 +1 @@",
      "-1",
      "+2",
      "",
    ].join("\n");
    expect(Object.fromEntries(readDifferences(text))).toEqual({
      a: [
        [1, 3],
        [12, 12],
      ],
      't\tb "\\ ü é': [[1, 2]],
      "with space": [[1, 1]],
    });
  });
});

describe("lines after edits", () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  const edit = (start: number, end: number, text: string): ByteEdit => ({ start, end, text });

  test("move with what edits add or take away, and the lines of an edit are changed", () => {
    const text = bytes("1\n2\n3\n4\n5\n");
    expect(linesAfter([[5, 5]], text, [edit(2, 3, "two")])).toEqual([
      [2, 2],
      [5, 5],
    ]);
    expect(linesAfter([[5, 5]], text, [edit(0, 1, "a\nb\nc")])).toEqual([
      [1, 3],
      [7, 7],
    ]);
    expect(linesAfter([[4, 5]], text, [edit(0, 4, "")])).toEqual([
      [1, 1],
      [2, 3],
    ]);
    expect(linesAfter([[1, Infinity]], text, [])).toEqual([[1, Infinity]]);
  });

  test("every line that an edit wrote to is changed, and every other line is what it was", () => {
    const flags = fc.array(fc.boolean(), { minLength: 1, maxLength: 12 });
    const replaced = fc.array(fc.record({ at: fc.nat(11), lines: fc.nat(3) }), { maxLength: 4 });
    fc.assert(
      fc.property(flags, replaced, (changed, wanted) => {
        const edits = new Map(wanted.filter(({ at }) => at < changed.length).map(({ at, lines }) => [at, lines]));
        // Every line is one sign and a line break; an edit replaces the sign by as many lines.
        const planned = [...edits].map(([at, lines]) => edit(at * 2, at * 2 + 1, Array.from({ length: lines + 1 }, () => "n").join("\n")));
        const ranges = changed.flatMap((is, at) => (is ? [[at + 1, at + 1] as const] : []));
        const found = linesAfter(ranges, bytes("x\n".repeat(changed.length)), planned);
        const expected = changed.flatMap((is, at) => Array.from({ length: (edits.get(at) ?? 0) + 1 }, () => is || edits.has(at)));
        const isIn = (line: number): boolean => found.some(([first, last]) => first <= line && line <= last);
        expect(expected.map((_, at) => isIn(at + 1))).toEqual(expected);
      }),
    );
  });
});
