/** Parts that scripted roles play in the recordings, beside those of the team that does everything well. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { textOf, type JsonObject } from "../../src/base/index.ts";
import type { MachineWorld, Play } from "./machine-world.ts";
import { code, goodTeam, passes, plan, reported, spec } from "./scripted-team.ts";

export const as = (role: string): Play => goodTeam[role] as Play;
const folderOf = (dispatch: JsonObject): string => textOf(dispatch["session"] ?? "");

/** A role that says this, whatever it is given. */
export const says =
  (given: JsonObject): Play =>
  async () =>
    given;

/** Leaves a file in the session's folder and reports. */
export const leaves =
  (files: Readonly<Record<string, string>>, given: JsonObject = reported("OK", "Done.")): Play =>
  async (dispatch, world) => {
    for (const [path, text] of Object.entries(files)) await world.write(`${folderOf(dispatch)}/${path}`, text);
    return given;
  };

/** A plan with changes of its text for each task. */
export function planned(ids: readonly string[], ...changes: readonly (readonly [id: string, from: string, to: string])[]): Play {
  const parts = plan(ids).split(/(?=^ {2}- id: )/m);
  const text = parts
    .map((part) => changes.filter(([id]) => part.includes(`- id: ${id}\n`)).reduce((held, [, from, to]) => held.replace(from, to), part))
    .join("");
  return leaves({ "tasks.yaml": text });
}

/** The check of the project fails while this file is there. */
export const redden = (world: MachineWorld): Promise<void> => world.write("red", "red\n");

/** Codes, and makes the check pass again. */
export const mend: Play = async (dispatch, world) => {
  await rm(join(world.folder, "red"), { force: true });
  return code(dispatch, world);
};

export const notes = (): JsonObject => ({ ...passes("PASS WITH NOTES: a name could be better."), verdict: "PASS WITH NOTES" });

export const failsTests = (gap = "umlauts"): JsonObject =>
  reported("BLOCKED", "A test fails.", {
    artifacts: { test_results: { passed: 0, failed: 1, skipped: 0, output: "boom" }, coverage_gaps: [gap] },
  });

export const audit = (status: string, severity: string, description = "unbounded"): JsonObject =>
  reported(status, `A ${severity} finding.`, {
    artifacts: { findings: [{ severity, category: "input", file: "src/T-001.mjs", description, recommended_fix: "bound it" }] },
  });

export const found: Play = leaves(
  { "research/research-slugs.md": "# Slugs\n\nNo library is needed.\n" },
  reported("OK", "No library is needed.", { artifacts: { research_summary: "none", confidence: "high", options: [] } }),
);

export const layout: Play = leaves(
  { "design-specs/design-spec-slugs.md": "# Layout\n\nOne field, checked while typing.\n" },
  reported("OK", "One field.", { artifacts: { design_spec_file: "design-specs/design-spec-slugs.md" } }),
);

export const specified: Play = leaves({
  "spec.md": `${spec}\n## Assumptions\n\nTitles are short.\n`,
  "acceptance.json": `${JSON.stringify({ acceptance_criteria: [{ id: "AC-001", description: "slug works", verify: ["cmd: node check.mjs"] }] }, null, 2)}\n`,
});

/** Everything that must be confirmed before a run may be lean. */
export const lean = {
  mode: "lean",
  confirmed: { no_interpretation: true, few_files: true, no_architecture: true, no_ui: true, no_security: true, short_work: true },
};
