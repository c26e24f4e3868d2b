/**
 * A graph whose items are done at the same time, each in a worktree of its own, with a conflict and a failure. The built command.
 * `npm run test:long` kills its driver after each command of git.
 */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { DrivenPackage } from "../support/driven-package.ts";
import { driveTogether, killedAfter, openGraph, proveBrought, toItems } from "../support/parallel-graph.ts";

let opened: DrivenPackage;
beforeEach(async () => void (opened = await openGraph()));
afterEach(() => opened.close());

test("three items at once: one commit each in their order, a conflict given back and solved, a failed one on a branch", async () => {
  const run = await toItems(opened);
  await proveBrought(opened, run, await driveTogether(opened, run));
  const prompts = await opened.prompts();
  expect(prompts.filter(({ text }) => text.startsWith("What was done for `two` does not fit"))).toHaveLength(1);
  expect(prompts).toHaveLength(5);
  expect(new Set(prompts.map(({ session }) => session)).size).toBe(5);
}, 240_000);

test("a driver that is killed right after a commit was picked leaves nothing that the next one does not finish", async () => {
  expect(await killedAfter(opened, "cherry-pick --allow-empty")).toBe("completed");
}, 240_000);
