import { expect, test } from "vitest";
import { fakeAgent } from "../agents/run-turn.ts";
import { bundleChild } from "../crash/bundle-child.ts";
import { runnerMatrix } from "../crash/runner-matrix.ts";

/** `npm run test:crash` tries every point; this is the same with every sixteenth. */
test("runner or agent killed at every sixteenth point: the next runner finishes, each step is done once, in its session, and nothing is left", async () => {
  const lines: string[] = [];
  const counts = await runnerMatrix({
    program: await bundleChild("runner-child.ts"),
    agent: fakeAgent,
    every: 16,
    workers: 2,
    say: (line) => lines.push(line),
  });
  process.stdout.write(`${lines.join("\n")}\n`);
  expect(counts.complaints).toEqual([]);
  expect(counts).toMatchObject({ unfinished: 0, differing: 0, strayed: 0, left: 0 });
  expect(counts.killed.runner).toBeGreaterThanOrEqual(Math.floor(counts.points / 16) - 2);
  expect(counts.killed.agent).toBeGreaterThan(0);
  expect(counts.again).toBeGreaterThan(0);
}, 600_000);
