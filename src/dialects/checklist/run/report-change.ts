import { moveTo, newRow, skippedPhase } from "./run-rows.ts";
import { canonicalJson, isObject, type Json, type JsonObject, fieldOf } from "../../../base/index.ts";
import type { Action, ItemMove, ItemsChange, RunState } from "../../../kernel/index.ts";
import type { Item } from "../../../program/index.ts";
import type { EngineContext, Rows } from "../../../engine/index.ts";
import { settleBelow } from "./effects/file-effects.ts";
import { type ChecklistRun, type InRun, roundOf } from "./checklist-run.ts";
import { suggestTopics } from "./knowledge-guides.ts";

export interface Finding {
  readonly file?: string;
  readonly line?: number;
  readonly severity: "info" | "warning" | "error" | "critical";
  readonly category?: string;
  readonly description: string;
  readonly suggestion?: string;
  readonly related_topic?: string;
}

export interface ProposedChange {
  readonly file?: string;
  readonly line_start?: number;
  readonly line_end?: number;
  readonly original_code?: string;
  readonly proposed_code: string;
  readonly rationale?: string;
  readonly impact?: "low" | "medium" | "high";
  readonly auto_applicable?: boolean;
}

/** A part of a report that could not be taken as it was given: its place in the report, and why. */
export interface LeftOut {
  readonly part: string;
  readonly why: string;
}

/** A report that fits what is open. */
export interface CheckedReport {
  readonly status: "completed" | "skipped" | "failed";
  readonly findings: readonly Finding[];
  readonly changes: readonly ProposedChange[];
  readonly topics: readonly { readonly topic: string; readonly relevance: number; readonly description: string }[];
  readonly dropped: readonly { readonly topic: string; readonly why: string }[];
  /** Other parts that were not taken as they were given. */
  readonly leftOut: readonly LeftOut[];
  /** How many topics the agent named. */
  readonly given: number;
  readonly error?: string;
  /** The reported instance was judged a finding. */
  readonly confirmed?: true;
  /** What the agent says of it in its own words. */
  readonly result?: Json;
  readonly flagged: boolean;
  /** Instances that are settled like the reported one, and why. */
  readonly alike: readonly Item[];
  readonly reason: string;
}

interface Reporting {
  readonly action: Action;
  /** Of what is added to an entry before its report: its place among all that was added. */
  readonly part?: string;
  readonly request: CheckedReport;
  readonly counts: RunState["lists"];
}

type ReportedIn = Pick<InRun, "context" | "run">;

/** Rows that come of a report: findings, proposed changes, topics below the file, and what a failure settles. */
export async function reportChange(place: ReportedIn, rows: Rows, reporting: Reporting): Promise<ItemsChange> {
  const { action, request, part = "" } = reporting;
  const { lists } = place.run;
  const item = action.args["item"];
  const about = action.what === "check" && isObject(item) ? item : undefined;
  const findings = findingRows(place, reporting);
  const changes = request.changes.map((change, at) =>
    plainRow(place, lists.changes, {
      of: `c-${action.id}`,
      at: `${part}-${at}`,
      data: { file: fieldOf(item, "file"), ...change },
      facets: { auto: change.auto_applicable === true ? "yes" : "no", impact: change.impact ?? "low" },
      status: "pending",
    }),
  );
  const blocks = request.status === "failed" && about !== undefined && about["kind"] !== "instance" && about["required"] !== false;
  const topics = about === undefined || blocks ? [] : await topicRows(place, rows, { file: fieldOf(item, "file"), request, item: about });
  const row = about === undefined ? undefined : await rows.read(lists.files, fieldOf(item, "id"));
  const reason = `the file is blocked: ${request.error ?? "an entry failed"}`;
  const { moves: settled = [] } = blocks ? await settleBelow(rows, lists.files, fieldOf(item, "file"), reason) : {};
  return {
    add: [
      { list: lists.findings, items: await withoutRepeated(place.run, rows, await unknown(rows, findings)) },
      { list: lists.changes, items: await withoutRepeated(place.run, rows, await unknown(rows, changes)) },
      { list: lists.files, items: topics },
    ],
    moves: [
      ...settled,
      ...(row === undefined ? [] : [touched(row, request, findings.length)]),
      ...(await alikeMoves(rows, lists.files, request)),
    ],
    count: { ...countsFor(about, request, topics), ...(request.status === "skipped" ? phaseCount(place.run, action) : {}) },
  };
}

/** A failure as a finding, until it is tried again. */
export function failureFinding(file: string, error = "It failed."): JsonObject & Finding {
  return { file, severity: "error", category: "blocked", description: error };
}

/** What the agent found, and a failure as a finding of its own. */
function findingRows(place: ReportedIn, { action, request, counts, part = "" }: Reporting): readonly Item[] {
  const { run } = place;
  const file = fieldOf(action.args["item"], "file");
  const failed: Finding[] = request.status === "failed" && action.what === "check" ? [failureFinding(file, request.error)] : [];
  const tenth = tenthOf(counts, run.lists.files);
  return [...request.findings, ...failed].map((finding, at) =>
    plainRow(place, run.lists.findings, {
      of: `f-${action.id}`,
      at: `${part}-${at}`,
      data: { file, ...finding },
      facets: { severity: finding.severity, category: finding.category ?? "general", tenth },
      status: "completed",
    }),
  );
}

/** Rows that are not there yet, each once. */
async function unknown(rows: Rows, items: readonly Item[]): Promise<readonly Item[]> {
  const fresh = new Map<string, Item>();
  for (const item of items) if (!fresh.has(item.id) && (await rows.read(item.list, item.id)) === undefined) fresh.set(item.id, item);
  return [...fresh.values()];
}

const mostRows = 100_000;

/** Rows without those that an earlier round added word for word: what is found again is counted once. */
async function withoutRepeated({ raw }: ChecklistRun, rows: Rows, items: readonly Item[]): Promise<readonly Item[]> {
  if (roundOf(raw) === undefined) return items;
  const left: Item[] = [];
  for (const item of items) {
    const { tenth: _tenth, ...facets } = item.facets;
    const alike = await rows.select({ list: item.list, query: { facets, status: item.status }, limit: mostRows });
    const text = canonicalJson(item.data);
    if (!alike.some(({ data }) => canonicalJson(data) === text)) left.push(item);
  }
  return left;
}

async function alikeMoves(rows: Rows, list: string, { alike, reason }: CheckedReport): Promise<readonly ItemMove[]> {
  const moves: ItemMove[] = [];
  for (const { id } of alike) {
    const other = await rows.read(list, id);
    if (other?.status === "pending") moves.push(moveTo(other, "skipped", { reason }));
  }
  return moves;
}

/** A phase that the agent passes over as a whole. */
function phaseCount({ definition, lists }: ChecklistRun, { what, args }: Action): Record<string, number> {
  const batch = definition.phases.find(({ role }) => role === "batch")?.id;
  const phase = what === "run_phase" ? fieldOf(args, "phase") : what === "batch_apply" ? (batch ?? "") : "";
  return phase === "" ? {} : { [skippedPhase(lists.files, phase)]: 1 };
}

function countsFor(item: JsonObject | undefined, request: CheckedReport, topics: readonly Item[]): Record<string, number> {
  const analysis = item?.["type"] === "analysis" && request.status === "completed";
  const byAgent = topics.filter((topic) => isObject(topic.data) && topic.data["by_agent"] === true).length;
  return {
    reported: 1,
    ...(analysis ? { analyses: 1, ...(request.given > 0 ? { analyses_with_topics: 1 } : {}) } : {}),
    ...(topics.length === 0 ? {} : { topics_suggested: topics.length, topics_by_agent: byAgent }),
  };
}

/** The current row keeps what was said about it; its step settles it. */
function touched(row: Item, request: CheckedReport, findings: number): ItemMove {
  const flag = request.flagged ? { newFacets: { ...row.facets, flag: "yes" }, label: "flagged" } : {};
  const verdict = request.confirmed === true ? { newFacets: { ...row.facets, verdict: "confirmed" }, label: "confirmed" } : {};
  const said = request.result === undefined ? {} : { said: request.result };
  const result = { status: request.status, findings, changes: request.changes.length, ...said };
  return moveTo(row, row.status, { result, ...flag, ...verdict });
}

/** Topics come before the validation of the file. Those the file itself calls for are added whether or not the agent named them. */
async function topicRows(
  { context, run }: ReportedIn,
  rows: Rows,
  { file, request, item }: { readonly file: string; readonly request: CheckedReport; readonly item: JsonObject },
): Promise<readonly Item[]> {
  const { definition, lists } = run;
  const named = request.topics.map((topic) => ({ ...topic, byAgent: true }));
  const analysed =
    item["type"] === "analysis" && request.status === "completed" && definition.topics.enabled && definition.topics.autoExpand;
  const own = analysed ? await suggested(context, run, file) : [];
  const wanted = [...named, ...own.filter((topic) => !named.some((other) => other.topic === topic.topic))];
  if (wanted.length === 0) return [];
  const parent = await rows.read(lists.files, file);
  const below = await rows.below(lists.files, file);
  const known = new Set(below.map((row) => (isObject(row.data) ? row.data["topic_id"] : undefined)));
  const review = definition.phases.filter(({ role }) => role === "review");
  const phase = (review.find(({ availableActions }) => availableActions.includes("apply_topic")) ?? review.at(-1))?.id ?? "";
  let place = below.filter((row) => row.facets["kind"] === "topic").length;
  return wanted
    .filter(({ topic }, at) => !known.has(topic) && wanted.findIndex((other) => other.topic === topic) === at)
    .map((topic) => {
      place += 1;
      const id = `${file}#topic:${topic.topic}`;
      return newRow({
        list: lists.files,
        id,
        order: `${parent?.order ?? "1"}.t${String(5_000_000 + place)}`,
        status: "pending",
        data: {
          kind: "topic",
          id,
          file,
          entry: `topic-${topic.topic.split("/").at(-1) ?? topic.topic}`,
          type: "topic_application",
          description: `Apply topic: ${topic.description}`,
          by: "agent",
          phase,
          required: true,
          topic_id: topic.topic,
          relevance: topic.relevance,
          by_agent: topic.byAgent,
        },
        facets: { kind: "topic", phase, stage: fieldOf(item, "stage") },
        parent: file,
      });
    });
}

async function suggested(
  context: EngineContext,
  { definition }: ChecklistRun,
  file: string,
): Promise<readonly { topic: string; relevance: number; description: string; byAgent: boolean }[]> {
  const read = await context.workspace.readText(context.host.workspace, file);
  if (read === undefined) return [];
  const topics = await suggestTopics(context.knowledge, { path: file, text: read.text, tool: definition.topics.tool });
  return topics
    .filter((topic) => topic.relevance >= definition.topics.minRelevance)
    .map((topic) => ({ topic: topic.id, relevance: topic.relevance, description: topic.title, byAgent: false }));
}

interface PlainRow extends Pick<Item, "facets" | "status"> {
  readonly data: object;
  /** The entry that it was said of, and its place among all that was said of it. */
  readonly of: string;
  readonly at: string;
}

/** A row is named after its entry and what it says: the same said again about one entry is the same row. */
function plainRow({ context }: ReportedIn, list: string, { of, at, data, facets, status }: PlainRow): Item {
  const id = `${of}-${context.host.sha256(canonicalJson(data)).slice(0, 16)}`;
  const order = `${of}${at}`.replace(/\d+/g, (digits) => digits.padStart(9, "0"));
  return newRow({ list, id, order, status, data: data as JsonObject, facets });
}

/** In which tenth of the files a finding was made: shows whether all files are looked at with the same care. */
function tenthOf(counts: RunState["lists"], list: string): string {
  const files = counts[list]?.facets["kind=file"];
  if (files === undefined) return "0";
  const settled = files.completed + files.skipped + files.failed;
  const total = settled + files.pending + files.in_progress;
  return String(Math.min(9, Math.floor((settled / Math.max(1, total)) * 10)));
}
