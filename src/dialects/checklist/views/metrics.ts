import { shareOf } from "../../../base/index.ts";
import type { JsonObject } from "../../../base/index.ts";
import type { ChecklistFacts } from "../definition/index.ts";
import { overall } from "./facts-and-rows.ts";

/** How well a run was done. Shares are 0 to 1, the density of findings is none; null: there is nothing to measure. */
export type ChecklistMetrics = Readonly<Record<MetricId, number | null>>;

type MetricId =
  | "coverage"
  | "topicApplication"
  | "findingDensity"
  | "frontLoading"
  | "completion"
  | "confirmed"
  | "instructionCompliance"
  | "progressReporting"
  | "checklistExpansion"
  | "drift";

export interface MetricEntry {
  readonly id: MetricId;
  /** Name in replies and reports. */
  readonly key: string;
  readonly title: string;
  readonly meaning: string;
}

/** Every measure with its meaning, in the order in which reports show them. */
export const metricTable: readonly MetricEntry[] = [
  { id: "coverage", key: "coverage", title: "Coverage", meaning: "Share of the files in scope that were completed." },
  {
    id: "topicApplication",
    key: "topic_application_rate",
    title: "Topic application",
    meaning: "Share of the suggested topics that were applied.",
  },
  { id: "findingDensity", key: "finding_density", title: "Finding density", meaning: "Findings for each completed file." },
  {
    id: "frontLoading",
    key: "finding_front_loading",
    title: "Front-loading",
    meaning:
      "Share of the findings that come from the first half of the completed files; 0.5 is even, 1 means that the later half was hardly read.",
  },
  {
    id: "completion",
    key: "completion_rate",
    title: "Completion",
    meaning: "Share of the files, checklist entries and instances with something to do that were completed, or skipped with a reason.",
  },
  {
    id: "confirmed",
    key: "confirmed_rate",
    title: "Confirmed",
    meaning: "Share of the judged instances that were confirmed; the others were dismissed with a reason.",
  },
  {
    id: "instructionCompliance",
    key: "instruction_compliance",
    title: "Instruction compliance",
    meaning: "Share of the agents' reports that were about the action they had been given.",
  },
  {
    id: "progressReporting",
    key: "progress_reporting",
    title: "Progress reporting",
    meaning: "Share of the actions handed out that were reported back.",
  },
  {
    id: "checklistExpansion",
    key: "checklist_expansion",
    title: "Checklist expansion",
    meaning: "Share of the reported analyses that passed on topics for the checklist.",
  },
  {
    id: "drift",
    key: "drift",
    title: "Drift",
    meaning: "Share of the agents' reports that left the course: another file, another item, an unknown topic, an early end.",
  },
];

/** Refusals that are slips of the pen, not a departure from the course. Every other kind counts as drift. */
export const slips: readonly string[] = ["repeated", "duplicate", "late", "malformed", "invalid", "held", "expired", "no_reason"];

export function checklistMetrics(facts: ChecklistFacts): ChecklistMetrics {
  const { files, topics, findings, behaviour } = facts;
  const reports = behaviour.reported + behaviour.refused;
  return {
    coverage: shareOf(
      overall(facts, (each) => each.files.completed),
      overall(facts, (each) => each.files.total),
    ),
    topicApplication: shareOf(topics.applied, Math.max(topics.suggested, topics.applied + topics.pending + topics.skipped + topics.failed)),
    findingDensity: files.completed > 0 ? findings.total / files.completed : null,
    frontLoading: frontLoading(behaviour.findingsByTenth),
    completion: completion(facts),
    confirmed: confirmedShare(facts),
    instructionCompliance: shareOf(behaviour.reported, reports),
    progressReporting: shareOf(behaviour.reported, behaviour.handedOut),
    checklistExpansion: shareOf(behaviour.analysesWithTopics, behaviour.analyses),
    drift: shareOf(departures(facts), reports),
  };
}

/** The measures under their names in replies, with three decimals. */
export function metricsData(facts: ChecklistFacts): JsonObject {
  const metrics = checklistMetrics(facts);
  return Object.fromEntries(metricTable.map(({ id, key }) => [key, inThousandths(metrics[id])]));
}

export function inThousandths(value: number | null): number | null {
  return value === null ? null : Math.round(value * 1000) / 1000;
}

function departures({ behaviour }: ChecklistFacts): number {
  const slipped = Object.entries(behaviour.refusals)
    .filter(([kind]) => slips.some((slip) => kind.toLowerCase().endsWith(slip)))
    .reduce((sum, [, count]) => sum + count, 0);
  return Math.max(0, behaviour.refused - slipped);
}

function completion(facts: ChecklistFacts): number | null {
  const done = overall(
    facts,
    ({ files, entries, instances }) =>
      files.completed + files.skipped + entries.by.completed + entries.by.skipped + (instances?.completed ?? 0) + (instances?.skipped ?? 0),
  );
  const total = overall(facts, ({ files, entries, instances }) => files.total + entries.total + (instances?.total ?? 0));
  const given = overall(facts, ({ files, entries, instances }) => (files.given ?? 0) + (entries.given ?? 0) + (instances?.given ?? 0));
  return given < total ? shareOf(done - given, total - given) : shareOf(done, total);
}

/** Of all workflows of the run in which instances are judged. */
function confirmedShare(facts: ChecklistFacts): number | null {
  const confirmed = overall(facts, ({ instances }) => instances?.judged?.confirmed ?? 0);
  return shareOf(confirmed, overall(facts, ({ instances }) => instances?.judged?.dismissed ?? 0) + confirmed);
}

/** The tenth in the middle of an odd number counts half. */
function frontLoading(tenths: readonly number[]): number | null {
  const all = tenths.reduce((sum, count) => sum + count, 0);
  if (tenths.length < 2) return null;
  const half = tenths.length / 2;
  const front = tenths.reduce((sum, count, place) => sum + count * Math.min(1, Math.max(0, half - place)), 0);
  return shareOf(front, all);
}
