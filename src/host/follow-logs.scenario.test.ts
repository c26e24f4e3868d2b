import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { followLogs } from "./follow-logs.ts";

test("that logs are not ignored by git is said once for their folder, however many runs there are", async () => {
  const workspace = mkdtempSync(join(tmpdir(), "waymark-logs-"));
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }));
  execFileSync("git", ["init", "-q"], { cwd: workspace });
  const logged: string[] = [];
  const logOf = async (run: string) => ({ path: `logs/${run}.jsonl`, lines: ["{}"] });
  const follower = followLogs({ workspace, logOf, log: (_, text) => void logged.push(text) });
  for (const run of ["a", "b", "c"]) follower.moved(run);
  await follower.close();
  expect(logged).toEqual([expect.stringContaining("logs is not ignored by git")]);
});
