import type { JsonObject } from "../../src/base/index.ts";
import type { Item } from "../../src/program/index.ts";
import type {
  ChecklistFacts,
  ChecklistRows,
  FileCounts,
  InstanceCounts,
  PhaseFacts,
  TypeCounts,
} from "../../src/dialects/checklist/definition/index.ts";

/** Facts and rows that tests begin with: a code review with 12 of 47 files done, and what turns it into another run. */
export function madeFacts(changes: Partial<ChecklistFacts> = {}): ChecklistFacts {
  const createdAt = Date.UTC(2024, 0, 11, 10, 0, 0);
  return {
    run: "wf-code-review-2024-01-11-abc123",
    workflow: { type: "code-review", name: "Code Review", description: "Comprehensive code review of the Sales module" },
    status: "in_progress",
    paused: false,
    createdAt,
    updatedAt: createdAt + 932_000,
    now: createdAt + 932_000,
    phases: madePhases("inventory", "analysis", "review", "summary"),
    phase: "analysis",
    glob: ["**/*.al"],
    files: madeFiles({}),
    entries: { total: 0, by: { pending: 0, in_progress: 0, completed: 0, skipped: 0, failed: 0 } },
    topics: { applied: 0, pending: 0, skipped: 0, failed: 0, suggested: 0, byAgent: 0 },
    findings: { total: 0, bySeverity: { info: 0, warning: 0, error: 0, critical: 0 } },
    changes: { total: 0, applied: 0, failed: 0, pending: 0, autoApplicable: 0 },
    batches: [],
    behaviour: { handedOut: 0, reported: 0, refused: 0, refusals: {}, analyses: 0, analysesWithTopics: 0, findingsByTenth: [] },
    inHand: [],
    options: {},
    ...changes,
  };
}

const names: Readonly<Record<string, string>> = {
  inventory: "File Inventory",
  analysis: "Code Analysis",
  review: "Detailed Review",
  scan: "Pattern Scan",
  batch_auto: "Batch Auto-Fix",
  manual_review: "Manual Review",
  guide_discovery: "Conversion Guide Discovery",
  guided_conversion: "Guided Conversion",
  verification: "Verification",
  summary: "Summary & Report",
};

export function madePhases(...ids: readonly string[]): readonly PhaseFacts[] {
  return ids.map((id, place) => ({
    id,
    name: names[id] ?? id,
    mode: ["analysis", "review", "manual_review", "guided_conversion"].includes(id) ? "guided" : "autonomous",
    required: true,
    status: place === 0 ? "completed" : place === 1 ? "in_progress" : "pending",
  }));
}

export function madeFiles(changes: Partial<FileCounts>): FileCounts {
  const counts = {
    total: 47,
    completed: 12,
    skipped: 0,
    blocked: 0,
    inProgress: 1,
    outOfScope: 0,
    withMatches: 0,
    changed: 0,
    notAsked: 0,
    ...changes,
  };
  const pending = counts.total - counts.completed - counts.skipped - counts.blocked - counts.inProgress;
  return { pending, byType: { Codeunit: 12, Page: 18, Table: 8, Report: 5, Query: 4 }, scanned: counts.total, ...counts };
}

export function madeTypes(
  entries: Readonly<Record<string, readonly [auto: number, review: number, manual: number]>>,
): Record<string, TypeCounts> {
  return Object.fromEntries(
    Object.entries(entries).map(([type, [auto, review, manual]]) => [
      type,
      { count: auto + review + manual, auto, review, manual, types: { [type]: auto + review + manual } },
    ]),
  );
}

/** The migration with 2,341 instances: 1,879 auto, 312 review, 150 manual. `done`: after the batch, of which 3 failed. */
export function madeMigration(done: boolean, changes: Partial<ChecklistFacts> = {}): ChecklistFacts {
  const instances: InstanceCounts = {
    total: 2341,
    pending: done ? 462 : 2341,
    inProgress: 0,
    completed: done ? 1876 : 0,
    skipped: 0,
    failed: done ? 3 : 0,
    autoFixed: done ? 1876 : 0,
    toVerify: 0,
    byHand: 0,
    flagged: 0,
    settled: 0,
    notAsked: 0,
    open: { auto: done ? 0 : 1879, review: 312, manual: 150 },
    byType: madeTypes({
      literal: [1245, 0, 0],
      strsubstno: [634, 0, 0],
      text_constant: [0, 312, 0],
      function_call: [0, 0, 98],
      other: [0, 0, 52],
    }),
  };
  return madeFacts({
    run: "wf-error-to-errorinfo-migration-2024-01-11-abc123",
    workflow: {
      type: "error-to-errorinfo-migration",
      name: "Error to ErrorInfo Migration",
      description: "Convert all Error() calls to the ErrorInfo pattern",
      specialist: "eva-errors",
    },
    specialist: "eva-errors",
    phases: madePhases("inventory", "scan", "batch_auto", "manual_review", "verification", "summary"),
    phase: "batch_auto",
    files: madeFiles({
      total: 847,
      completed: done ? 623 : 224,
      inProgress: 0,
      withMatches: 623,
      changed: done ? 621 : 0,
      byType: { Codeunit: 312, Page: 245, Table: 89, Report: 112, Query: 89 },
    }),
    instances,
    ...changes,
  });
}

/** A row of a worklist; what stands in `data` can also be read from a scan or a report. */
export function madeItem(list: string, id: string, data: JsonObject, changes: Partial<Item> = {}): Item {
  return { list, id, order: id, status: "pending", data, facets: {}, root: changes.parent ?? id, attempts: 0, waitsFor: 0, ...changes };
}

export interface MadeLists {
  readonly files?: readonly Item[];
  readonly below?: readonly Item[];
  readonly findings?: readonly Item[];
  readonly changes?: readonly Item[];
}

export function madeRows({ files = [], below = [], findings = [], changes = [] }: MadeLists): ChecklistRows {
  return {
    files: () => each(files),
    rowsUnder: (file) => each(below.filter(({ parent }) => parent === file)),
    called: () => [],
    findings: () => each(findings),
    changes: () => each(changes),
  };
}

async function* each(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}
