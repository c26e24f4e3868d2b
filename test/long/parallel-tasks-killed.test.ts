/** A delivery with three tasks at once whose driver is killed at every step of working apart. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { DrivenPackage } from "../support/driven-package.ts";
import { killedAfter, openDelivery } from "../support/parallel-delivery.ts";

let opened: DrivenPackage;
beforeEach(async () => void (opened = await openDelivery()));
afterEach(() => opened.close());

test.each(["worktree add", "commit -q", "cherry-pick --no-commit", "cherry-pick --allow-empty", "worktree list"])(
  "a driver that is killed right after `git %s` leaves nothing that the next one does not finish",
  async (words) => {
    expect(await killedAfter(opened, words)).toBe("completed");
  },
);
