import { expect, test } from "vitest";
import { fakeAgent } from "../agents/run-turn.ts";
import { bundleChild } from "../crash/bundle-child.ts";
import { graphMatrix } from "../crash/graph-matrix.ts";

/** `npm run test:crash -- --part graph` kills at every point and at many moments; this is the same with a few. */
test("whoever drives a graph is killed: the next one finishes it, with every node as it is without kills and none done twice", async () => {
  const every = 60;
  const counts = await graphMatrix({
    program: await bundleChild("graph-child.ts"),
    agent: fakeAgent,
    every,
    lives: 1,
    seed: 7,
    workers: 2,
  });
  process.stdout.write(`${JSON.stringify({ ...counts, complaints: counts.complaints.length })}\n`);
  expect(counts.complaints).toEqual([]);
  expect(counts.killed.points).toBeGreaterThanOrEqual(Math.floor(counts.points / every) - 1);
  expect(counts.killed.moments).toBeGreaterThan(0);
}, 300_000);
