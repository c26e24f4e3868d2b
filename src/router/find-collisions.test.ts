import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { describedWorkflows } from "../../test/support/routed-project.ts";
import { findCollisions } from "./find-collisions.ts";

const site = {
  name: "publish-site",
  description: "Deploys the website to staging or production and runs a smoke test.",
  triggers: ["go live"],
};
const web = {
  name: "deploy-web",
  description: "Builds the website and deploys it to staging or to production, with a smoke test and a rollback when it fails.",
  triggers: ["roll it out"],
};
const notes = {
  name: "notes",
  description: "Writes the notes of a release from the commits since the last one.",
  triggers: ["release notes"],
};

test("descriptions that say the same are found, with the words that both have", () => {
  expect(findCollisions([site, notes, web])).toEqual([
    { names: ["publish-site", "deploy-web"], phrases: [], words: ["website", "deploys", "staging", "production", "smoke", "test"] },
  ]);
});

test("a description that another one covers is found, whichever comes first", () => {
  const short = { name: "ship-web", description: "Deploys the website to production." };
  for (const pair of [
    [short, web],
    [web, short],
  ]) {
    expect(findCollisions(pair).map(({ names }) => names.toSorted())).toEqual([["deploy-web", "ship-web"]]);
  }
});

test("who says what is left to the other is told apart from it", () => {
  const told = { ...site, notFor: ["previews: that is deploy-web"] };
  expect(findCollisions([told, web])).toEqual([]);
  expect(findCollisions([web, told])).toEqual([]);
  const inside = { ...site, description: `${site.description}\nNOT for: previews (use deploy-web).` };
  expect(findCollisions([inside, web])).toEqual([]);
});

test("a trigger that two have is found, however it is written and wherever it comes from", () => {
  const spoken = { name: "changelog", description: 'Collects what changed for customers.\nTriggers: "Release  Notes!", "what changed"' };
  expect(findCollisions([notes, spoken])).toMatchObject([{ names: ["notes", "changelog"], phrases: ["Release  Notes!"] }]);
});

test("a few words in common are not a collision, and neither is nothing at all", () => {
  expect(findCollisions([notes, { name: "other-notes", description: "Notes" }, { name: "empty", description: "" }])).toEqual([]);
  expect(findCollisions([])).toEqual([]);
});

test("the bundled workflows and those of the set have no collision among them", () => {
  const folder = join(import.meta.dirname, "../../workflows");
  const bundled = readdirSync(folder)
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => parse(readFileSync(join(folder, file), "utf8")) as Record<"name" | "type" | "machine" | "description", string>)
    .map(({ name, type, machine, ...keys }) => ({ ...keys, name: machine ?? type ?? name }));
  expect(bundled.length).toBeGreaterThan(10);
  expect(findCollisions(bundled)).toEqual([]);
  expect(findCollisions(describedWorkflows.map((workflow) => ({ ...workflow, notFor: workflow.not_for ?? [] })))).toEqual([]);
});

test("the order of workflows changes nothing in what collides", () => {
  const all = [site, web, notes, ...describedWorkflows.slice(0, 6)];
  const pairs = (of: typeof all): readonly string[] =>
    findCollisions(of)
      .map(({ names }) => names.toSorted().join(" "))
      .toSorted();
  const usual = pairs(all);
  expect(usual.length).toBeGreaterThan(0);
  fc.assert(
    fc.property(fc.shuffledSubarray(all, { minLength: all.length }), (shuffled) => {
      expect(pairs(shuffled)).toEqual(usual);
    }),
    { numRuns: 20 },
  );
});
