import { resolve } from "node:path";
import { expect, test } from "vitest";
import { bundleChild } from "../crash/bundle-child.ts";
import { machineMatrix } from "../crash/machine-matrix.ts";

/** `npm run test:crash` kills 200 times; this is the same with a few. */
test("whenever the process of a delivery is killed, another one brings it to its end with nothing lost or done twice", async () => {
  const root = resolve(import.meta.dirname, "../..");
  const counts = await machineMatrix({ program: await bundleChild("machine-child.ts"), root, kills: 8, workers: 2, seed: 5 });
  process.stdout.write(`${JSON.stringify({ ...counts, complaints: counts.complaints.length })}\n`);
  expect(counts.complaints).toEqual([]);
  expect(counts.working + counts.writing + counts.committing + counts.elsewhere).toBeGreaterThanOrEqual(6);
  expect(counts.writing).toBeGreaterThan(0);
  expect(counts.committing).toBeGreaterThan(0);
}, 300_000);
