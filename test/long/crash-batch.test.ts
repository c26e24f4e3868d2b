import { expect, test } from "vitest";
import { batchMatrix } from "../crash/batch-matrix.ts";
import { bundleChild } from "../crash/bundle-child.ts";

/** `npm run test:crash` kills 200 times and at every border; this is the same with a few of both. */
test("a batch that is killed leaves every file old or new, is finished by whoever comes, and can be undone", async () => {
  const counts = await batchMatrix({ program: await bundleChild("batch-child.ts"), files: 120, kills: 3, every: 12, workers: 2, seed: 1 });
  process.stdout.write(`${JSON.stringify({ ...counts, complaints: counts.complaints.length })}\n`);
  expect(counts.complaints).toEqual([]);
  expect(counts).toMatchObject({ torn: 0, unfinished: 0, unclear: 0, unrestored: 0 });
  expect(counts.borders + Object.values(counts.kills).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(6);
}, 300_000);
