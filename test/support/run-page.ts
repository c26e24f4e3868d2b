import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

export interface RunPage {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** How many blocks the page has. */
  readonly blocks: number;
  /** The folder in which it was done, below the one to remove. */
  readonly work: string;
  readonly base: string;
}

/** Does what a page says in an empty folder, in order: writes the files of blocks with `file=`, and runs its blocks of shell with the built command. */
export function runPage(path: string): RunPage {
  const base = mkdtempSync(join(tmpdir(), "waymark-page-"));
  const [bin, work] = [join(base, "bin"), join(base, "work")];
  mkdirSync(bin);
  mkdirSync(work);
  writeFileSync(join(bin, "waymark"), `#!/bin/sh\nexec "${process.execPath}" "${join(root, "dist/waymark.js")}" "$@"\n`);
  chmodSync(join(bin, "waymark"), 0o755);
  const page = readFileSync(join(root, path), "utf8");
  const found = [...page.matchAll(/^```(\w+)(?: file=(\S+))?\n([^]*?)^```$/gm)];
  const script = found.map(([, kind = "", file, text = ""], at) => {
    if (file === undefined && kind !== "sh") throw new Error(`A block of kind ${kind} is neither a file nor a command.`);
    if (file === undefined) return `echo "== block ${at + 1}"\n${text}`;
    mkdirSync(dirname(join(work, file)), { recursive: true });
    writeFileSync(join(work, file), text);
    return "";
  });
  const env = { PATH: `${bin}:${process.env["PATH"] ?? ""}`, HOME: join(base, "home"), LANG: "C.UTF-8" };
  const done = spawnSync("/bin/sh", ["-c", ["set -e", ...script].join("\n")], { cwd: work, env, encoding: "utf8", timeout: 100_000 });
  return { status: done.status, stdout: done.stdout, stderr: done.stderr, blocks: found.length, work, base };
}
