import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { filesImportedBy, importKey, loadWorkflow, type StepsSet } from "../../src/dialects/index.ts";
import { permittedForm, upcastProgram, type Program, type StoredProgram } from "../../src/program/index.ts";
import { samples, type SampleFiles } from "../support/calling-samples.ts";

/**
 * Programs as released versions pinned them, one folder per version. They are never written again: runs that were started with them
 * are read for ever. `UPDATE=1 npx vitest run test/unit/golden-programs.test.ts` records those that the current version lacks.
 */
const root = resolve(import.meta.dirname, "../golden/programs");
const { version } = JSON.parse(readFileSync(resolve(import.meta.dirname, "../../package.json"), "utf8")) as { version: string };

/** A bot's files, with the bot in the place of its configuration. */
function fileOf(files: SampleFiles, name: string): StepsSet["main"] {
  const bot = `.waymark/workflows/${name}/`;
  const path = Object.keys(files).find((each) => each === `${bot}bot_config.json` || basename(each).split(".")[0] === name) ?? "";
  const inside = Object.entries(files).filter(([each]) => each.startsWith(bot));
  const held = inside.map(([each, text]) => ({ path: each.slice(bot.length), text }));
  return { path, text: files[path] ?? "", name, source: "project", ...(held.length === 0 ? {} : { files: held }) };
}

function lowered(files: SampleFiles): Program {
  const [main, inner] = [fileOf(files, "outer"), fileOf(files, "inner")];
  const imports = Object.fromEntries(
    [main, inner].flatMap((file) =>
      (file.path === "" ? [] : filesImportedBy(file)).map((reference) => {
        const path = join(dirname(file.path), reference);
        return [importKey(file.path, reference), { path, text: files[path] ?? "" }];
      }),
    ),
  );
  const { program, diagnostics } = loadWorkflow({ main, imports, workflows: inner.path === "" ? {} : { inner } });
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
  expect(JSON.stringify(permittedForm(now))).toBe(JSON.stringify(permittedForm(upcastProgram(pinned))));
  expect(upcastProgram(pinned), "an earlier program says the same in today's form").toEqual(now);
  expect(Object.values(now.parts).map(({ dialect }) => dialect)).toEqual(name.split("-"));
});
