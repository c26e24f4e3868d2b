import type { ItemSelection } from "../../../ports/index.ts";
import { isObject, type Json, isList, textOf, type JsonObject } from "../../../base/index.ts";
import type { CalledFacts, ChecklistFacts, FileCounts, InstanceCounts, TypeCounts, UpgradeFacts } from "../definition/index.ts";
import type { RunState, ItemMove } from "../../../kernel/index.ts";
import type { ItemStatus, Item } from "../../../program/index.ts";
import type { RunHandle } from "../../../engine/index.ts";
import { calledRuns, type ChecklistRun } from "./checklist-run.ts";

export type ByStatus = Readonly<Record<ItemStatus, number>>;
export const none: ByStatus = { pending: 0, in_progress: 0, completed: 0, skipped: 0, failed: 0 };

export function countsOf(state: RunState, list: string): (facet: string) => ByStatus {
  return (facet) => state.lists[list]?.facets[facet] ?? none;
}

export function sum(by: ByStatus): number {
  return by.pending + by.in_progress + by.completed + by.skipped + by.failed;
}

/** Every value that rows of the list have of a facet. */
export function facetValues({ lists }: RunState, list: string, facet: string): string[] {
  return Object.keys(lists[list]?.facets ?? {})
    .filter((key) => key.startsWith(`${facet}=`))
    .map((key) => key.slice(facet.length + 1));
}

/** Value of the facet `done` of a file of which every entry was skipped. */
export const passedOver = "none";

/** Counter of rows of a kind that were open when the run was completed before its end. */
export function notAskedCount(list: string, kind: "file" | "instance"): string {
  return `not_asked:${list}:${kind}`;
}

/** Counter of a phase that was reported as skipped. */
export function skippedPhase(list: string, phase: string): string {
  return `skipped_phase:${list}:${phase}`;
}

export function fileCounts(state: RunState, { lists, raw }: ChecklistRun): FileCounts {
  const counts = countsOf(state, lists.files);
  const files = counts("kind=file");
  const inventory = isObject(raw["inventory"]) ? raw["inventory"] : {};
  const fresh = isObject(raw["fresh"]) ? raw["fresh"] : {};
  const number = (value: Json | undefined): number => (typeof value === "number" ? value : 0);
  // Their step calls them completed; the next look at all files makes them skipped.
  const passed = counts(`done=${passedOver}`).completed;
  const skipped = files.skipped + passed;
  const total = Math.max(sum(files), sumOf(raw["scan"]).done ? 0 : number(inventory["total"]));
  return {
    total,
    pending: total - files.in_progress - files.completed - files.skipped - files.failed,
    inProgress: files.in_progress,
    completed: files.completed - passed,
    skipped,
    blocked: files.failed,
    outOfScope: number(fresh["out_of_scope"] ?? inventory["out_of_scope"]),
    withMatches: sum(counts("match=yes")),
    scanned: sum(counts("match=yes")) + sum(counts("match=no")),
    notAsked: Math.min(skipped, state.counters[notAskedCount(lists.files, "file")] ?? 0),
    given: settled(counts("done=given_file")),
    byType: Object.fromEntries(facetValues(state, lists.files, "object").map((type) => [type, sum(counts(`object=${type}`))])),
    changed: sum(counts("changed=yes")),
  };
}

export function instanceCounts(state: RunState, list: string, judged?: true): InstanceCounts {
  const counts = countsOf(state, list);
  const confirmed = counts("verdict=confirmed");
  const all = counts("kind=instance");
  const open = (fix: string): number => counts(`fix=${fix}`).pending + counts(`fix=${fix}`).in_progress;
  const toVerify = counts("verify=waiting").completed;
  const byType: Record<string, TypeCounts> = {};
  for (const seed of facetValues(state, list, "seed")) {
    const types = facetValues(state, list, "seedtype").filter((key) => key.startsWith(`${seed}|`));
    byType[seed] = {
      count: sum(counts(`seed=${seed}`)),
      auto: sum(counts(`seedfix=${seed}|auto`)),
      review: sum(counts(`seedfix=${seed}|review`)),
      manual: sum(counts(`seedfix=${seed}|manual`)),
      types: Object.fromEntries(types.map((key) => [key.slice(seed.length + 1), sum(counts(`seedtype=${key}`))])),
    };
  }
  return {
    total: sum(all),
    pending: all.pending,
    inProgress: all.in_progress,
    completed: all.completed - toVerify,
    toVerify,
    skipped: all.skipped,
    given: settled(counts("done=given_instance")),
    failed: all.failed,
    autoFixed: counts("done=auto").completed,
    byHand: counts("done=hand").completed,
    flagged: sum(counts("flag=yes")),
    settled: counts("settled=engine").skipped,
    suppressed: suppressedCount(state, list),
    ...(judged === true ? { judged: { confirmed: sum(confirmed), dismissed: all.skipped - confirmed.skipped } } : {}),
    notAsked: Math.min(all.skipped, state.counters[notAskedCount(list, "instance")] ?? 0),
    open: { auto: open("auto"), review: open("review"), manual: open("manual") },
    byType,
  };
}

/** Each file that has some says how many. */
function suppressedCount(state: RunState, list: string): number {
  const counts = countsOf(state, list);
  return facetValues(state, list, "suppressed").reduce((all, number) => all + Number(number) * sum(counts(`suppressed=${number}`)), 0);
}

/** Topics of every list, for suggestions are counted for the whole run. */
export function topicCounts(state: RunState, lists: readonly string[]): ChecklistFacts["topics"] {
  const topics = lists.map((list) => countsOf(state, list)("kind=topic"));
  const total = (of: (by: ByStatus) => number): number => topics.reduce((all, by) => all + of(by), 0);
  return {
    applied: total((by) => by.completed),
    pending: total((by) => by.pending + by.in_progress),
    skipped: total((by) => by.skipped),
    failed: total((by) => by.failed),
    suggested: state.counters["topics_suggested"] ?? 0,
    byAgent: state.counters["topics_by_agent"] ?? 0,
  };
}

export function entryCounts(state: RunState, list: string): ChecklistFacts["entries"] {
  const counts = countsOf(state, list);
  const by = counts("kind=entry");
  return { total: sum(by), by, given: settled(counts("done=given_entry")) };
}

function settled({ completed, skipped }: ByStatus): number {
  return completed + skipped;
}

/** Files that a second scan is about: those that changed, and those that should have and are blocked as they were. */
export function rescannedOf(state: RunState, list: string): number {
  const counts = countsOf(state, list);
  const changed = counts("changed=yes");
  return sum(changed) + counts("kind=file").failed - changed.failed;
}

/** Instances of kinds that were converted and that are not settled: what a second scan still finds of them. */
export function remainingOf(state: RunState, list: string): number {
  const counts = countsOf(state, list);
  return facetValues(state, list, "type")
    .map((type) => counts(`type=${type}`))
    .reduce((all, by) => all + (by.completed === 0 ? 0 : by.pending + by.in_progress + by.failed), 0);
}

/** Counts of the workflows that the run calls. One that has not begun has no files yet. */
export function calledFacts(handle: RunHandle): readonly CalledFacts[] {
  const { state } = handle;
  return calledRuns(handle).map((run): CalledFacts => {
    const { definition, lists } = run;
    const { type, name, patterns } = definition;
    const files = fileCounts(state, run);
    const open = files.pending + files.inProgress > 0;
    const ended = state.status !== "running";
    const status = !run.begun ? (ended ? "skipped" : "pending") : !ended && (run.atWork || open) ? "in_progress" : "completed";
    const instances = patterns.enabled ? { instances: instanceCounts(state, lists.files, patterns.judged) } : {};
    return { type, name, status, files, ...instances, entries: entryCounts(state, lists.files) };
  });
}

/** Version steps with their guides and how far each is. */
export function upgradeFacts({ state }: RunHandle, { lists, raw }: ChecklistRun): UpgradeFacts | undefined {
  const found = raw["guides"];
  if (!isObject(found)) return undefined;
  const counts = countsOf(state, lists.files);
  const total = (key: string): number => sum(counts(key));
  const open = (key: string): number => counts(key).pending + counts(key).in_progress;
  const guides = (isList(found["guides"]) ? found["guides"] : []).flatMap((guide) =>
    isObject(guide)
      ? [{ id: textOf(guide["id"]), title: textOf(guide["title"]), step: textOf(guide["step"]), patterns: Number(guide["patterns"] ?? 0) }]
      : [],
  );
  const texts = (value: Json | undefined): string[] => (isList(value) ? value.map(String) : []);
  const byStep = sumOf(raw["scan"]).files_by_step;
  const steps = texts(found["steps"]).map((step) => ({
    step,
    guides: guides
      .filter((guide) => guide.step === step)
      .map(({ id, title, patterns }) => ({
        id,
        title,
        patterns,
        instances: total(`guide=${id}`),
        done: total(`guide=${id}`) - open(`guide=${id}`),
      })),
    instances: total(`step=${step}`),
    files: byStep[step] ?? 0,
    auto: total(`stepdone=${step}|auto`),
    byHand: total(`stepdone=${step}|hand`),
    skipped: counts(`step=${step}`).skipped,
    open: open(`step=${step}`),
  }));
  const current = steps.find((step) => step.open > 0)?.step;
  const completed = steps.flatMap((step) => step.guides).filter((guide) => guide.done >= guide.instances).length;
  return {
    source: textOf(found["source"] ?? ""),
    target: textOf(found["target"] ?? ""),
    ...(current === undefined ? {} : { currentStep: current }),
    steps,
    guidesTotal: guides.length,
    guidesCompleted: completed,
    withoutGuide: texts(found["without_guide"]),
  };
}

/** What was seen so far; the next chunk continues here. */
export interface ScanSum {
  readonly cursor: number;
  readonly done: boolean;
  readonly total: number;
  readonly with_matches: number;
  readonly instances: number;
  /** Files that have at least one instance of this kind. */
  readonly files_by_fix: Readonly<Record<string, number>>;
  readonly files_by_step: Readonly<Record<string, number>>;
  readonly problems: Readonly<Record<string, number>>;
}

export function sumOf(value: unknown): ScanSum {
  const held = isObject(value) ? (value as Partial<ScanSum> & JsonObject) : {};
  const number = (name: keyof ScanSum): number => (typeof held[name] === "number" ? held[name] : 0);
  const counts = (name: keyof ScanSum): Record<string, number> =>
    isObject(held[name]) ? (held[name] as unknown as Record<string, number>) : {};
  return {
    cursor: number("cursor"),
    done: held["done"] === true,
    total: number("total"),
    with_matches: number("with_matches"),
    instances: number("instances"),
    files_by_fix: counts("files_by_fix"),
    files_by_step: counts("files_by_step"),
    problems: counts("problems"),
  };
}

/** A row that nobody has worked on. */
export function newRow(row: Omit<Item, "root" | "attempts" | "waitsFor">): Item {
  return { ...row, root: row.parent ?? row.id, attempts: 0, waitsFor: 0 };
}

/** A row with another status, or with the same one and something else. */
export function moveTo({ list, id, status, facets, root }: Item, to: ItemStatus, more: Partial<ItemMove> = {}): ItemMove {
  return { list, id, from: status, to, facets, root, ...more };
}

/** Not done yet, whether or not someone works on it. */
export function isOpen({ status }: Pick<Item, "status">): boolean {
  return status === "pending" || status === "in_progress";
}

/** A file that was settled is open again when something below it is. */
export function reopenedFile(file: Item | undefined, reason: string): ItemMove[] {
  return file === undefined || isOpen(file) ? [] : [moveTo(file, "pending", { reason })];
}

/** All rows of a selection, a page at a time. */
export async function* inPages(
  select: (part: Pick<ItemSelection, "limit" | "after">) => Promise<readonly Item[]>,
  limit: number,
): AsyncGenerator<Item, void, undefined> {
  let after: string | undefined;
  for (;;) {
    const rows = await select({ limit, ...(after === undefined ? {} : { after }) });
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return;
    after = last.order;
  }
}

export function groupBy<T>(values: readonly T[], key: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const held = groups.get(key(value));
    if (held === undefined) groups.set(key(value), [value]);
    else held.push(value);
  }
  return groups;
}
