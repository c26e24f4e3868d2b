import { expect, test } from "vitest";
import { loadWorkflow } from "../../../../test/support/all-dialects.ts";
import { oldCalls, review } from "../../../../test/support/checklist-sample.ts";
import { explainChecklist } from "./explain-checklist.ts";

function explained(text: string): ReturnType<typeof explainChecklist> {
  const main = { path: "x.workflow.yaml", text, name: "x", source: "project" } as const;
  const { program } = loadWorkflow({ main, imports: {}, workflows: {}, known: [] });
  return explainChecklist(program!);
}

test("a checklist is explained by its files, phases, entries, patterns and rules", () => {
  expect(explained(oldCalls).text()).toBe(`old-calls 1.0.0: Old calls
Turns old() into fresh().

Files: \`**/*.js\`, without what git ignores.

Phases:
  1. inventory: Waymark lists the files
  2. scan: Waymark scans for the patterns
  3. batch_auto: Waymark applies certain fixes in batches, after a preview, may be left out
  4. manual_review: each file with its entries and places
  5. verification: Waymark runs the verification commands
  6. summary: the report

For each file:
  - scan (analysis by Waymark, in scan): Scan
  - review_complete (validation by Waymark, in manual_review): All calls dealt with

Patterns: 1 pattern.
  - old-call
First the user chooses the way: apply_auto_first | review_by_file | review_by_type.
It is done when all files and all entries and places are dealt with; what is skipped needs a reason.`);
});

test("no name of Waymark's own blocks is in it, whatever the form", () => {
  const { text, mermaid, data } = explained(review);
  expect(text()).toContain("Topics of knowledge are found with analyze_code.");
  expect(`${text()}${mermaid()}`).not.toMatch(/\$|file\.entry|raw\.|gate_files|settle/);
  expect(mermaid()).toMatch(/^flowchart TD\n {2}p0\["Inventory"\]\n[^]* {2}p0 --> p1\n/);
  expect(data()).toMatchObject({
    workflow: "review",
    phases: [{ id: "inventory" }, { id: "analysis" }, { id: "topics" }, { id: "summary" }],
  });
});
