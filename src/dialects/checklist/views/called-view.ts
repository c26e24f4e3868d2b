import type { JsonObject } from "../../../base/index.ts";
import type { CalledFacts, ChecklistFacts } from "../definition/index.ts";
import { counted, grouped, tenthsOf } from "../../../views/index.ts";
import { present } from "./row-data.ts";

/** Counts of the run's own workflow and of all that it calls. */
export function allWorkflows({
  files,
  instances,
  entries,
  called = [],
}: ChecklistFacts): readonly Pick<CalledFacts, "files" | "instances" | "entries">[] {
  return [instances === undefined ? { files, entries } : { files, instances, entries }, ...called];
}

/** The sum of something over all workflows of the run. */
export function overall(facts: ChecklistFacts, of: (each: Pick<CalledFacts, "files" | "instances" | "entries">) => number): number {
  return allWorkflows(facts).reduce((sum, each) => sum + of(each), 0);
}

/**
 * Skipped files count as done, blocked ones do not. A workflow that is still to be called will go through about the same files, so
 * that nothing is done to the full before it is.
 */
export function percentComplete(facts: ChecklistFacts): number {
  const waiting = (facts.called ?? []).filter(({ status }) => status === "pending").length;
  const done = overall(facts, ({ files }) => files.completed + files.skipped);
  return tenthsOf(done, overall(facts, ({ files }) => files.total) + waiting * facts.files.total);
}

/** For replies: what the workflows that are called have done and what they have left. */
export function calledData({ called }: ChecklistFacts): JsonObject {
  if (called === undefined) return {};
  return {
    called_workflows: called.map(({ type, status, files, instances }) =>
      present({
        workflow_type: type,
        status,
        files_completed: files.completed,
        files_total: files.total,
        files_skipped: files.skipped > 0 ? files.skipped : undefined,
        files_blocked: files.blocked > 0 ? files.blocked : undefined,
        instances_total: instances?.total,
        instances_remaining: instances === undefined ? undefined : instances.pending + instances.inProgress,
        instances_failed: instances === undefined || instances.failed === 0 ? undefined : instances.failed,
      }),
    ),
  };
}

export function calledText({ type, status, files, instances }: CalledFacts): string {
  if (status === "pending") return `${type} is called later`;
  if (status === "skipped") return `${type} was not called`;
  const left = instances === undefined ? "" : `, ${counted(instances.pending + instances.inProgress, "instance")} left`;
  const blocked = files.blocked > 0 ? `, ${grouped(files.blocked)} blocked` : "";
  return `${type} ${grouped(files.completed + files.skipped)}/${grouped(files.total)} files${blocked}${left}`;
}
