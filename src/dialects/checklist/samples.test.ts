import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseChecklist, recogniseChecklist } from "./definition/index.ts";
import type { ChecklistDefinition } from "./definition/checklist-definition.ts";

const folder = join(import.meta.dirname, "samples");
const bundled = join(import.meta.dirname, "../../../workflows");

function parsed(name: string): ChecklistDefinition {
  const { definition, diagnostics } = parseChecklist({ path: name, text: readFileSync(join(folder, name), "utf8") }, { source: "bundled" });
  expect(diagnostics).toEqual([]);
  return definition!;
}

describe("the four definitions that the dialect was made for", () => {
  test.each(readdirSync(folder).filter((name) => name.endsWith(".yaml")))(
    "%s is recognised by its name and by its keys, and has no problem",
    (name) => {
      const text = readFileSync(join(folder, name), "utf8");
      expect(recogniseChecklist({ path: name, text })).toBe(true);
      expect(recogniseChecklist({ path: "x.yaml", text })).toBe(true);
      parsed(name);
    },
  );

  test("the review of code: the agent analyses, then applies topics", () => {
    const made = parsed("code-review.workflow.yaml");
    expect(made.phases.map(({ id, role, mode }) => [id, role, mode])).toEqual([
      ["inventory", "inventory", "autonomous"],
      ["analysis", "review", "guided"],
      ["topic_application", "review", "guided"],
      ["summary", "summary", "autonomous"],
    ]);
    expect(made.checklist.map(({ id, by, phase }) => [id, by, phase])).toEqual([
      ["analyze", "agent", "analysis"],
      ["review_complete", "agent", "topic_application"],
    ]);
    expect(made.topics).toEqual({ enabled: true, tool: "analyze_al_code", autoExpand: true, minRelevance: 0.6 });
    expect(made.patterns.enabled).toBe(false);
    expect(made.approach).toBeUndefined();
    expect(made.fileExclusions).toEqual(["**/test/**", "**/.altestrunner/**", "**/node_modules/**"]);
  });

  test("the migration: the engine scans, fixes and verifies; a person chooses the way", () => {
    const made = parsed("error-migration.workflow.yaml");
    expect(made.phases.map(({ role }) => role)).toEqual(["inventory", "scan", "batch", "review", "verification", "summary"]);
    expect(made.phases.map(({ mode }) => mode)).toEqual(["autonomous", "autonomous", "autonomous", "guided", "autonomous", "autonomous"]);
    expect(made.phases[2]).toMatchObject({ required: false, availableActions: ["batch_apply", "skip_batch"] });
    expect(made.checklist.map(({ by, phase }) => [by, phase])).toEqual([
      ["engine", "scan"],
      ["engine", "manual_review"],
    ]);
    expect(made.patterns).toMatchObject({ enabled: true, createItems: true, groupIdentical: true, groupByGuide: false, fromGuides: false });
    expect(made.patterns.patterns).toHaveLength(1);
    expect(made.patterns.patterns[0]).toMatchObject({
      id: "error-call",
      flags: "gi",
      exclude: "//.*Error|ErrorInfo\\.Create",
      contextLines: 2,
      specialist: "eva-errors",
      topic: "eva-errors/errorinfo-migration-guide",
    });
    const { rules, transformations } = made.patterns.patterns[0] as { rules: { name: string }[]; transformations: unknown[] };
    expect(rules.map(({ name }) => name)).toEqual([
      "literal",
      "strsubstno",
      "text_constant",
      "strsubstno_with_constant",
      "function_call",
      "getlasterror",
    ]);
    expect(transformations[2]).toEqual({ type: "text_constant", template: "Error(ErrorInfo.Create({{constant_name}}))", review: true });
    expect(made.approach).toMatchObject({ recommended: "apply_auto_first", answerBy: "relay" });
    expect(made.approach!.options.map(({ id }) => id)).toEqual(["apply_auto_first", "review_by_file", "review_by_type"]);
    expect(made.specialist).toBe("eva-errors");
  });

  test("the upgrade: patterns come from guides, versions are given at start", () => {
    const made = parsed("version-upgrade.workflow.yaml");
    expect(made.phases.map(({ role }) => role)).toEqual(["inventory", "guides", "scan", "review", "verification", "summary"]);
    expect(made.patterns).toMatchObject({ fromGuides: true, groupByGuide: true, topicPattern: "bc*-conversion-guide", patterns: [] });
    expect(made.patterns.searchMarkers).toEqual(["Search Patterns", "Code Discovery", "Before (BC"]);
    expect(made.versionUpgrade).toEqual({
      guidePattern: "bc{version}-*-conversion-guide",
      guideTags: ["bc-migration", "breaking-changes", "conversion-guide"],
      inSequence: true,
      extractPatterns: true,
    });
    expect(made.checklist.map(({ by, phase }) => [by, phase])).toEqual([
      ["engine", "analysis"],
      ["engine", "guided_conversion"],
    ]);
    expect(made.approach!.recommended).toBe("by_version_step");
  });

  test("the review of proposals: an entry with the name of a phase belongs to it, rules are on by default", () => {
    const made = parsed("proposal-review.workflow.yaml");
    expect(made.checklist.map(({ id, phase }) => [id, phase])).toEqual([
      ["read_document", "analysis"],
      ["identify_specialists", "analysis"],
      ["specialist_review", "specialist_review"],
    ]);
    expect(made.rules).toEqual({ requireAllFiles: true, requireAllItems: true, allowSkip: true });
    expect(made.topics.tool).toBe("ask_bc_expert");
  });
});

describe.runIf(existsSync(bundled))("bundled workflows", () => {
  const names = existsSync(bundled) ? readdirSync(bundled).filter((name) => /\.workflow\.(?:ya?ml|json)$/.test(name)) : [];
  test.each(names)("%s has no problem", (name) => {
    const { definition, diagnostics } = parseChecklist(
      { path: name, text: readFileSync(join(bundled, name), "utf8") },
      { source: "bundled" },
    );
    expect(diagnostics).toEqual([]);
    expect(definition?.type).toBe(name.replace(/\.workflow\..*$/, ""));
  });
});
