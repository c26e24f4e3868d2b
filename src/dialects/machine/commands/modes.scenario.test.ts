/** Modes on the command line: `info` names them with what they take, and a start that cannot have the one it asks for says so. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../../../test/process/cli-world.ts";
import { bundledMachine } from "../../../../test/support/machine-world.ts";

let bench: CliBench;
beforeEach(async () => {
  bench = await openCliBench(await bundledMachine());
});
afterEach(() => bench.close());

const open = "The mode lean was asked for, but not confirmed: no_interpretation (The request can be understood in one way only.); ";

test("info lists the modes, and what each wants confirmed", async () => {
  const { stdout } = await bench.run(["info", "delivery"]);
  expect(stdout).toContain("mode full (default): begins in INTAKE\n");
  expect(stdout).toContain("mode lean: begins in INTAKE_LEAN, if all of this is confirmed\n");
  expect(stdout).toContain("  few_files: At most three files change.\n");
});

test("a start in a mode that is not confirmed says that the run is in another one", async () => {
  const start = ["start", "delivery", "-i", "request=Fix a typo", "-i", "mode=lean"];
  const { stdout } = await bench.run(start);
  expect(stdout).toContain(`! ${open}`);
  expect(stdout).toContain("The run is in mode full.");
  expect(await bench.json(start)).toMatchObject({ begun: [expect.stringContaining(open) as string] });
  const keys = ["no_interpretation", "few_files", "no_architecture", "no_ui", "no_security", "short_work"];
  const confirmed = JSON.stringify(Object.fromEntries(keys.map((key) => [key, true])));
  expect(await bench.json([...start, "-i", `confirmed=${confirmed}`])).not.toHaveProperty("begun");
});

test("explain shows conditions as they are written, and a state without a title once", async () => {
  expect((await bench.run(["explain", "delivery"])).stdout).toContain("if changed_files > most_files");
  for (const format of ["mermaid", "json"]) {
    const { stdout } = await bench.run(["explain", "delivery", "--format", format]);
    expect(stdout).toContain("most_files");
    expect(stdout).not.toContain("Infinity");
  }
});
