import { expect, test } from "vitest";
import { reviewByWorkers } from "../drift/review-by-workers.ts";

test("1,000 files, four workers, drifting agents, ten runners killed and ten interrupted: every file is accounted for once, in a conversation of its own, and none takes more tokens than the first", async () => {
  const end = await reviewByWorkers({ files: 1000, workers: 4, kills: 10, seed: 11 });
  process.stdout.write(`${JSON.stringify(end)}\n`);
  expect(end.complaints).toEqual([]);
  expect(end.counts).toEqual({ completed: 900, skipped: 100 });
  expect(end.killed).toBe(10);
  // Only a runner that is killed between a commit and its reply leaves an agent untold.
  expect(end.unheard).toBeLessThanOrEqual(end.killed);
}, 1_800_000);
