import { expect, test } from "vitest";
import { bundleChild } from "../crash/bundle-child.ts";
import { crashMatrix } from "../crash/crash-matrix.ts";

/** `npm run test:crash` tries every point; this is the same with every twenty-fourth. */
test("killed at every twenty-fourth point, every run comes to the same end and nothing acknowledged is lost", async () => {
  const lines: string[] = [];
  const counts = await crashMatrix({
    program: await bundleChild("crash-child.ts"),
    every: 24,
    workers: 2,
    onWorkflow: (line) => lines.push(line),
  });
  process.stdout.write(`${lines.join("\n")}\n`);
  expect(counts.complaints).toEqual([]);
  expect(counts).toMatchObject({ lost: 0, doubled: 0, differing: 0, unfinished: 0 });
  expect(counts.kills).toBeGreaterThanOrEqual(Math.floor(counts.points / 24) - 3);
}, 600_000);
