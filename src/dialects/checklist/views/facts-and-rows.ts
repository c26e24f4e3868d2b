import { isObject, type JsonObject, defined, own, counted, grouped, tenthsOf } from "../../../base/index.ts";
import type { Item } from "../../../program/index.ts";
import type { Severity, CalledFacts, ChecklistFacts, InstanceCounts, Workload } from "../definition/index.ts";

export type FileStatus = "pending" | "in_progress" | "completed" | "skipped" | "blocked";

/** Labels of an instance that views tell apart. */
export const instanceLabels: { readonly autoFixed: string; readonly byHand: string; readonly flagged: string } = {
  autoFixed: "auto_fixed",
  byHand: "by_hand",
  flagged: "flagged",
};

export const severities: readonly Severity[] = ["critical", "error", "warning", "info"];

/**
 * A file that failed is blocked, and so is one that waits for a time. One that was opened again only has a reason; one of which every
 * entry was skipped (`done=none`) was skipped.
 */
export function fileStatus(item: Item): FileStatus {
  if (item.status === "failed") return "blocked";
  if (item.status === "completed" && item.facets["done"] === "none") return "skipped";
  return item.status === "pending" && item.blockedUntil !== undefined ? "blocked" : item.status;
}

/** Rows below a file are instances when a pattern found them, entries of the checklist otherwise. */
export function isInstance(item: Item): boolean {
  return item.facets["kind"] === "instance" || textIn(item, "pattern") !== undefined;
}

export function isFlagged({ label, facets }: Item): boolean {
  return label === instanceLabels.flagged || (label === undefined && facets["flag"] === "yes");
}

/** Who changed the place of an instance; undefined when nobody did. */
export function changedBy({ status, label, facets }: Item): "engine" | "hand" | undefined {
  if (status !== "completed") return undefined;
  if (label === instanceLabels.autoFixed || facets["done"] === "auto") return "engine";
  return label === instanceLabels.byHand || facets["done"] === "hand" ? "hand" : undefined;
}

/** The id that people know: entries name it, other ids below a file may begin with its path. */
export function shortId(item: Item): string {
  const { id, parent } = item;
  const rest = parent !== undefined && id.length > parent.length + 1 && id.startsWith(parent) ? id.slice(parent.length + 1) : id;
  return textIn(item, "entry") ?? rest;
}

/** What an instance is called everywhere: by the name that clients know, with the precise one beside it where that is another. */
export function typeNames(item: Item): JsonObject {
  const precise = textIn(item, "type");
  const known = textIn(item, "seed_type", "seedType") ?? precise;
  return defined({ instance_type: known, precise_type: known === precise ? undefined : precise });
}

/** Text under one of the names in the row's data, else under the same facet. */
export function textIn(item: Item, ...names: readonly string[]): string | undefined {
  const data = dataOf(item);
  const values = names.map((name) => (Object.hasOwn(data, name) ? data[name] : own(item.facets, name)));
  return values.find((value): value is string => typeof value === "string" && value !== "");
}

export function numberIn(item: Item, ...names: readonly string[]): number | undefined {
  const data = dataOf(item);
  return names.map((name) => own(data, name)).find((value): value is number => Number.isFinite(value));
}

export function truthIn(item: Item, ...names: readonly string[]): boolean | undefined {
  const data = dataOf(item);
  for (const name of names) {
    const value = Object.hasOwn(data, name) ? data[name] : undefined;
    if (typeof value === "boolean") return value;
    if (Object.hasOwn(item.facets, name)) return item.facets[name] === "true" || item.facets[name] === "yes";
  }
  return undefined;
}

export function dataOf(item: Item): JsonObject {
  return isObject(item.data) ? item.data : {};
}

/** What an entry is about, in its own words; an instance by its place and its text. */
export function describedAs(row: Item): string {
  const told = textIn(row, "description");
  if (told !== undefined) return told;
  const text = textIn(row, "text");
  return text === undefined ? shortId(row) : `Line ${numberIn(row, "line") ?? 0}: ${text.replaceAll(/\s+/g, " ")}`;
}

/** The file a finding or a change is about. */
export function fileOf(item: Item): string {
  return textIn(item, "file", "path") ?? "";
}

export function severityOf(item: Item): Severity {
  const named = textIn(item, "severity");
  return severities.find((severity) => severity === named) ?? "info";
}

/** The sum of something over all workflows of the run: its own one and all that it calls. */
export function overall(facts: ChecklistFacts, of: (each: Workload) => number): number {
  return [facts, ...(facts.called ?? [])].reduce((sum, each) => sum + of(each), 0);
}

/** ` changed since ...`, behind a count of files; empty of a run about all files. */
export function changedText(changed: ChecklistFacts["changedSince"]): string {
  if (changed === undefined) return "";
  const { ref, base, changed_lines: lines } = changed;
  return ` changed since ${ref} (${base.slice(0, 10)})${lines ? ", changed lines only" : ""}`;
}

/**
 * Of the files with something to do, how many are done: skipped ones are, blocked ones and those that an early end left do not. A workflow that is still to be called will go through about the same files, so
 * that nothing is done to the full before it is.
 */
export function percentComplete(facts: ChecklistFacts): number {
  const waiting = (facts.called ?? []).filter(({ status }) => status === "pending").length;
  const done = overall(facts, ({ files }) => files.completed + files.skipped - files.notAsked);
  const total = overall(facts, ({ files }) => files.total) + waiting * facts.files.total;
  const given = overall(facts, ({ files }) => files.given ?? 0);
  return given < total ? tenthsOf(done - given, total - given) : tenthsOf(done, total);
}

/** What became of the instances of a workflow: `3 of 9 instances confirmed, 5 dismissed`, or how many were converted. */
export function settledText({ total, completed, skipped, failed, autoFixed, byHand, judged, suppressed = 0 }: InstanceCounts): string {
  const lost = `${failed > 0 ? `, ${grouped(failed)} failed` : ""}${suppressedText({ suppressed })}`;
  if (judged === undefined)
    return `${grouped(completed)} of ${counted(total, "instance")} converted (${grouped(autoFixed)} auto-fixed), ${grouped(skipped)} skipped${lost}`;
  const fixed = byHand > 0 ? ` (${grouped(byHand)} fixed)` : "";
  return `${grouped(judged.confirmed)} of ${counted(total, "instance")} confirmed${fixed}, ${grouped(judged.dismissed)} dismissed${lost}`;
}

/** For data; nothing where the team has settled nothing. */
export function suppressedData({ suppressed = 0 }: InstanceCounts): JsonObject {
  return suppressed === 0 ? {} : { instances_suppressed: suppressed };
}

/** For lines: `, 3 suppressed by the team`. */
export function suppressedText({ suppressed = 0 }: Pick<InstanceCounts, "suppressed">): string {
  return suppressed === 0 ? "" : `, ${grouped(suppressed)} suppressed by the team`;
}

/** What the engine settled as certainly nothing to do, and how it is listed and opened again; nothing without any. */
export function settledData({ settled }: InstanceCounts): JsonObject {
  return settled === 0 ? {} : { settled_by_engine: { instances: settled, how: howSettled } };
}

const howSettled =
  "Certainly nothing to do, each with its reason: workflow_batch group_by_type with filter.status settled lists them, flag_for_review with it opens them again.";

/** For lines: `, 3 settled by the engine`. */
export function settledByEngine({ settled }: Pick<InstanceCounts, "settled">): string {
  return settled === 0 ? "" : `, ${grouped(settled)} settled by the engine`;
}

/** The same counts for data. */
export function judgedData({ judged }: InstanceCounts): JsonObject {
  return judged === undefined ? {} : { instances_confirmed: judged.confirmed, instances_dismissed: judged.dismissed };
}

/** For replies: what the workflows that are called have done and what they have left. */
export function calledData({ called }: ChecklistFacts): JsonObject {
  if (called === undefined) return {};
  return {
    called_workflows: called.map(({ type, status, files, instances }) =>
      defined({
        workflow_type: type,
        status,
        files_completed: files.completed,
        files_total: files.total,
        files_skipped: files.skipped > 0 ? files.skipped : undefined,
        files_blocked: files.blocked > 0 ? files.blocked : undefined,
        instances_total: instances?.total,
        ...(instances === undefined ? {} : judgedData(instances)),
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
