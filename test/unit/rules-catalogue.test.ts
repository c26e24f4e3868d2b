import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseChecklist } from "../../src/dialects/checklist/definition/index.ts";
import type { PatternSpec } from "../../src/ports/index.ts";
import { finders } from "../../src/scan/index.ts";

const root = join(import.meta.dirname, "../..");

function patternsOf(workflow: string): readonly PatternSpec[] {
  const path = `${workflow}.workflow.yaml`;
  const parsed = parseChecklist(
    { path, text: readFileSync(join(root, "workflows", path), "utf8") },
    { source: "bundled", finders: [...finders.keys()] },
  );
  expect(parsed.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return (parsed.definition?.patterns.patterns ?? []) as unknown as readonly PatternSpec[];
}

const known = /^(?:eslint|oxlint|biome|ruff|pylint|bandit|semgrep|clang-tidy|cpplint)\/\S+$/;

test.each(["codebase-review", "typescript-migration"])(
  "every rule of a general workflow says what it is, why it matters and what to do: %s",
  (workflow) => {
    const patterns = patternsOf(workflow);
    expect(patterns.length).toBeGreaterThanOrEqual(5);
    for (const { id, name, severity, category, description, why, fix, sameAs = [] } of patterns) {
      expect({ id, name, severity, category }).toEqual({
        id,
        name: expect.stringMatching(/\S/),
        severity: expect.any(String),
        category: expect.any(String),
      });
      for (const text of [description, why, fix]) expect(text, id).toMatch(/^\S.{3,}[.`]$/);
      for (const rule of sameAs) expect(rule, id).toMatch(known);
    }
  },
);

test("of our own rules only a secret is critical", () => {
  const grave = ["codebase-review", "typescript-migration"].flatMap(patternsOf).filter(({ severity }) => severity === "critical");
  expect(grave.map(({ id, secret }) => [id, secret])).toEqual([["secret", true]]);
});

test("docs/rules.md names every rule of the general workflows", () => {
  const page = readFileSync(join(root, "docs/rules.md"), "utf8");
  for (const { id } of ["codebase-review", "typescript-migration"].flatMap(patternsOf)) expect(page).toContain(`| \`${id}\` |`);
});
