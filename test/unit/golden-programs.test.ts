import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { loadWorkflow } from "../support/all-dialects.ts";
import { checkProgram, permittedForm, upcastProgram, type Program, type StoredProgram } from "../../src/program/index.ts";
import { samples, type SampleFiles } from "../support/calling-samples.ts";
import { sampleSet } from "../support/sample-set.ts";

/**
 * Programs as released versions pinned them, one folder per version. They are never written again: runs that were started with them
 * are read for ever. `UPDATE=1 npx vitest run test/unit/golden-programs.test.ts` records those that the current version lacks.
 */
const root = resolve(import.meta.dirname, "../golden/programs");
const { version } = JSON.parse(readFileSync(resolve(import.meta.dirname, "../../package.json"), "utf8")) as { version: string };

function lowered(files: SampleFiles): Program {
  const { program, diagnostics } = loadWorkflow(sampleSet(files, ["outer", "inner"]));
  if (program === undefined) throw new Error(JSON.stringify(diagnostics));
  return program;
}

const cases: Readonly<Record<string, SampleFiles>> = {
  steps: samples.steps("outer"),
  checklist: samples.checklist("outer"),
  bots: samples.bots("outer"),
  machine: samples.machine("outer"),
  "steps-checklist": { ...samples.steps("outer", "inner"), ...samples.checklist("inner") },
  "steps-bots": { ...samples.steps("outer", "inner"), ...samples.bots("inner") },
  "steps-machine": { ...samples.steps("outer", "inner"), ...samples.machine("inner") },
  "checklist-checklist": { ...samples.checklist("outer", "inner"), ...samples.checklist("inner") },
  "bots-machine": { ...samples.bots("outer", "inner"), ...samples.machine("inner") },
};

/** A checklist that steps include failed at its first effect, so no run was ever done with its program, and it is lowered as a called one now. */
const loweredAnew: ReadonlySet<string> = new Set(["steps-checklist"]);

for (const [name, files] of Object.entries(cases)) {
  const path = join(root, version, `${name}.json`);
  if (process.env["UPDATE"] === undefined || existsSync(path)) continue;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(lowered(files))}\n`);
}

const recorded = existsSync(root) ? readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json")) : [];

test.each(Object.keys(cases))("the program of %s is the one that was pinned", (name) => {
  expect(recorded).toContain(join(version, `${name}.json`));
  const pinned = JSON.parse(readFileSync(join(root, version, `${name}.json`), "utf8")) as StoredProgram;
  const now = lowered(cases[name] ?? {});
  expect(Object.values(upcastProgram(pinned).parts).map(({ dialect }) => dialect)).toEqual(name.split("-"));
  expect(checkProgram(upcastProgram(pinned))).toEqual([]);
  if (loweredAnew.has(name)) return;
  expect(JSON.stringify(permittedForm(now)) === JSON.stringify(permittedForm(upcastProgram(pinned))), "its permission is still good").toBe(
    true,
  );
  expect(upcastProgram(pinned), "an earlier program says the same in today's form").toEqual(now);
  expect(Object.values(now.parts).map(({ dialect }) => dialect)).toEqual(name.split("-"));
});
