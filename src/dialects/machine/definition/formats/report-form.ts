import type { JsonObject } from "../../../../base/index.ts";
import { reviewAspects } from "./role-artifacts.ts";
import type { SessionRole } from "./session-vocabulary.ts";

/** The least that every report holds. */
export const commonForm: JsonObject & { readonly gates: JsonObject; readonly next: JsonObject } = {
  status: "OK",
  summary: "One to three sentences.",
  artifacts: {},
  gates: { meets_definition_of_done: true, needs_review: false, needs_tests: false, security_concerns: [] },
  next: { recommended_agent: null, reason: "Why." },
};

/** What the reports of some roles hold besides. */
const artifacts: Partial<Record<SessionRole, JsonObject>> = {
  Coder: { patch_summary: [] },
  Reviewer: { checklist_summary: Object.fromEntries(reviewAspects.map((aspect) => [aspect, "OK"])) },
  QA: { test_results: { passed: 1, failed: 0, skipped: 0, output: "The end of it." }, coverage_gaps: [] },
  Researcher: {
    research_summary: "What you found.",
    confidence: "high",
    options: [{ id: "A", label: "Its name.", pros: [], cons: [], effort: "low", recommended: true }],
  },
  Designer: { design_spec_file: "design-specs/name.md" },
  Integrator: { ci_notes: [] },
};

/** A short report that counts, as an example for the agent in the role. */
export function reportForm(role: SessionRole): JsonObject {
  const verdict = role === "Reviewer" ? { verdict: "PASS" } : {};
  return { ...commonForm, ...verdict, artifacts: artifacts[role] ?? {} };
}

const telling = ["artifacts", ...Object.keys(commonForm.gates), ...Object.keys(commonForm.next)];

/** Whether instructions name what a report holds, so that the form need not be shown again. */
export function showsReportForm(instructions: string): boolean {
  return telling.every((key) => instructions.includes(key));
}
