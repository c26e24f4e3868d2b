import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { unifiedDiff, type TextChange } from "./unified-diff.ts";

/** Applies a unified difference the way `patch` does, line by line, and checks every line it says was there. */
function patched(text: string, diff: string): string {
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  const out: string[] = [];
  let at = 0;
  let [from, count, to, added] = [0, 0, 0, 0];
  for (const line of diff.split("\n").slice(2)) {
    const header = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/.exec(line);
    if (header !== null) {
      must(count === 0 && added === 0, "the hunk before is shorter than it says");
      [from, count, to, added] = header.slice(1).map(Number) as [number, number, number, number];
      const begin = count === 0 ? from : from - 1;
      while (at < begin) out.push(lines[at++] ?? "");
      must(out.length === (added === 0 ? to : to - 1), "the hunk begins elsewhere");
      continue;
    }
    const [sign, rest] = [line[0], line.slice(1)];
    if (sign !== "+") {
      must(lines[at++] === rest, `"${rest}" is not there`);
      count -= 1;
    }
    if (sign !== "-") {
      out.push(rest);
      added -= 1;
    }
  }
  must(count === 0 && added === 0, "the last hunk is shorter than it says");
  while (at < lines.length) out.push(lines[at++] ?? "");
  return out.join("\n");
}

function must(holds: boolean, why: string): void {
  if (!holds) throw new Error(why);
}

function applied(text: string, changes: readonly TextChange[]): string {
  let [made, at] = ["", 0];
  for (const { start, end, text: added } of changes) {
    made += text.slice(at, start) + added;
    at = end;
  }
  return made + text.slice(at);
}

describe("a unified difference", () => {
  test("shows a changed line with three lines around it", () => {
    const text = "a\nb\nc\nd\nError('x');\nf\ng\nh\ni\n";
    expect(unifiedDiff("src/A.al", text, [{ start: 14, end: 17, text: "E('x')" }])).toBe(
      ["--- a/src/A.al", "+++ b/src/A.al", "@@ -2,7 +2,7 @@", " b", " c", " d", "-Error('x');", "+Error(E('x'));", " f", " g", " h"].join(
        "\n",
      ),
    );
  });

  test("nothing changed, nothing said; line ends of Windows are not shown", () => {
    expect(unifiedDiff("a", "x\n", [])).toBe("");
    expect(unifiedDiff("a", "x\r\ny\r\n", [{ start: 0, end: 1, text: "z" }])).toBe("--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-x\n+z\n y");
  });

  test("applied like a patch it gives the changed text, whatever the text and the changes", () => {
    const line = fc.string({ maxLength: 12 }).map((each) => each.replace(/[\r\n]/g, "."));
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 40 }).map((lines) => `${lines.join("\n")}\n`),
        fc.array(
          fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(8), fc.constantFrom("", "x", "new\nline", "Error(ErrorInfo.Create(")),
          { maxLength: 6 },
        ),
        (text, raw) => {
          const most = text.length - 1;
          const changes: TextChange[] = [];
          let from = 0;
          for (const [share, length, added] of raw.toSorted((a, b) => a[0] - b[0])) {
            const start = Math.max(from, Math.floor(share * most));
            const end = Math.min(most, start + length);
            if (start > end || start < from) continue;
            changes.push({ start, end, text: added });
            from = end + 1;
          }
          const wanted = applied(text, changes).replace(/\n$/, "");
          expect(patched(text, unifiedDiff("f", text, changes))).toBe(wanted);
        },
      ),
      { numRuns: 300 },
    );
  });
});
