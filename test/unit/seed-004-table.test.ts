/** docs/seeds/004.md is true: every test it names exists, and nothing of the seed is missing from it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repairLoops, sessionRoles, sessionStates } from "../../src/dialects/index.ts";
import { testTitles } from "../support/seed-titles.ts";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/seeds/004.md"), "utf8");
const folders = ["test/unit", "test/process", "src/dialects/machine", "src/dialects/machine/formats"];

/** How many there are of each; a number that is left out or added is noticed. */
const wanted = { states: ["S", 16], transitions: ["T", 41], gates: ["G", 22], rules: ["R", 133], retries: ["B", 23] } as const;

interface Reference {
  readonly file: string;
  readonly title: string;
}
interface Row {
  readonly id: string;
  readonly feature: string;
  readonly tests: readonly Reference[];
}

/** Rows of the tables that have a column of tests. */
function rowsOf(text: string): Row[] {
  return text
    .split(/^## /m)
    .filter((section) => section.includes("| feature | proven by |"))
    .flatMap((section) => section.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| feature ")))
    .map((line) => {
      const [, cell = "", tests = ""] = line.split(/(?<!\\)\|/).map((part) => part.trim());
      const [, id = "", feature = ""] = /^(\S+) (.+)$/.exec(cell) ?? [];
      return { id, feature, tests: tests.split("<br>").map(readReference) };
    });
}

function readReference(cell: string): Reference {
  const [, name = "", title = ""] = /^`([\w-]+)` › (.+)$/.exec(cell) ?? [];
  const folder = folders.find((each) => existsSync(join(root, each, `${name}.test.ts`))) ?? "nowhere";
  return { file: `${folder}/${name}.test.ts`, title };
}

const rows = rowsOf(page);
const known = new Map<string, readonly string[]>();
function titlesOf(file: string): readonly string[] {
  const path = join(root, file);
  const held = known.get(file) ?? (existsSync(path) ? testTitles(readFileSync(path, "utf8")) : []);
  known.set(file, held);
  return held;
}

const numbers = Object.values(wanted).flatMap(([letter, count]) => Array.from({ length: count }, (_, at) => `${letter}${at + 1}`));
const missingIn = (list: readonly Row[]): string[] => numbers.filter((number) => list.filter(({ id }) => id === number).length !== 1);
const wrongIn = (list: readonly Row[]): string[] =>
  list.flatMap(({ id, tests }) =>
    tests
      .filter(({ file, title }) => title === "" || !titlesOf(file).includes(title))
      .map(({ file, title }) => `${id}: ${file} › ${title}`),
  );

test("the page has every state, transition, gate, rule and retry once", () => {
  const counts = Object.entries(wanted).map(([name, [letter]]) => `${rows.filter(({ id }) => id.startsWith(letter)).length} ${name}`);
  const tests = new Set(rows.flatMap((row) => row.tests.map(({ file, title }) => `${file} ${title}`)));
  process.stdout.write(`${counts.join(", ")}; ${tests.size} named tests\n`);
  expect(missingIn(rows)).toEqual([]);
  expect(rows).toHaveLength(numbers.length);
});

test("the page names its tests, and only tests that exist", () => {
  expect(wrongIn(rows)).toEqual([]);
});

test("every numbered test is on the page, at its number", () => {
  const files = readdirSync(join(root, "test/unit")).filter((name) => /^seed-004-.*\.test\.ts$/.test(name));
  const numbered = files.flatMap((name) => titlesOf(`test/unit/${name}`).filter((title) => /^[STGRB]\d+ /.test(title)));
  expect(numbered.length).toBeGreaterThan(150);
  const named = new Map(rows.map(({ id, tests }) => [id, tests.map(({ title }) => title)]));
  expect(numbered.filter((title) => named.get(title.split(" ")[0] ?? "")?.includes(title) !== true)).toEqual([]);
});

test("every state that status files may show has a row of its own, and so has every role's context", () => {
  const states = rows.filter(({ id }) => id.startsWith("S")).map(({ feature }) => /^`(\w+)`/.exec(feature)?.[1] ?? "");
  expect(states.toSorted()).toEqual(sessionStates.toSorted());
  const roles = rows.flatMap(({ feature }) => /^context files: (\w+)$/.exec(feature)?.[1] ?? []);
  expect(roles.toSorted()).toEqual(sessionRoles.filter((role) => role !== "Orchestrator").toSorted());
  for (const loop of repairLoops) expect(rows.some(({ id, feature }) => id.startsWith("B") && feature.startsWith(`${loop}:`))).toBe(true);
});

/** Written by hand from the seed. */
const seedWays = `
INTAKE DESIGN APPROVE_DESIGN PLAN REVIEW_STRATEGY IMPLEMENT_LOOP INTEGRATE RELEASE DONE
INTAKE_LEAN IMPLEMENT_LOOP INTEGRATE DONE
APPROVE_DESIGN APPROVE_DESIGN
IMPLEMENT_LOOP INTAKE
IMPLEMENT_LOOP FIX_REVIEW IMPLEMENT_LOOP
IMPLEMENT_LOOP FIX_TESTS IMPLEMENT_LOOP
IMPLEMENT_LOOP FIX_SECURITY IMPLEMENT_LOOP
INTEGRATE FIX_BUILD INTEGRATE
DESIGN ASK_USER DESIGN
IMPLEMENT_LOOP ASK_USER IMPLEMENT_LOOP
FIX_REVIEW ASK_USER FIX_REVIEW
APPROVE_DESIGN BLOCKED
REVIEW_STRATEGY BLOCKED
`;

test("every way of the seed has a row of its own", () => {
  const ways = seedWays
    .trim()
    .split("\n")
    .flatMap((line) => line.split(" ").flatMap((to, index, names) => (index === 0 ? [] : [`\`${names[index - 1] ?? ""}\` → \`${to}\``])));
  const shown = rows.filter(({ id }) => id.startsWith("T")).map(({ feature }) => feature);
  expect(ways.filter((way) => !shown.some((feature) => feature === way || feature.startsWith(`${way}:`)))).toEqual([]);
});

test("a test that does not exist and a feature that is missing would be noticed", () => {
  expect(wrongIn([{ id: "R1", feature: "x", tests: [readReference("`seed-004-loop` › R18 nothing of the kind")] }])).toHaveLength(1);
  expect(wrongIn([{ id: "R1", feature: "x", tests: [readReference("`no-such-file` › a test")] }])).toHaveLength(1);
  expect(wrongIn([{ id: "R1", feature: "x", tests: [readReference("seed-004-loop: a test")] }])).toHaveLength(1);
  expect(missingIn(rows.filter(({ id }) => id !== "G7"))).toEqual(["G7"]);
  expect(missingIn([...rows, ...rows.filter(({ id }) => id === "B5")])).toEqual(["B5"]);
});
