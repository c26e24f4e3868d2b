/** A graph with items in worktrees of their own whose driver is killed at every step of bringing them together. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { DrivenPackage } from "../support/driven-package.ts";
import { killedAfter, openGraph } from "../support/parallel-graph.ts";

let opened: DrivenPackage;
beforeEach(async () => void (opened = await openGraph()));
afterEach(() => opened.close());

test.each(["worktree list", "worktree add", "commit -q", "cherry-pick --no-commit", "branch -f", "worktree remove", "worktree prune"])(
  "a driver that is killed right after `git %s` leaves nothing that the next one does not finish",
  async (words) => {
    expect(await killedAfter(opened, words)).toBe("completed");
  },
);
