/** Two runs that are driven at the same time: who starts the second one learns that their agents share a folder. */
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { afterEach, expect, test } from "vitest";
import { openDrivenPackage, planPrompt, twoPrompts, writesPlan, type DrivenPackage } from "../support/driven-package.ts";
import type { Child } from "./mcp-package.ts";

let built: DrivenPackage;
afterEach(() => built.close());

const warning = /^! .*is driven in this folder too.*$/m;
const git = (...args: readonly string[]): void => void execFileSync("git", ["-C", built.workspace, ...args]);

/** A run whose first turn never ends by itself, in the middle of it. */
async function hangs(): Promise<{ readonly child: Child; readonly run: string }> {
  const child = built.start(["run", "two", "--agent", "slow"]);
  child.process.stdin.end();
  await readFile(built.beside("midway"), "utf8");
  return { child, run: await child.says(/wf-[\w-]+/) };
}

async function end({ process: { pid = 0 }, ended }: Child): Promise<void> {
  process.kill(pid, "SIGTERM");
  await ended;
}

test.runIf(process.platform !== "win32")(
  "a run in the folder of another driven one is warned about in one line, and is driven",
  async () => {
    const slow = { script: [{ match: planPrompt, do: [{ run: "echo > ../midway", ask: false }, { hang: true }] }] };
    const quick = { script: [{ match: planPrompt, do: [writesPlan] }, { do: [{ say: "Finished." }] }] };
    built = await openDrivenPackage(twoPrompts, { agents: { slow, quick }, allow: ["two"] });
    execFileSync("mkfifo", [built.beside("midway")]);
    git("init", "-q");
    git("add", "-A");
    git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "first");
    const drive = (...more: readonly string[]) => built.waymark(["run", "two", "--agent", "quick", ...more]);

    const first = await hangs();
    const second = await drive();
    expect([second.code, warning.exec(second.stdout)?.[0]]).toEqual([
      0,
      `! Run ${first.run} is driven in this folder too, and their agents may change the same files. \`waymark run --worktree\` gives a run a folder of its own.`,
    ]);
    expect((await drive("--json")).stdout).toContain(`Run ${first.run} is driven in this folder too`);
    const apart = await drive("--worktree");
    expect([apart.code, apart.stdout]).toEqual([0, expect.not.stringMatching(warning)]);
    await end(first.child);
    expect(first.child.stdout()).not.toMatch(warning);
    expect((await drive()).stdout).not.toMatch(warning);
  },
);
