import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { unifiedDiff } from "./unified-diff.ts";

test("shows a change with three lines around it, and two near ones together", () => {
  const text = "1\n2\n3\n4\nError('a');\n6\n7\nError('b');\n9\n10\n11\n12\n";
  const replacements = [
    { line: 5, before: "Error('a')", after: "Error(A)" },
    { line: 8, before: "Error('b')", after: "Error(\n  B)" },
  ];
  expect(unifiedDiff("x.al", text, replacements)).toBe(
    "--- a/x.al\n+++ b/x.al\n@@ -2,10 +2,11 @@\n 2\n 3\n 4\n-Error('a');\n+Error(A);\n 6\n 7\n-Error('b');\n+Error(\n+  B);\n 9\n 10\n 11\n",
  );
});

test("two changes of one line are one change; what is not there is left out", () => {
  const text = "f(a) f(a)\n";
  const replacements = [
    { line: 1, before: "f(a)", after: "g(1)" },
    { line: 1, before: "f(a)", after: "g(2)" },
    { line: 1, before: "h", after: "i" },
  ];
  expect(unifiedDiff("x", text, replacements)).toBe("--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-f(a) f(a)\n+g(1) g(2)\n");
  expect(unifiedDiff("x", text, [])).toBe("");
});

const hasGit = spawnSync("git", ["--version"]).status === 0;

test.skipIf(!hasGit)("git applies it, and gets the text that was meant", () => {
  const folder = mkdtempSync(join(tmpdir(), "waymark-diff-"));
  const line = fc.constantFrom("plain", "one @ here", "  two @ and @", "");
  try {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 40 }), fc.constantFrom("X", "X\nY", "XX"), (lines, after) => {
        const text = `${lines.join("\n")}\n`;
        const replacements = lines.flatMap((each, at) => [...each.matchAll(/@/g)].map(() => ({ line: at + 1, before: "@", after })));
        fc.pre(replacements.length > 0);
        writeFileSync(join(folder, "f"), text);
        const done = spawnSync("git", ["apply", "--unidiff-zero", "-"], {
          cwd: folder,
          input: unifiedDiff("f", text, replacements),
          encoding: "utf8",
        });
        expect(done.stderr).toBe("");
        expect(readFileSync(join(folder, "f"), "utf8")).toBe(text.replaceAll("@", after));
      }),
      { numRuns: 40 },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
