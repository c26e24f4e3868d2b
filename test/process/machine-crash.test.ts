import { resolve } from "node:path";
import { expect, test } from "vitest";
import { bundleChild } from "../crash/bundle-child.ts";
import { borders, machineMatrix } from "../crash/machine-matrix.ts";

/** `npm run test:crash` kills 200 times by chance; this dies once at each kind of border, and once between two. */
test("whenever the process of a delivery is killed, another one brings it to its end with nothing lost or done twice", async () => {
  const root = resolve(import.meta.dirname, "../..");
  const faults = [...borders, "before commit", "after commit"].map((at, place) => ({ fault: { at, nth: 1 + (place % 3) } }));
  const deaths = [...faults, { moment: { after: 2, ms: 1 } }];
  const counts = await machineMatrix({
    program: await bundleChild("machine-child.ts"),
    root,
    kills: deaths.length,
    workers: 2,
    seed: 5,
    deaths,
  });
  process.stdout.write(`${JSON.stringify({ ...counts, complaints: counts.complaints.length })}\n`);
  expect(counts.complaints).toEqual([]);
  expect(counts).toMatchObject({ writing: borders.length, committing: 2 });
  expect(counts.working + counts.elsewhere).toBe(1);
}, 300_000);
