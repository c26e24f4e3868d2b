import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { guardedGit } from "../base/index.ts";

const run = promisify(execFile);
const mostOutput = 64 << 20;

/** What git prints in a folder. Rejects with its exit code and its error output. */
export async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  return (await run("git", [...guardedGit, ...args], { cwd, maxBuffer: mostOutput })).stdout;
}
