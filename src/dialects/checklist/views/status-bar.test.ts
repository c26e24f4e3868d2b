import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { madeFacts, madeFiles, madeMigration } from "../../../../test/support/made-facts.ts";
import { sharedSession, type SharedWorkflowSession } from "./shared-state.ts";
import { statusBar } from "./status-bar.ts";

const review = sharedSession(madeFacts());
const migration = sharedSession(madeMigration(true));
const upgrade: SharedWorkflowSession = {
  id: "wf-upgrade-bc21-bc27-xyz",
  type: "bc-version-upgrade",
  name: "BC Version Upgrade",
  status: "active",
  currentPhase: "guided_conversion",
  currentPhaseName: "Guided Conversion",
  totalPhases: 6,
  phaseIndex: 3,
  filesTotal: 1247,
  filesCompleted: 287,
  filesInProgress: 1,
  currentFile: "src/SalesPost.Codeunit.al",
  instancesTotal: 3891,
  instancesCompleted: 1567,
  instancesAutoFixed: 892,
  instancesManualReview: 675,
  versionUpgrade: { sourceVersion: "BC21", targetVersion: "BC27", currentVersionStep: "BC23→BC24", guidesTotal: 6, guidesCompleted: 2 },
  currentSpecialist: "logan-legacy",
  progressPercentage: 40,
  progressMessage: "",
  startedAt: "2024-01-11T08:00:00.000Z",
  lastUpdated: "2024-01-11T11:30:00.000Z",
  estimatedTimeRemaining: "~45 minutes",
  projectContext: "",
};
const blocked = sharedSession(
  madeFacts({
    status: "blocked",
    files: madeFiles({ completed: 8 }),
    blocked: { reason: "3 files failed", files: [], ways: ["Fix a", "Fix b"] },
  }),
);

const bar = (...sessions: readonly SharedWorkflowSession[]): ReturnType<typeof statusBar> => statusBar({ activeWorkflows: sessions });

describe("the status bar", () => {
  test.each([
    ["$(sync~spin) Review 12/47 files", review],
    ["$(sync~spin) Migration 80% (1876 auto-fixed)", migration],
    ["$(sync~spin) BC21→27: BC23→24 (40%)", upgrade],
    ["$(warning) Review Blocked", blocked],
    ["$(debug-pause) Review Paused", { ...review, status: "paused" as const }],
    ["$(check) Migration Completed", { ...migration, status: "completed" as const }],
    ["$(circle-slash) Review Cancelled", { ...review, status: "cancelled" as const }],
    ["$(sync~spin) Tidy up 3%", { ...review, type: "own", name: "Tidy $(alert) up", filesTotal: 0, progressPercentage: 3 }],
  ])("says %s", (text, session) => {
    expect(bar(session).text).toBe(text);
  });

  test("the tooltip of a version upgrade tells step, counts, specialist and time", () => {
    expect(bar(upgrade).tooltip).toBe(`**BC Version Upgrade** (via Chat)

BC21 → BC27

Phase 4/6: **Guided Conversion**
Current Step: BC23→BC24 (2/6 guides)

Files: 287/1,247 (23%)
Instances: 1,567/3,891 (40%)
  • Auto-fixed: 892
  • Manual review: 675

Specialist: @logan-legacy
ETA: ~45 minutes

_Agent is running this workflow_`);
  });

  test("the tooltip of a blocked run lists the ways out", () => {
    expect(bar(blocked).tooltip).toContain("Blocked: 3 files failed\n  • Fix a\n  • Fix b");
  });

  test("of several runs the blocked one is shown, with the number of others; the tooltip has all", () => {
    const { text, tooltip } = bar(review, migration, blocked);
    expect(text).toBe("$(warning) Review Blocked +2");
    expect(tooltip.split("\n\n---\n\n")).toHaveLength(3);
  });

  test("of several active runs the one that moved last is shown", () => {
    expect(bar({ ...migration, lastUpdated: "2024-01-11T09:00:00.000Z" }, upgrade).text).toBe("$(sync~spin) BC21→27: BC23→24 (40%) +1");
  });

  test("nothing listed, nothing shown", () => {
    expect(bar()).toEqual({ text: "", tooltip: "" });
  });

  test("values from the file cannot bring links, markup or icons", () => {
    fc.assert(
      fc.property(fc.string(), (words) => {
        const hostile = `${words}[x](command:y) $(trash) <b> *b*`;
        const { text, tooltip } = bar({ ...review, type: "own", name: hostile, currentPhaseName: hostile, currentFile: hostile });
        expect(text.replace("$(sync~spin)", "")).not.toContain("$(");
        expect(tooltip).not.toMatch(/(?<!\\)\[x|\$\(|(?<!\\)<b/);
      }),
    );
  });
});
