/** docs/seeds/003.md is true: every test it names exists, and no criterion or rule of the seed is missing from it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { testTitles } from "../support/seed-titles.ts";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/seeds/003.md"), "utf8");

interface Reference {
  readonly file: string;
  readonly title: string;
}
interface Row {
  readonly feature: string;
  readonly tests: readonly Reference[];
}

/** Rows of the tables that have a column of tests. */
function rowsOf(text: string): Row[] {
  const tables = text.split(/^## /m).filter((section) => section.includes("| feature | proven by |"));
  return tables.flatMap((section) =>
    section
      .split("\n")
      .filter((line) => line.startsWith("| ") && !line.startsWith("| feature "))
      .map((line) => {
        const [, feature = "", tests = ""] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
        return { feature, tests: tests.split("<br>").map(readReference) };
      }),
  );
}

function readReference(cell: string): Reference {
  const [, name = "", title = ""] = /^`([\w-]+)` › (.+)$/.exec(cell) ?? [];
  const folder = existsSync(join(root, `test/process/${name}.test.ts`)) ? "process" : "unit";
  return { file: `test/${folder}/${name}.test.ts`, title };
}

const rows = rowsOf(page);
/** Criteria of each story, in the order of the seed. */
const criteria = [6, 6, 6, 9, 12, 2, 5, 2, 5, 2, 4, 2, 6, 2, 5];
const rules = 20;
const numbers = [
  ...criteria.flatMap((count, story) => Array.from({ length: count }, (_, at) => `${story + 1}.${at + 1}`)),
  ...Array.from({ length: rules }, (_, at) => `R${at + 1}`),
];

const known = new Map<string, readonly string[]>();
function titlesOf(file: string): readonly string[] {
  const path = join(root, file);
  const held = known.get(file) ?? (existsSync(path) ? testTitles(readFileSync(path, "utf8")) : []);
  known.set(file, held);
  return held;
}

describe("the page", () => {
  test("has every criterion and every rule once, each with a test of that number", () => {
    const total = criteria.reduce((sum, count) => sum + count, 0);
    process.stdout.write(`${total} acceptance criteria, ${rules} domain rules, ${numbers.length} named tests\n`);
    expect(total).toBe(74);
    for (const number of numbers) {
      const own = rows.filter(({ feature }) => feature.startsWith(`${number} `));
      expect(own.length, number).toBe(1);
      expect(own[0]?.tests[0]?.title.startsWith(`${number} `), number).toBe(true);
    }
  });

  test("names its tests, and only tests that exist", () => {
    expect(rows.filter(({ tests }) => tests.some(({ title }) => title === "")).map(({ feature }) => feature)).toEqual([]);
    const wrong = rows.flatMap(({ tests }) =>
      tests.filter(({ file, title }) => !titlesOf(file).includes(title)).map(({ file, title }) => `${file} › ${title}`),
    );
    expect([...new Set(wrong)]).toEqual([]);
  });

  test("every numbered test is on it", () => {
    const files = ["generator", "router", "instructions", "state", "actions", "rules"].map((name) => `test/unit/seed-003-${name}.test.ts`);
    const numbered = files.flatMap((file) => titlesOf(file)).filter((title) => /^(?:\d+\.\d+|R\d+) /.test(title));
    expect(numbered.map((title) => title.split(" ")[0] ?? "").toSorted()).toEqual(numbers.toSorted());
    const named = new Set(rows.flatMap(({ tests }) => tests.map(({ title }) => title)));
    expect(numbered.filter((title) => !named.has(title))).toEqual([]);
  });

  test("would notice a test that does not exist", () => {
    expect(readReference("`seed-003-x` › y")).toEqual({ file: "test/unit/seed-003-x.test.ts", title: "y" });
    expect(readReference("x › y").title).toBe("");
    expect(titlesOf("test/unit/seed-003-rules.test.ts")).not.toContain("R21 nothing");
  });
});
