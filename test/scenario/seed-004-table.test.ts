/** docs/seeds/004.md is true: every test it names exists, and nothing of the seed is missing from it. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repairLoops, sessionRoles, sessionStates } from "../../src/dialects/machine/definition/index.ts";
import { readReference, readSeedTable, titlesOf, wrongReferences, type FeatureRow } from "../support/seed-table.ts";

const root = join(import.meta.dirname, "../..");

/** How many there are of each; a number that is left out or added is noticed. */
const wanted = { states: ["S", 16], transitions: ["T", 41], gates: ["G", 22], rules: ["R", 133], retries: ["B", 23] } as const;

const rows = readSeedTable("docs/seeds/004.md");
const numbers = Object.values(wanted).flatMap(([letter, count]) => Array.from({ length: count }, (_, at) => `${letter}${at + 1}`));
const missingIn = (list: readonly FeatureRow[]): string[] =>
  numbers.filter((number) => list.filter(({ id }) => id === number).length !== 1);
test("the page has every state, transition, gate, rule and retry once", () => {
  const counts = Object.entries(wanted).map(([name, [letter]]) => `${rows.filter(({ id }) => id.startsWith(letter)).length} ${name}`);
  const tests = new Set(rows.flatMap((row) => row.tests.map(({ file, title }) => `${file} ${title}`)));
  process.stdout.write(`${counts.join(", ")}; ${tests.size} named tests\n`);
  expect(missingIn(rows)).toEqual([]);
  expect(rows).toHaveLength(numbers.length);
});

test("the page names its tests, and only tests that exist", () => {
  expect(wrongReferences(rows)).toEqual([]);
});

test("every numbered test is on the page, at its number", () => {
  const files = readdirSync(join(root, "test/scenario")).filter((name) => /^seed-004-.*\.test\.ts$/.test(name));
  const numbered = files.flatMap((name) => titlesOf(`test/scenario/${name}`).filter((title) => /^[STGRB]\d+ /.test(title)));
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
  for (const cell of ["`seed-004-loop` › R18 nothing of the kind", "`no-such-file` › a test", "seed-004-loop: a test"])
    expect(wrongReferences([{ cell, id: "R1", feature: "x", tests: [readReference(cell)] }]), cell).toHaveLength(1);
  expect(missingIn(rows.filter(({ id }) => id !== "G7"))).toEqual(["G7"]);
  expect(missingIn([...rows, ...rows.filter(({ id }) => id === "B5")])).toEqual(["B5"]);
});
