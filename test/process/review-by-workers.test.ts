import { expect, test } from "vitest";
import { reviewByWorkers } from "../drift/review-by-workers.ts";

/** test/long/review-by-workers.test.ts does the same with 1,000 files. */
test.runIf(process.platform !== "win32")(
  "runners of three workers are killed and interrupted while their agents drift: every file is accounted for once, in a conversation of its own",
  async () => {
    const end = await reviewByWorkers({ files: 60, workers: 3, kills: 3, seed: 7 });
    expect(end.complaints).toEqual([]);
    expect(end.counts).toEqual({ completed: 54, skipped: 6 });
    expect(end.killed).toBe(3);
    // Only a runner that is killed between a commit and its reply leaves an agent untold.
    expect(end.unheard).toBeLessThanOrEqual(end.killed);
  },
  120_000,
);
