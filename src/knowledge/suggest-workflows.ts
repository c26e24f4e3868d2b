import type { Issue, SuggestedTopic, SuggestedWorkflow } from "./analysis.ts";

/** Workflows that go after what was found; names are those of the bundled ones. The weightiest first. */
export function suggestWorkflows(
  issues: readonly Issue[],
  topics: readonly SuggestedTopic[],
  names: ReadonlyMap<string, readonly number[]>,
): SuggestedWorkflow[] {
  const keys = new Set([...names.keys()].map((name) => name.toLowerCase()));
  const count = (test: (issue: Issue) => boolean): number => issues.filter(test).length;
  const security = count(({ category }) => category === "security");
  const performance = count(({ category }) => category === "performance");
  const errors = count(({ check }) => check.startsWith("error_"));
  const found: SuggestedWorkflow[] = [];
  if (security > 0) found.push({ workflow_type: "security-audit", reason: `${things(security, "sign")} of a security fault.` });
  if (performance > 0) found.push({ workflow_type: "performance-audit", reason: `${things(performance, "sign")} of slow code.` });
  if (errors > 0) {
    found.push({
      workflow_type: "error-to-errorinfo-migration",
      reason: `${things(errors, "call")} of Error with a text that is not a Label.`,
    });
  }
  if (keys.has("noseriesmanagement")) {
    found.push({ workflow_type: "bc-version-upgrade", reason: "The code uses codeunit NoSeriesManagement, which BC27 no longer has." });
  }
  if (found.length === 0 && topics.length > 0) {
    found.push({ workflow_type: "code-review", reason: `${things(topics.length, "topic")} may apply to this code.` });
  }
  return found;
}

function things(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
