import { defined, type JsonObject } from "../../../base/index.ts";
import type { ChecklistDefinition, EntryDefinition } from "../definition/index.ts";
import type { FileScan, Instance } from "../../../ports/index.ts";
import type { Item, ItemStatus } from "../../../program/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import { newRow } from "./run-rows.ts";

/** Rows of one file: the file itself, its entries and its instances. Files with nothing left to do are settled at once. */
export interface RowsRequest {
  readonly definition: ChecklistDefinition;
  readonly stages: Readonly<Record<string, number>>;
  readonly list: string;
  readonly scan: FileScan;
  readonly priority: number;
  /** Place among all files, from 0. */
  readonly index: number;
  /** Entries whose conditions hold for this file. */
  readonly entries: readonly EntryDefinition[];
  /** Ids for instances, already made: they depend on path, pattern, text and place among equals. */
  readonly ids: readonly string[];
  /** The file was looked for patterns. */
  readonly scanned: boolean;
}

/** How the reasons of entries begin whose file could not be read. */
export const notRead = "the file was not read: ";

const unreadable: ReadonlySet<string> = new Set(["SCAN_BINARY", "WORKSPACE_FILE_EXHAUSTED"]);

/** Why nothing can be said about what the file holds; undefined when it was looked through. */
export function whyUnread({ hash, problems }: Pick<FileScan, "hash" | "problems">): string | undefined {
  const problem = hash === undefined ? problems[0] : problems.find(({ code }) => unreadable.has(code));
  return problem?.message ?? (hash === undefined ? "The file is gone." : undefined);
}

export function fileRows(request: RowsRequest): Item[] {
  const { definition, list, scan, priority, scanned } = request;
  const instances = itemsOf(definition, scan);
  const rows = [
    ...request.entries.map((entry) => entryRow(request, entry, scanned && instances.every(({ nothing }) => nothing !== undefined))),
    ...instances.map((instance, at) =>
      instanceRow({ ...request, order: fileOrder(request) }, instance, request.ids[at] ?? `${scan.path}#${at}`),
    ),
  ];
  const unread = whyUnread(scan);
  const open = rows.some((row) => row.status === "pending");
  const status: ItemStatus = unread !== undefined ? "skipped" : open ? "pending" : "completed";
  const file = newRow({
    list,
    id: scan.path,
    order: fileOrder(request),
    status,
    data: fileData(scan, priority, scanned),
    facets: defined({ kind: "file", match: scanned ? matchOf(scan) : undefined, object: scan.objectType, ...suppressedIn(scan) }),
    ...defined({ reason: unread }),
  });
  if (unread === undefined) return [file, ...rows].map(asGiven);
  const reason = `${notRead}${unread}`;
  return [file, ...rows.map((row) => (row.status === "pending" ? { ...row, status: "skipped" as const, reason } : row))].map(asGiven);
}

/** What is settled from the beginning is marked: nobody worked on it, and progress leaves it out. */
function asGiven(row: Item): Item {
  return row.status === "pending" ? row : { ...row, facets: { ...row.facets, done: `given_${row.facets["kind"] ?? ""}` } };
}

/** Facet of a file that was looked for patterns. */
export function matchOf({ instances }: Pick<FileScan, "instances">): "yes" | "no" {
  return instances.length > 0 ? "yes" : "no";
}

/** What becomes a row of a file: all that tools report, and what patterns find where the workflow asks for it. */
export function itemsOf({ patterns }: ChecklistDefinition, { instances }: Pick<FileScan, "instances">): readonly Instance[] {
  return patterns.createItems ? instances : instances.filter(({ tool }) => tool !== undefined);
}

/**
 * How many places the team has settled in the file, as a facet: files are counted by it, so that no row is read for the sum. Those that a tool
 * left are counted with its look, since other looks at the file know nothing of them.
 */
export function suppressedIn({ suppressed = [] }: Pick<FileScan, "suppressed">): { readonly suppressed?: string } {
  const own = suppressed.filter(({ tool }) => tool === undefined).length;
  return own === 0 ? {} : { suppressed: String(own) };
}

export function fileData(scan: FileScan, priority: number, scanned: boolean): JsonObject {
  const { path, size, hash, objectType: type, language } = scan;
  const problems = scan.problems.length === 0 ? undefined : scan.problems.map(({ code, message }) => ({ code, message }));
  return defined({ kind: "file", id: path, path, size, priority, scanned, hash, type, language, problems });
}

/** Keys of rows below a file begin with its own, so that work across files goes file by file. */
function fileOrder({ priority, index }: Pick<RowsRequest, "priority" | "index">): string {
  return `${priority === 1 ? "0" : "1"}${place(index)}`;
}

/** Sorts like the number. */
function place(index: number): string {
  return String(index).padStart(7, "0");
}

/** Analyses come first, then what the scan found, topics, other checks, and validations last. */
const rank: Readonly<Record<EntryDefinition["type"], string>> = {
  analysis: "a",
  pattern_instance: "m",
  topic_application: "t",
  custom: "u",
  validation: "z",
};

/** `done`: the engine has nothing left to prove for it. */
function entryRow(request: RowsRequest, entry: EntryDefinition, done: boolean): Item {
  const { definition, stages, list, scan, entries } = request;
  const scanEntry = entry.by === "engine" && entry.type === "analysis";
  const settled = entry.by === "engine" && (scanEntry || done);
  const { type, description, by, phase, topic: topic_id } = entry;
  const kind = type === "topic_application" ? "topic" : "entry";
  const id = `${scan.path}#${entry.id}`;
  const required = entry.required && definition.phases.find((each) => each.id === phase)?.required !== false;
  return newRow({
    list,
    id,
    order: `${fileOrder(request)}.${rank[type]}${place(entries.indexOf(entry))}`,
    status: settled ? "completed" : "pending",
    data: defined({ kind, id, file: scan.path, entry: entry.id, type, description, by, phase, required, topic_id }),
    facets: { kind, phase, stage: String(stages[phase] ?? 0) },
    parent: scan.path,
  });
}

export interface InstancePlace extends Pick<RowsRequest, "definition" | "list"> {
  readonly scan: Pick<FileScan, "path" | "hash">;
  /** Order key of the file. */
  readonly order: string;
}

export function instanceRow({ definition, list, scan, order }: InstancePlace, instance: Instance, id: string): Item {
  const { step, guide = "" } = instance;
  // Where instances are grouped by guide, those of one guide come together, in the order of the version steps.
  const group = definition.patterns.groupByGuide && step !== undefined ? `${step}/${guide}/` : "";
  return newRow({
    list,
    id,
    order: `${order}.m${group}${place(instance.line)}.${place(instance.column)}.${id}`,
    status: instance.nothing === undefined ? "pending" : "skipped",
    data: instanceData(definition, scan, instance, id),
    facets: instanceFacets(instance),
    parent: scan.path,
    ...defined({ reason: instance.nothing }),
  });
}

export function instanceData(
  definition: ChecklistDefinition,
  { path, hash }: Pick<FileScan, "path" | "hash">,
  instance: Instance,
  id: string,
): JsonObject {
  const { line, column, endLine, endColumn, start, end, pattern, type, seedType, auto, needs, why, text, action, suggestion } = instance;
  const { procedure, guide, step, section, secret, together } = instance;
  const head = { kind: "instance", id, file: path, by: "agent", phase: reviewPhase(definition), pattern, type, auto };
  const where = { line, column, end_line: endLine, end_column: endColumn, start, end, text };
  const advice = { needs, why, action, suggestion, procedure, guide, step, section, secret, together };
  return defined({ ...head, ...where, seed_type: seedType, ...advice, ...toolData(instance, hash) });
}

/** What a tool said, with its edits and the content that they are for: only the tool can make them again. */
function toolData({ tool, rule, severity, message, help, edits }: Instance, hash: string | undefined): JsonObject {
  if (tool === undefined) return {};
  const bound = edits === undefined ? {} : { edits: edits.map((edit) => ({ ...edit })) };
  return defined({ tool, rule, severity, message, help, hash, ...bound });
}

/** Phase in which an agent deals with instances. */
export function reviewPhase(definition: ChecklistDefinition): string {
  return definition.phases.findLast((phase) => phase.role === "review")?.id ?? definition.phases.at(-1)?.id ?? "";
}

/** Facet `settled` of an instance that is certainly nothing: the engine settled it, with its reason. */
export const byEngine = "engine";

/** What an instance needs. */
export function fixOf({ auto, needs }: Pick<Instance, "auto" | "needs">): "auto" | "review" | "manual" {
  return auto ? "auto" : (needs ?? "manual");
}

export function instanceFacets(
  instance: Pick<Instance, "type" | "seedType" | "auto" | "needs" | "nothing" | "pattern" | "guide" | "step" | "tool">,
): Record<string, string> {
  const settled = instance.nothing === undefined ? undefined : byEngine;
  const fix = settled === undefined ? fixOf(instance) : "nothing";
  const seed = instance.seedType ?? instance.type;
  const { type, pattern, guide, step, tool } = instance;
  const stepfix = step === undefined ? undefined : `${step}|${fix}`;
  return defined({
    kind: "instance",
    type,
    seed,
    fix,
    pattern,
    seedfix: `${seed}|${fix}`,
    seedtype: `${seed}|${type}`,
    guide,
    step,
    stepfix,
    settled,
    tool,
  });
}

/** Stays the same when the instance moves; two of the same text in one file differ by their place among equals. */
export function instanceId({ host }: EngineContext, path: string, instance: Pick<Instance, "pattern" | "text">, ordinal: number): string {
  return `i${host.sha256([path, instance.pattern, instance.text.replace(/\s+/g, " "), ordinal].join("\0")).slice(0, 12)}`;
}

/** Label of a file that was given up with a reason: it stays so, also when it changes. */
export const givenUp = "given_up";

/** How the reason of a file begins of which every entry was skipped. */
export const everySkipped = "every entry was skipped";

/** Reason of what was open when a run was completed whose rules do not ask for everything. */
export const notAsked = "the workflow was completed before; its rules do not ask for it";

/** A skipped file that someone decided to leave; others were skipped because they could not be read. */
export function isLeft({ status, reason = "" }: Pick<Item, "status" | "reason">): boolean {
  return status === "skipped" && (reason === notAsked || reason.startsWith(everySkipped));
}
