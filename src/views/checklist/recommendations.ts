import type { ChecklistFacts } from "../../dialects/index.ts";
import { overall } from "./called-view.ts";
import { counted } from "./number-text.ts";
import { arrowStep } from "./shared-state.ts";
import { shortStep } from "./status-bar.ts";

/** What is left for people to do, the gravest first. Every number is counted; nothing is said that the run does not show. */
export function recommendations(facts: ChecklistFacts): readonly string[] {
  return [...aboutFindings(facts), ...aboutVerification(facts), ...aboutPlaces(facts), ...aboutChanges(facts), ...aboutScope(facts)];
}

function aboutFindings({ findings: { bySeverity } }: ChecklistFacts): string[] {
  const lines: string[] = [];
  if (bySeverity.critical > 0) lines.push(`Address ${counted(bySeverity.critical, "critical finding")} before deployment.`);
  if (bySeverity.error > 0) lines.push(`Review ${counted(bySeverity.error, "finding")} of severity error.`);
  return lines;
}

function aboutVerification({ verification, files }: ChecklistFacts): string[] {
  const lines: string[] = [];
  if (files.changed > 0 && verification?.compiled !== true)
    lines.push(
      `Compile and run the tests: ${counted(files.changed, "file was", "files were")} changed and nothing was compiled in this run.`,
    );
  for (const { name, ok, errors } of verification?.commands ?? [])
    if (!ok) lines.push(`Mend ${errors > 0 ? counted(errors, "error") : "what"} \`${name}\` reported.`);
  if (verification !== undefined && verification.remaining > 0)
    lines.push(`Look at ${counted(verification.remaining, "place")} that the second scan still found.`);
  return lines;
}

function aboutPlaces(facts: ChecklistFacts): string[] {
  const lines: string[] = [];
  const failed = overall(facts, ({ instances, entries }) => (instances?.failed ?? 0) + entries.by.failed);
  const skipped = overall(facts, ({ instances, entries }) => (instances?.skipped ?? 0) + entries.by.skipped);
  const open = overall(facts, ({ instances }) => (instances?.pending ?? 0) + (instances?.inProgress ?? 0));
  const blocked = overall(facts, ({ files }) => files.blocked);
  const flagged = overall(facts, ({ instances }) => instances?.flagged ?? 0);
  if (failed > 0) lines.push(`Settle ${counted(failed, "item")} that failed; the reasons are listed.`);
  if (blocked > 0) lines.push(`Mend ${counted(blocked, "blocked file")}, then call workflow_retry.`);
  if (skipped > 0) lines.push(`Review ${counted(skipped, "skipped item")}; the reasons are listed.`);
  if (flagged > 0) lines.push(`Decide about ${counted(flagged, "flagged place")}.`);
  if (open > 0) lines.push(`Work through ${counted(open, "instance")} still open.`);
  return lines;
}

function aboutChanges({ changes, batches }: ChecklistFacts): string[] {
  const lines: string[] = [];
  if (changes.pending > 0) {
    const auto =
      changes.autoApplicable > 0 ? ` ${counted(changes.autoApplicable, "of them is", "of them are")} marked as auto-applicable.` : "";
    lines.push(`Apply or reject ${counted(changes.pending, "proposed change")}.${auto}`);
  }
  if (changes.failed > 0) lines.push(`Look at ${counted(changes.failed, "proposed change")} that could not be applied.`);
  const undone = batches.filter((batch) => batch.undone).length;
  if (undone > 0) lines.push(`${counted(undone, "batch was", "batches were")} undone: decide whether to apply them again.`);
  return lines;
}

function aboutScope(facts: ChecklistFacts): string[] {
  const { files, upgrade, called = [] } = facts;
  const lines: string[] = [];
  const pending = overall(facts, (each) => each.files.pending + each.files.inProgress);
  const uncalled = called.filter(({ status }) => status === "pending" || status === "skipped").map(({ type }) => type);
  if (uncalled.length > 0) lines.push(`Go through the files with ${uncalled.join(", ")}, which this run has not called yet.`);
  if (pending > 0) lines.push(`Finish ${counted(pending, "file")} still open.`);
  if (files.outOfScope > 0) lines.push(`Start another run for ${counted(files.outOfScope, "file")} left out of scope.`);
  const missing = upgrade?.withoutGuide ?? [];
  if (missing.length > 0) {
    const steps = missing.map((step) => shortStep(arrowStep(step))).join(", ");
    lines.push(`Check by hand ${counted(missing.length, "version step")} without a conversion guide: ${steps}.`);
  }
  return lines;
}
