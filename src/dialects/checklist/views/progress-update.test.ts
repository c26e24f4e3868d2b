import { expect, test } from "vitest";
import { progressUpdate } from "./replies.ts";

const work = { phase: "pattern_scanning", filesProcessed: 234, filesTotal: 1247, instancesFound: 891, elapsedMs: 10_395 };

test("an update carries counts and the seconds left at this pace", () => {
  expect(progressUpdate(work)).toEqual({
    type: "progress_update",
    phase: "pattern_scanning",
    files_processed: 234,
    files_total: 1247,
    instances_found: 891,
    estimated_remaining_seconds: 45,
  });
});

test("before the first file there is no pace, after the last nothing is left", () => {
  expect(progressUpdate({ ...work, filesProcessed: 0 })).not.toHaveProperty("estimated_remaining_seconds");
  expect(progressUpdate({ ...work, filesProcessed: 1247 })).toHaveProperty("estimated_remaining_seconds", 0);
});
