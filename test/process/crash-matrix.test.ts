import { expect, test } from "vitest";
import { bundleChild } from "../crash/bundle-child.ts";
import { crashMatrix } from "../crash/crash-matrix.ts";

/** `npm run test:crash` tries every point; this is the same with every sixteenth. */
test("killed at every sixteenth point, every run comes to the same end and nothing acknowledged is lost", async () => {
  const lines: string[] = [];
  const counts = await crashMatrix({
    program: await bundleChild("crash-child.ts"),
    every: 16,
    workers: 2,
    onWorkflow: (line) => lines.push(line),
  });
  process.stdout.write(`${lines.join("\n")}\n`);
  expect(counts.complaints).toEqual([]);
  expect(counts).toMatchObject({ lost: 0, doubled: 0, differing: 0, unfinished: 0 });
  expect(counts.kills).toBeGreaterThanOrEqual(Math.floor(counts.points / 16) - 3);
}, 600_000);
