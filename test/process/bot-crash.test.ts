import { expect, test } from "vitest";
import { botMatrix } from "../crash/bot-matrix.ts";
import { bundleChild } from "../crash/bundle-child.ts";

/** `npm run test:crash` kills 200 times; this is the same with a few. */
test("whenever a bot's process is killed, state and log agree after the restart, and an interrupted action asks", async () => {
  const counts = await botMatrix({ program: await bundleChild("bot-child.ts"), kills: 12, workers: 2, seed: 3 });
  process.stdout.write(`${JSON.stringify({ ...counts, complaints: counts.complaints.length })}\n`);
  expect(counts.complaints).toEqual([]);
  expect(counts.working + counts.between + counts.elsewhere).toBe(12);
  expect(counts.working + counts.elsewhere).toBeGreaterThan(0);
  expect(counts.between).toBeGreaterThan(0);
  expect(counts.interrupted).toBeGreaterThan(0);
}, 300_000);
