/** An answer to a gate on the command line, when what it is about changed after it was shown: the person learns at once that it does not count. */
import { readFile } from "node:fs/promises";
import { afterEach, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../../../test/process/cli-world.ts";
import type { JsonObject } from "../../../base/index.ts";

let bench: CliBench;
afterEach(() => bench.close());

interface Shown {
  readonly run_id: string;
  readonly action_id: string;
  readonly step: { readonly definition: { readonly report: JsonObject; readonly deliver: readonly string[] } };
}

const notes = (text: string): string => `## Changes\n\n${text}\n\n## Upgrade\n\nNothing to do.\n`;

test("is asked again in the same breath, with the line that answers it", async () => {
  const page = await readFile(new URL("../../../../docs/machines.md", import.meta.url), "utf8");
  bench = await openCliBench({
    ".waymark/workflows/notes.machine.yaml": /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? "",
    ".waymark/workflows/roles/writer.md": "Write the notes.",
    ".waymark/workflows/roles/reviewer.md": "Read the notes.",
  });
  expect((await bench.run(["explain", "notes"])).stdout).toContain("\nWRITE\n  - Writer works");
  let shown = await bench.json<Shown>(["start", "notes", "--input", "request=2.1"]);
  const { run_id: run } = shown;
  expect((await bench.run(["doctor"])).stdout).toContain("1 session, no defects.");
  const [file = ""] = shown.step.definition.deliver;
  await bench.write(file, notes("One."));
  for (let role = 0; role < 2; role += 1) {
    const report = JSON.stringify(shown.step.definition.report);
    shown = await bench.json<Shown>(["done", run, "--action", shown.action_id, "--result", report]);
  }
  expect(shown.action_id).toBe("UD-PUBLISH");
  await bench.write(file, notes("Two."));
  const { stdout } = await bench.run(["decide", run, "UD-PUBLISH", "approved"], { terminal: true });
  expect(stdout).toContain("It is asked again: The answer `approved` was not counted: what it was about has changed since it was shown.");
  expect(stdout).toContain(`→ waymark decide ${run} UD-PUBLISH --revision 2 '<answer>'`);
  await bench.write(file, notes("Three."));
  const again = ["decide", run, "UD-PUBLISH", "--revision", "2", "approved"];
  expect(await bench.json(again, { terminal: true })).toMatchObject({ asked_again: expect.stringContaining("was not counted") as string });
  const counted = await bench.json(["decide", run, "UD-PUBLISH", "--revision", "3", "approved"], { terminal: true });
  expect(counted).not.toHaveProperty("asked_again");
});
