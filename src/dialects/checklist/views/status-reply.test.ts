import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CheckAction } from "./action-view.ts";
import { madeFacts, madeFiles, madeMigration } from "../../../../test/support/made-facts.ts";
import { completeReply, statusReply } from "./status-reply.ts";

const open: CheckAction = {
  action: "convert_instance",
  actionId: "a17",
  item: "e3f1c09ab2",
  file: "src/SalesPost.Codeunit.al",
  line: 1247,
  match_text: "Error(SalesPostErr)",
  instruction: "Apply the fix, or skip it with a reason.",
};

describe("status and completion", () => {
  test("status has counts, summary, measures, the last and the open action, and a page of files", () => {
    const facts = madeFacts({
      findings: { total: 23, bySeverity: { critical: 2, error: 5, warning: 12, info: 4 } },
      changes: { total: 8, applied: 0, failed: 0, pending: 8, autoApplicable: 3 },
      topics: { applied: 31, pending: 45, skipped: 0, failed: 0, suggested: 76, byAgent: 76 },
    });
    const page = [{ path: "src/CustomerMgt.Codeunit.al", status: "completed", findings: 3, changes: 2, checklistComplete: true }];
    const last = { action: "apply_topic", file: "src/CustomerMgt.Codeunit.al", item: "topic-sift", status: "completed" };
    const { data, text } = statusReply(facts, { action: open, lastCompleted: last, files: { page, next: "f2" } });
    expect(data).toMatchObject({
      created_at: "2024-01-11T10:00:00.000Z",
      progress: { files_completed: 12, files_total: 47, files_in_progress: 1, files_pending: 34, percent_complete: 25.5 },
      summary: {
        total_findings: 23,
        findings_by_severity: { critical: 2, error: 5, warning: 12, info: 4 },
        total_proposed_changes: 8,
        topics_applied: 31,
        topics_pending: 45,
      },
      metrics: { coverage: 0.255, topic_application_rate: 0.408 },
      last_completed: { action: "apply_topic", checklist_item_id: "topic-sift" },
      next_action: { action: "convert_instance" },
      files: [
        {
          path: "src/CustomerMgt.Codeunit.al",
          status: "completed",
          findings_count: 3,
          proposed_changes_count: 2,
          checklist_complete: true,
        },
      ],
      next_page: "f2",
    });
    expect(text).toContain("Open: convert_instance");
  });

  test("files of every status add up to the total", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(5000), { minLength: 5, maxLength: 5 }),
        ([completed = 0, skipped = 0, blocked = 0, inProgress = 0, rest = 0]) => {
          const total = completed + skipped + blocked + inProgress + rest;
          const { data } = statusReply(madeFacts({ files: madeFiles({ total, completed, skipped, blocked, inProgress }) }));
          const p = data["progress"] as Record<string, number>;
          const { files_completed: c = 0, files_skipped: s = 0, files_blocked: b = 0, files_in_progress: i = 0, files_pending: w = 0 } = p;
          expect(c + s + b + i + w).toBe(p["files_total"]);
          expect(p["percent_complete"]).toBeGreaterThanOrEqual(0);
          expect(p["percent_complete"]).toBeLessThanOrEqual(100);
        },
      ),
    );
  });

  test("completion has duration, summary, issues and recommendations, and cuts only a report that is kept elsewhere", () => {
    const base = madeMigration(true);
    const facts = {
      ...base,
      status: "completed" as const,
      endedAt: base.createdAt + 135 * 60_000,
      instances: { ...base.instances!, completed: 2298, skipped: 43, failed: 0, pending: 0, byHand: 422 },
    };
    const report = `# Report\n${"line\n".repeat(2000)}`;
    const issue = { file: "src/L.al", severity: "critical", description: "Loop", suggestion: "CalcSums" };
    const { data } = completeReply(facts, { report, reportPath: ".bc-workflows/reports/x-report.md", topIssues: [issue] });
    expect(data).toMatchObject({
      status: "completed",
      duration_minutes: 135,
      summary: { files_processed: 623, instances_converted: 2298, instances_skipped: 43, auto_fixed: 1876, manually_reviewed: 422 },
      top_issues: [issue],
      report_path: ".bc-workflows/reports/x-report.md",
    });
    expect(data["recommendations"]).toContain("Review 43 skipped instances; the reasons are listed.");
    expect(data["report"]).toMatch(/line\n\n\(cut; the whole report is at report_path\)$/);
    expect(completeReply(facts, { report, topIssues: [] }).data["report"]).toBe(report);
    expect(completeReply(facts, { report, reportPath: "p", reportFormat: "json", topIssues: [] }).data).toMatchObject({ report });
    expect(completeReply(base, { topIssues: [] }).data).toMatchObject({ interim: true });
  });
});
