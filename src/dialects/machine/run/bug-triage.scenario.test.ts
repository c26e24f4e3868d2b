import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openMachineWorld, type Play } from "../../../../test/support/machine-world.ts";
import { reported } from "../../../../test/support/scripted-team.ts";
import { textOf, type JsonObject } from "../../../base/index.ts";

const example = join(import.meta.dirname, "../../../../examples/bug-triage");

async function filesBelow(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) files[path.slice(folder.length + 1)] = await readFile(path, "utf8");
  }
  return files;
}

const check = `node -e "import('./src/mean.mjs').then((m) => process.exit(m.mean([]) === 0 ? 0 : 1))"`;
const findings = "# Bug\n\n## Cause\n\nAn empty list is divided by 0.\n\n## Evidence\n\nmean([]) is NaN.\n\n## Proposed fix\n\nReturn 0.\n";
const acceptance = JSON.stringify({
  acceptance_criteria: [{ id: "AC-001", description: "the mean of nothing is 0", verify: [`cmd: ${check}`] }],
});

test("a team of one's own takes a bug from report to proven fix, with a repair in between", async () => {
  const world = await openMachineWorld(await filesBelow(example), { workflow: "bug-triage" });
  let tries = 0;
  const fix: Play = async () => {
    tries += 1;
    const body = tries === 1 ? "Number.NaN" : "0";
    await world.write(
      "src/mean.mjs",
      `export function mean(values) {\n  return values.length === 0 ? ${body} : values.reduce((a, b) => a + b, 0) / values.length;\n}\n`,
    );
    return reported("OK", "Fixed.", { artifacts: { patch_summary: ["guard"] } });
  };
  const cast: Readonly<Record<string, Play>> = {
    Triager: async (dispatch: JsonObject) => {
      await world.write(`${textOf(dispatch["session"] ?? "")}/findings.md`, findings);
      await world.write(`${textOf(dispatch["session"] ?? "")}/acceptance.json`, `${acceptance}\n`);
      return reported("OK", "Found.");
    },
    Fixer: fix,
    Verifier: async () =>
      reported("OK", "It holds.", { artifacts: { test_results: { passed: 1, failed: 0, skipped: 0, output: "ok" }, coverage_gaps: [] } }),
  };
  try {
    const run = await world.begin({ request: "The mean of an empty list is NaN" });
    const { state } = await world.drive(run, cast, ({ id }) => (id === "UD-FIX" ? "approved" : undefined));
    expect(state.status, world.seen.join("\n")).toBe("completed");
    expect(world.seen).toEqual(["do Triager:meta", "ask UD-FIX", "do Fixer:meta", "do Fixer:meta", "do Verifier:meta"]);
    expect(await world.text(`.agents-work/${await world.session()}/report.md`)).toContain("## Known issues");
  } finally {
    await world.close();
  }
}, 60_000);
