/** docs/chat.md: its first five minutes, as a reader types them. */
import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/chat.md"), "utf8");
const [, section = ""] = /^## Five minutes\n([^]*?)^## /m.exec(page) ?? [];
const folder = mkdtempSync(join(tmpdir(), "waymark-chat-page-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const blocks = (kind: string): readonly string[] =>
  [...section.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].flatMap(([, of, text = ""]) => (of === kind ? [text] : []));

test("every command of the first five minutes works in an empty folder, and the chat says what the page shows", () => {
  const [bin, work] = [join(folder, "bin"), join(folder, "work")];
  mkdirSync(bin);
  mkdirSync(work);
  writeFileSync(join(bin, "waymark"), `#!/bin/sh\nexec "${process.execPath}" "${join(root, "dist/waymark.js")}" "$@"\n`);
  chmodSync(join(bin, "waymark"), 0o755);
  const [files = "", agent = "", last = ""] = blocks("sh");
  expect(last).toBe("waymark allow greet\nwaymark chat\n");
  const [shown = ""] = blocks("text");
  const [typed = "", ...said] = shown.split("\n").filter((line) => line !== "" && line !== "...");
  expect(typed).toMatch(/^> /);
  // Nobody sits at a terminal here: the permission is said in advance, and what is typed comes from a pipe.
  const script = ["set -e", files, agent, "waymark allow greet --yes", "waymark chat"].join("\n");
  const env = {
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    HOME: join(folder, "home"),
    LANG: "C.UTF-8",
    WAYMARK_ALLOW_UNATTENDED: "1",
  };
  const done: SpawnSyncReturns<string> = spawnSync("/bin/sh", ["-c", script], {
    cwd: work,
    env,
    encoding: "utf8",
    input: `${typed.slice(2)}\n`,
    timeout: 200_000,
  });
  expect([done.status, done.stderr]).toEqual([0, ""]);
  expect(done.stdout.split("\n").filter((line) => said.includes(line))).toEqual(said);
});
