import { expect, test } from "vitest";
import { bundleChild } from "../crash/bundle-child.ts";
import { orphanMatrix } from "../crash/orphan-matrix.ts";

/** `npm run test:crash` kills 200 times; this is the same with fewer. `flock` is what shows an overlap, and Linux has it. */
test.runIf(process.platform === "linux")(
  "killed while a command is under way, the same command never runs twice at the same time",
  async () => {
    const counts = await orphanMatrix({ program: await bundleChild("orphan-child.ts"), kills: 20, workers: 2, seed: 7 });
    expect(counts.complaints).toEqual([]);
    expect(counts).toMatchObject({ doubled: 0, broken: 0, unfinished: 0 });
    expect(counts.running).toBeGreaterThan(0);
  },
  120_000,
);
