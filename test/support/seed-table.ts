import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { testTitles } from "./seed-titles.ts";

const root = join(import.meta.dirname, "../..");

export interface TestReference {
  readonly file: string;
  readonly title: string;
}

export interface FeatureRow {
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

/** A cell such as "`name` › title", its file looked for in these folders. */
export function readReference(cell: string, folders: readonly string[]): TestReference {
  const [, name = "", title = ""] = /^`([\w-]+)` › (.+)$/.exec(cell) ?? [];
  const folder = folders.find((each) => existsSync(join(root, each, `${name}.test.ts`))) ?? "nowhere";
  return { file: `${folder}/${name}.test.ts`, title };
}

/** Rows of the tables of a page that have a column of tests. */
export function readSeedTable(page: string, folders: readonly string[]): readonly FeatureRow[] {
  return readFileSync(join(root, page), "utf8")
    .split(/^## /m)
    .filter((section) => section.includes("| feature | proven by |"))
    .flatMap((section) => section.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| feature ")))
    .map((line) => {
      const [, cell = "", tests = ""] = line.split(/(?<!\\)\|/).map((part) => part.trim());
      const [, id = "", feature = ""] = /^(\S+) (.+)$/.exec(cell) ?? [];
      return { id, feature, tests: tests.split("<br>").map((each) => readReference(each, folders)) };
    });
}

/** What is named and does not exist, or is not named at all. */
export function wrongReferences(rows: readonly FeatureRow[]): readonly string[] {
  return rows.flatMap(({ id, tests }) =>
    tests
      .filter(({ file, title }) => title === "" || !titlesOf(file).includes(title))
      .map(({ file, title }) => `${id}: ${file} › ${title}`),
  );
}
