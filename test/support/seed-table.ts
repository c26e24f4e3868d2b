import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { testTitles } from "./seed-titles.ts";

const root = join(import.meta.dirname, "../..");

export interface TestReference {
  readonly file: string;
  readonly title: string;
}

export interface FeatureRow {
  readonly cell: string;
  /** The first word of the cell, and the rest of it. */
  readonly id: string;
  readonly feature: string;
  readonly tests: readonly TestReference[];
}

const known = new Map<string, readonly string[]>();

/** Titles of the tests in a file; none when there is no such file. */
export function titlesOf(file: string): readonly string[] {
  const path = join(root, file);
  const held = known.get(file) ?? (existsSync(path) ? testTitles(readFileSync(path, "utf8")) : []);
  known.set(file, held);
  return held;
}

const testFiles = ["src", "test"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".test.ts")),
);

/** A cell such as "`name` › title": the name is the end of one test file's path. What fits no file, or several, is in `nowhere`. */
export function readReference(cell: string): TestReference {
  const [, name = "", title = ""] = /^`([\w./-]+)` › (.+)$/.exec(cell) ?? [];
  const exact = testFiles.filter((path) => path.endsWith(`/${name}.test.ts`));
  const found = exact.length > 0 ? exact : testFiles.filter((path) => path.replace(/\.\w+\.test\.ts$/, "").endsWith(`/${name}`));
  return { file: found.length === 1 ? (found[0] ?? "") : `nowhere/${name}.test.ts`, title };
}

/** Rows of the tables of a page that have a column of tests. */
export function readSeedTable(page: string): readonly FeatureRow[] {
  return readFileSync(join(root, page), "utf8")
    .split(/^## /m)
    .filter((section) => section.includes("| feature | proven by |"))
    .flatMap((section) => section.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| feature ")))
    .map((line) => {
      const [, cell = "", tests = ""] = line.split(/(?<!\\)\|/).map((part) => part.trim());
      const [, id = "", feature = ""] = /^(\S+) (.+)$/.exec(cell) ?? [];
      return { cell, id, feature, tests: tests.split("<br>").map(readReference) };
    });
}

/** What is named and does not exist, or is not named at all. */
export function wrongReferences(rows: readonly FeatureRow[]): readonly string[] {
  return rows.flatMap(({ id, cell, tests }) =>
    tests
      .filter(({ file, title }) => title === "" || !titlesOf(file).includes(title))
      .map(({ file, title }) => `${id || cell}: ${file} › ${title}`),
  );
}
