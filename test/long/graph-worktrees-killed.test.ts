/** A graph with items in worktrees of their own whose driver is killed at every step of bringing them together. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { DrivenPackage } from "../support/driven-package.ts";
import { killedAfter, openGraph } from "../support/parallel-graph.ts";

let opened: DrivenPackage;
beforeEach(async () => void (opened = await openGraph()));
afterEach(() => opened.close());

test.each([
  ["worktree list", 1],
  ["commit -q", 1],
  // Of the items, then of the conflict.
  ["worktree add", 2],
  ["worktree add", 5],
  ["commit -q", 3],
  ["commit -q", 5],
  ["cherry-pick --allow-empty", 1],
  ["cherry-pick --allow-empty", 2],
  ["cherry-pick --abort", 1],
  ["cherry-pick --no-commit", 1],
  ["cherry-pick --allow-empty", 3],
  ["worktree remove", 5],
  ["worktree prune", 5],
  ["branch -f", 1],
])(
  "a driver that is killed right after `git %s`, the command number %d of these, leaves nothing that the next one does not finish",
  async (words, nth) => {
    expect(await killedAfter(opened, words, nth)).toBe("completed");
  },
);
