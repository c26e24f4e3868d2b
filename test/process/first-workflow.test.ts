import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/first-workflow.md"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "waymark-first-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Fenced blocks in order: files to write, and shell text. */
function blocks(): { readonly kind: string; readonly file: string | undefined; readonly text: string }[] {
  return [...page.matchAll(/^```(\w+)(?: file=(\S+))?\n([^]*?)^```$/gm)].map(([, kind = "", file, text = ""]) => ({ kind, file, text }));
}

test("the page has at most 900 words", () => {
  expect(page.split(/\s+/).filter((word) => word !== "").length).toBeLessThanOrEqual(900);
});

test("every block of the page works, in order, in an empty folder", () => {
  const bin = join(folder, "bin");
  const work = join(folder, "work");
  mkdirSync(bin);
  mkdirSync(work);
  writeFileSync(join(bin, "waymark"), `#!/bin/sh\nexec "${process.execPath}" "${join(root, "dist/waymark.js")}" "$@"\n`);
  chmodSync(join(bin, "waymark"), 0o755);
  const script: string[] = ["set -e"];
  let counted = 0;
  for (const { kind, file, text } of blocks()) {
    counted += 1;
    if (file !== undefined) {
      mkdirSync(dirname(join(work, file)), { recursive: true });
      writeFileSync(join(work, file), text);
    } else if (kind === "sh") script.push(`echo "== block ${counted}"`, text);
    else throw new Error(`A block of kind ${kind} is neither a file nor a command.`);
  }
  const env = { PATH: `${bin}:${process.env["PATH"] ?? ""}`, HOME: join(folder, "home"), LANG: "C.UTF-8" };
  const done = spawnSync("/bin/sh", ["-c", script.join("\n")], { cwd: work, env, encoding: "utf8", timeout: 100_000 });
  expect(done.status, `${done.stdout}\n${done.stderr}`).toBe(0);
  expect(done.stdout).toContain("refused, as it should be");
  expect(done.stdout).toContain("Tidy a.txt. 2 left.");
  expect(done.stdout).toContain("All 2 notes are tidy.");
  expect(done.stdout).toMatch(/completed/);
  execFileSync("test", ["-d", join(work, ".waymark/store")]);
  expect(counted).toBeGreaterThanOrEqual(12);
});
