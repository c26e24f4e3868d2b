import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChecklistFacts } from "../definition/index.ts";
import { madeFacts, madeFiles, madeMigration, madePhases } from "../../../../test/support/made-facts.ts";
import { mergeSharedState, parseSharedState } from "./merge-shared-state.ts";
import { arrowStep, sharedSession } from "./shared-state.ts";

const upgrade: ChecklistFacts = madeMigration(true, {
  run: "wf-upgrade-bc21-bc27-xyz",
  workflow: { type: "bc-version-upgrade", name: "BC Version Upgrade", description: "Upgrade from BC21 to BC27" },
  phases: madePhases("inventory", "guide_discovery", "analysis", "guided_conversion", "verification", "summary"),
  phase: "guided_conversion",
  specialist: "logan-legacy",
  files: madeFiles({ total: 1247, completed: 287, inProgress: 1 }),
  inHand: [{ file: "src/SalesPost.Codeunit.al" }],
  instances: {
    total: 3891,
    pending: 2323,
    inProgress: 1,
    completed: 1567,
    skipped: 0,
    failed: 0,
    autoFixed: 892,
    byHand: 675,
    toVerify: 0,
    flagged: 0,
    settled: 0,
    notAsked: 0,
    open: { auto: 1649, review: 600, manual: 75 },
    byType: {},
  },
  upgrade: { source: "BC21", target: "BC27", currentStep: "BC23-BC24", steps: [], guidesTotal: 6, guidesCompleted: 2, withoutGuide: [] },
});

const emptyInstances = {
  total: 0,
  pending: 0,
  inProgress: 0,
  completed: 0,
  skipped: 0,
  failed: 0,
  autoFixed: 0,
  byHand: 0,
  toVerify: 0,
  flagged: 0,
  settled: 0,
  notAsked: 0,
  byType: {},
};

describe("a session for status bars", () => {
  test("a code review weighs files and phases", () => {
    const session = sharedSession(
      madeFacts({ inHand: [{ file: "src/SalesPost.Codeunit.al" }], specialist: "roger-reviewer", nextSpecialist: "dean-debug" }),
    );
    expect(session).toEqual({
      id: "wf-code-review-2024-01-11-abc123",
      type: "code-review",
      name: "Code Review",
      status: "active",
      currentPhase: "analysis",
      currentPhaseName: "Code Analysis",
      totalPhases: 4,
      phaseIndex: 1,
      filesTotal: 47,
      filesCompleted: 12,
      filesInProgress: 1,
      currentFile: "src/SalesPost.Codeunit.al",
      currentSpecialist: "roger-reviewer",
      nextSpecialist: "dean-debug",
      progressPercentage: 25,
      progressMessage: "Analyzing SalesPost.Codeunit.al (13/47)",
      startedAt: "2024-01-11T10:00:00.000Z",
      lastUpdated: "2024-01-11T10:15:32.000Z",
      estimatedTimeRemaining: "~45 minutes",
      projectContext: "Comprehensive code review of the Sales module",
    });
  });

  test("a migration after its batch counts failed instances as processed", () => {
    const session = sharedSession(madeMigration(true));
    expect(session).toMatchObject({
      filesTotal: 847,
      filesCompleted: 623,
      instancesTotal: 2341,
      instancesCompleted: 1879,
      instancesAutoFixed: 1876,
      instancesManualReview: 462,
      progressPercentage: 80,
      progressMessage: "Auto-fixed 1876. 462 remaining.",
    });
  });

  test("outside the batch phase a migration tells how many instances are processed", () => {
    expect(sharedSession(madeMigration(true, { phase: "manual_review" })).progressMessage).toBe("1879/2341 instances processed");
  });

  test("a version upgrade names its step and guides", () => {
    const session = sharedSession(upgrade);
    expect(session.progressPercentage).toBe(40);
    expect(session.progressMessage).toBe("BC23→BC24: Processing (2/6 guides)");
    expect(session.versionUpgrade).toEqual({
      sourceVersion: "BC21",
      targetVersion: "BC27",
      currentVersionStep: "BC23→BC24",
      guidesTotal: 6,
      guidesCompleted: 2,
    });
    expect([session.phaseIndex, session.totalPhases]).toEqual([3, 6]);
  });

  test("a blocked run gives its reason and the ways out", () => {
    const session = sharedSession(
      madeFacts({
        status: "blocked",
        files: madeFiles({ completed: 8, blocked: 3, inProgress: 0 }),
        blocked: {
          reason: "3 files failed analysis with syntax errors",
          files: ["src/Broken.Codeunit.al"],
          ways: ["Fix syntax errors in src/Broken.Codeunit.al", "Then call workflow_retry to continue"],
        },
      }),
    );
    expect(session).toMatchObject({
      status: "blocked",
      progressPercentage: 19,
      progressMessage: "Blocked: 3 files failed analysis with syntax errors",
      blockedReason: "3 files failed analysis with syntax errors",
      blockedResolution: ["Fix syntax errors in src/Broken.Codeunit.al", "Then call workflow_retry to continue"],
    });
    expect(session.estimatedTimeRemaining).toBeUndefined();
  });

  test("a failed run is shown as blocked with a way out, a cancelled one as cancelled, a paused one as paused", () => {
    const failed = sharedSession(madeFacts({ status: "failed", endedAt: 1 }));
    expect([failed.status, failed.blockedReason, failed.endedAt]).toEqual(["blocked", "The run failed", "1970-01-01T00:00:00.001Z"]);
    expect(failed.blockedResolution).toEqual(["Then call workflow_retry to continue"]);
    expect(sharedSession(madeFacts({ status: "cancelled" })).status).toBe("cancelled");
    expect(sharedSession(madeFacts({ paused: true })).status).toBe("paused");
  });

  test("a run without a file in hand tells its phase", () => {
    expect(sharedSession(madeFacts()).progressMessage).toBe("Code Analysis in progress...");
  });

  test("the context has at most 100 characters and is not cut inside a character", () => {
    const description = `${"a".repeat(96)}😀😀😀😀`;
    const { projectContext } = sharedSession(madeFacts({ workflow: { type: "t", name: "n", description } }));
    expect(projectContext.length).toBeLessThanOrEqual(100);
    expect(projectContext).toBe(`${"a".repeat(96)}...`);
  });

  test.each([
    ["BC23-BC24", "BC23→BC24"],
    ["23->24", "BC23→BC24"],
    ["BC23→24", "BC23→BC24"],
    ["23.0-24.0", "BC23→BC24"],
    ["something", "something"],
  ])("step %s is written %s", (step, written) => {
    expect(arrowStep(step)).toBe(written);
  });

  test("percentages stay between 0 and 100 and nothing is NaN, whatever is counted", () => {
    const count = fc.nat(100_000);
    fc.assert(
      fc.property(fc.tuple(count, count, count, count), fc.option(fc.tuple(count, count, count)), fc.nat(8), (files, places, phases) => {
        const [completed, skipped, blocked, inProgress] = files;
        const [done, pending, failed] = places ?? [0, 0, 0];
        const facts = madeFacts({
          phases: madePhases(...Array.from({ length: phases }, (_, place) => `p${place}`)),
          phase: "p1",
          files: madeFiles({ total: completed + skipped + blocked + inProgress, completed, skipped, blocked, inProgress }),
          ...(places === null
            ? {}
            : {
                instances: {
                  ...emptyInstances,
                  total: done + pending + failed,
                  pending,
                  completed: done,
                  failed,
                  autoFixed: done,
                  open: { auto: 0, review: pending, manual: 0 },
                },
              }),
        });
        const session = sharedSession(facts);
        expect(session.progressPercentage).toBeGreaterThanOrEqual(0);
        expect(session.progressPercentage).toBeLessThanOrEqual(100);
        expect(JSON.stringify(session)).not.toMatch(/NaN|Infinity|undefined|null/);
      }),
    );
  });
});

describe("the shared file", () => {
  const now = Date.UTC(2024, 0, 11, 12, 0, 0);
  const one = sharedSession(madeFacts());
  const two = sharedSession(madeMigration(true, { createdAt: Date.UTC(2024, 0, 11, 9, 0, 0) }));
  const read = (text: string): readonly string[] => parseSharedState(text)?.activeWorkflows.map(({ id }) => id) ?? [];

  test("a new file holds the session", () => {
    const { text, damaged } = mergeSharedState(undefined, one, now);
    expect(damaged).toBeUndefined();
    const statusBar = { text: "$(sync~spin) Review 12/47 files", tooltip: expect.stringContaining("Files: 12/47 (26%)") as string };
    expect(JSON.parse(text)).toEqual({ version: "2.0", activeWorkflows: [one], statusBar, lastUpdated: "2024-01-11T12:00:00.000Z" });
    expect(parseSharedState(text)?.statusBar?.text).toBe(statusBar.text);
  });

  test("the order is by start, whoever writes last", () => {
    const first = mergeSharedState(mergeSharedState(undefined, one, now).text, two, now).text;
    const second = mergeSharedState(mergeSharedState(undefined, two, now).text, one, now).text;
    expect(first).toBe(second);
    expect(read(first)).toEqual([two.id, one.id]);
  });

  test("a session replaces itself and keeps what others wrote, with fields it does not know", () => {
    const foreign = JSON.stringify({
      version: "2.0",
      activeWorkflows: [
        { ...two, extra: { kept: true } },
        { ...one, filesCompleted: 1 },
      ],
      lastUpdated: "",
    });
    const merged = JSON.parse(mergeSharedState(foreign, one, now).text) as { activeWorkflows: unknown[] };
    expect(merged.activeWorkflows).toEqual([{ ...two, extra: { kept: true } }, one]);
  });

  test("ended runs stay for ten minutes, to the millisecond", () => {
    const ended = { ...two, status: "completed" as const, lastUpdated: new Date(now - 600_000).toISOString() };
    const text = mergeSharedState(undefined, ended, now).text;
    expect(read(mergeSharedState(text, one, now).text)).toEqual([ended.id, one.id]);
    expect(read(mergeSharedState(text, one, now + 1).text)).toEqual([one.id]);
  });

  test("a failed run leaves ten minutes after its end although it is listed as blocked", () => {
    const failed = sharedSession(madeMigration(true, { status: "failed", endedAt: now }));
    const text = mergeSharedState(undefined, failed, now).text;
    expect(read(mergeSharedState(text, one, now + 600_000).text)).toContain(failed.id);
    expect(read(mergeSharedState(text, one, now + 600_001).text)).toEqual([one.id]);
  });

  test.each([
    ["half a file", '{"version": "2.0", "activeWork'],
    ["another version", '{"version": "1.0", "activeWorkflows": []}'],
    ["a list", "[]"],
    ["no list of workflows", '{"version": "2.0", "activeWorkflows": {}}'],
  ])("%s is begun again, and said so", (_what, text) => {
    const merged = mergeSharedState(text, one, now);
    expect(merged.damaged).toMatch(/again/);
    expect(read(merged.text)).toEqual([one.id]);
  });

  test("entries that are no sessions are left out, the others stay", () => {
    const text = JSON.stringify({ version: "2.0", activeWorkflows: [null, 3, { id: 4 }, two], lastUpdated: "" });
    const merged = mergeSharedState(text, one, now);
    expect(merged.damaged).toContain("3 of 4");
    expect(read(merged.text)).toEqual([two.id, one.id]);
  });

  test("any text gives a whole file with the session in it", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.json().map((json) => `{"version":"2.0","activeWorkflows":${json}}`),
        ),
        (existing) => {
          expect(read(mergeSharedState(existing, one, now).text)).toContain(one.id);
        },
      ),
    );
  });

  test("a reader is not given sessions that lack what every session has", () => {
    const text = JSON.stringify({ version: "2.0", activeWorkflows: [one, { ...two, status: "odd" }, { ...two, name: 3 }] });
    expect(read(text)).toEqual([one.id]);
    expect(parseSharedState("{")).toBeUndefined();
  });
});
