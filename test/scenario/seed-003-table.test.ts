/** docs/seeds/003.md is true: every test it names exists, and no criterion or rule of the seed is missing from it. */
import { describe, expect, test } from "vitest";
import { readReference, readSeedTable, titlesOf, wrongReferences } from "../support/seed-table.ts";

const rows = readSeedTable("docs/seeds/003.md");
/** Criteria of each story, in the order of the seed. */
const criteria = [6, 6, 6, 9, 12, 2, 5, 2, 5, 2, 4, 2, 6, 2, 5];
const rules = 20;
const numbers = [
  ...criteria.flatMap((count, story) => Array.from({ length: count }, (_, at) => `${story + 1}.${at + 1}`)),
  ...Array.from({ length: rules }, (_, at) => `R${at + 1}`),
];

describe("the page", () => {
  test("has every criterion and every rule once, each with a test of that number", () => {
    const total = criteria.reduce((sum, count) => sum + count, 0);
    process.stdout.write(`${total} acceptance criteria, ${rules} domain rules, ${numbers.length} named tests\n`);
    expect(total).toBe(74);
    for (const number of numbers) {
      const own = rows.filter(({ id }) => id === number);
      expect(own.length, number).toBe(1);
      expect(own[0]?.tests[0]?.title.startsWith(`${number} `), number).toBe(true);
    }
  });

  test("names its tests, and only tests that exist", () => {
    expect(wrongReferences(rows)).toEqual([]);
  });

  test("every numbered test is on it", () => {
    const files = ["generator", "router", "instructions", "state", "actions", "rules"].map(
      (name) => `test/scenario/seed-003-${name}.test.ts`,
    );
    const numbered = files.flatMap((file) => titlesOf(file)).filter((title) => /^(?:\d+\.\d+|R\d+) /.test(title));
    expect(numbered.map((title) => title.split(" ")[0] ?? "").toSorted()).toEqual(numbers.toSorted());
    const named = new Set(rows.flatMap(({ tests }) => tests.map(({ title }) => title)));
    expect(numbered.filter((title) => !named.has(title))).toEqual([]);
  });

  test("would notice a test that does not exist", () => {
    expect(readReference("`seed-003-rules` › y")).toEqual({ file: "test/scenario/seed-003-rules.test.ts", title: "y" });
    const cells = ["`seed-003-rules` › R21 nothing", "`seed-003-x` › y", "x › y"];
    const made = cells.map((cell, at) => ({ cell, id: String(at), feature: "f", tests: [readReference(cell)] }));
    expect(wrongReferences(made)).toHaveLength(3);
    expect(titlesOf("test/scenario/seed-003-rules.test.ts")).not.toContain("R21 nothing");
  });
});
