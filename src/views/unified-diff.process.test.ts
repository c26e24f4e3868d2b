import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { unifiedDiff } from "./unified-diff.ts";

const hasGit = spawnSync("git", ["--version"]).status === 0;

test.skipIf(!hasGit)("git applies it, and gets the text that was meant", () => {
  const folder = mkdtempSync(join(tmpdir(), "waymark-diff-"));
  const line = fc.constantFrom("plain", "one @ here", "  two @ and @", "");
  try {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 40 }), fc.constantFrom("X", "X\nY", "XX"), (lines, after) => {
        const text = `${lines.join("\n")}\n`;
        const changes = [...text.matchAll(/@/g)].map(({ index }) => ({ start: index, end: index + 1, text: after }));
        fc.pre(changes.length > 0);
        writeFileSync(join(folder, "f"), text);
        const done = spawnSync("git", ["apply", "--unidiff-zero", "-"], {
          cwd: folder,
          input: `${unifiedDiff("f", text, changes)}\n`,
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
