/** Samples that say themselves what is expected of them: `samples/<case>/expected.txt`, rewritten with UPDATE=1. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, posix } from "node:path";
import { describe, expect, test } from "vitest";
import { dialectOf, dialects, loadWorkflow, referencesOf } from "../../test/support/all-dialects.ts";
import { explainProgram, importKey, renderDiagnostic, type SourceSet } from "../source/index.ts";

/** The problems of a sample, or what its program does. */
function shown(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "expected.txt")
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: path.slice(folder.length + 1).replaceAll("\\", "/"), text: readFileSync(path, "utf8") }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const main = files.find(({ path }) => !path.includes("/") && /(?:\.ya?ml|_config\.json)$/.test(path));
  if (main === undefined) throw new Error(`${folder} has no workflow.`);
  const imports = referencesOf(main).files.flatMap((names) =>
    names.flatMap((name) => {
      const found = files.find(({ path }) => path === posix.normalize(name));
      return found === undefined ? [] : [[importKey(posix.join(basename(folder), main.path), name), found] as const];
    }),
  );
  const whole = main.path.endsWith(".json") ? { files } : {};
  const set: SourceSet = {
    main: { ...main, path: posix.join(basename(folder), main.path), ...whole, name: basename(folder), source: "project" },
    imports: Object.fromEntries(imports),
    workflows: {},
    known: [],
  };
  const { diagnostics, program } = loadWorkflow(set);
  const text = (file: string): string | undefined => files.find(({ path }) => file.endsWith(path))?.text;
  const problems = diagnostics.map((problem) => renderDiagnostic(problem, text(problem.place?.file ?? "")));
  const plan = program === undefined ? "" : (explainProgram(program, dialects)?.text() ?? "");
  return `dialect: ${dialectOf(main)}\n\n${[...problems, plan].join("\n").trim()}\n`;
}

const cases = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" }).filter((path) => basename(path) === "expected.txt");
const folders = readdirSync(import.meta.dirname, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() && existsSync(join(import.meta.dirname, entry.name, "samples")) ? [entry.name] : [],
);

test("every dialect has samples", () => {
  expect(folders).toEqual(dialects.map(({ name }) => name).toSorted());
});

describe("a sample is read as it says", () => {
  test.each(cases.map((path) => posix.dirname(path.replaceAll("\\", "/"))))("%s", (path) => {
    const folder = join(import.meta.dirname, path);
    const now = shown(folder);
    const file = join(folder, "expected.txt");
    if (process.env["UPDATE"] === "1") writeFileSync(file, now);
    expect(now).toBe(readFileSync(file, "utf8"));
    expect(now).toContain(`dialect: ${path.split("/")[0] ?? ""}\n`);
  });
});
