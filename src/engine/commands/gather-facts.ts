import { defined, isList, isObject, textOf, type Json } from "../../base/index.ts";
import type {
  BehaviourFacts,
  ChecklistFacts,
  ChecklistRows,
  FileCounts,
  InstanceCounts,
  PhaseFacts,
  TypeCounts,
  VerificationFacts,
} from "../../dialects/index.ts";
import { mainStrand, type RunState } from "../../kernel/index.ts";
import type { Item, ItemQuery, ItemStatus } from "../../program/index.ts";
import { requireChecklist, type ChecklistRun } from "../checklist/checklist-run.ts";
import { upgradeFacts } from "../checklist/upgrade-facts.ts";
import type { EngineContext } from "../context.ts";
import type { RunHandle } from "../run-cache.ts";
import { batches } from "./batch.ts";

type ByStatus = Readonly<Record<ItemStatus, number>>;
const none: ByStatus = { pending: 0, in_progress: 0, completed: 0, skipped: 0, failed: 0 };

/** What views of a checklist run are made from. Counts come from the kernel's state; no row is read for them. */
export async function gatherFacts(context: EngineContext, runId: string): Promise<ChecklistFacts> {
  const handle = await context.runs.open(runId);
  const run = requireChecklist(handle);
  const { definition, lists, raw, inputs } = run;
  const { state } = handle;
  const row = await context.store.readRun(handle.id);
  const entries = countsOf(state, lists.files)("kind=entry");
  const phases = phasesOf(handle, run);
  const blocked = await blockedFacts(context, handle, run);
  const phase = phases.find((each) => each.status === "in_progress") ?? phases.findLast((each) => each.status === "completed") ?? phases[0];
  const ofPhase = definition.phases.find((each) => each.id === phase?.id);
  const { type, name, description } = definition;
  return defined({
    run: handle.id,
    workflow: defined({ type, name, description, specialist: definition.specialist }),
    status: statusOf(handle, blocked !== undefined, run),
    paused: false,
    stage: stageOf(handle),
    createdAt: row?.createdAt ?? state.startedAt,
    updatedAt: row?.updatedAt ?? state.startedAt,
    endedAt: state.endedAt,
    now: await context.store.now(),
    phases,
    phase: phase?.id ?? "",
    glob: definition.filePatterns,
    files: fileCounts(state, run),
    instances: definition.patterns.enabled ? instanceCounts(state, lists.files) : undefined,
    entries: { total: sum(entries), by: entries },
    topics: topicCounts(state, lists.files),
    findings: findingCounts(state, lists.findings),
    changes: changeCounts(state, lists.changes),
    batches: await batchFacts(context, handle.id),
    upgrade: upgradeFacts(handle, run),
    behaviour: behaviour(state, lists.findings),
    inHand: inHand(state, lists.files),
    specialist: ofPhase?.specialist ?? definition.patterns.specialist ?? definition.specialist,
    nextSpecialist: definition.phases
      .slice(phases.findIndex((each) => each.id === phase?.id) + 1)
      .find((each) => each.specialist !== undefined)?.specialist,
    blocked,
    verification: verificationFacts(raw["verification"]),
    options: { ...run.options, scope: inputs["scope"] ?? "workspace", path: inputs["path"] ?? "" },
  });
}

function topicCounts(state: RunState, list: string): ChecklistFacts["topics"] {
  const topics = countsOf(state, list)("kind=topic");
  return {
    applied: topics.completed,
    pending: topics.pending + topics.in_progress,
    skipped: topics.skipped + topics.failed,
    suggested: state.counters["topics_suggested"] ?? 0,
    byAgent: state.counters["topics_by_agent"] ?? 0,
  };
}

function findingCounts(state: RunState, list: string): ChecklistFacts["findings"] {
  const count = (severity: string): number => sum(countsOf(state, list)(`severity=${severity}`));
  const bySeverity = { critical: count("critical"), error: count("error"), warning: count("warning"), info: count("info") };
  return { total: state.lists[list]?.total ?? 0, bySeverity };
}

function changeCounts(state: RunState, list: string): ChecklistFacts["changes"] {
  const { completed, failed, pending } = state.lists[list]?.by ?? none;
  return {
    total: state.lists[list]?.total ?? 0,
    applied: completed,
    failed,
    pending,
    autoApplicable: countsOf(state, list)("auto=yes").pending,
  };
}

async function batchFacts(context: EngineContext, run: string): Promise<ChecklistFacts["batches"]> {
  return (await batches(context, run)).map(({ id, record }) =>
    defined({
      id,
      operation: record.operation,
      at: record.at,
      previewed: record.previewed,
      modified: record.modified,
      failed: record.failed,
      leftOut: record.left_out,
      files: record.files_modified,
      undone: record.undone,
      remaining: record.operation === "apply_fixes" ? record.remaining : undefined,
    }),
  );
}

function countsOf(state: RunState, list: string): (facet: string) => ByStatus {
  return (facet) => state.lists[list]?.facets[facet] ?? none;
}

function sum(by: ByStatus): number {
  return by.pending + by.in_progress + by.completed + by.skipped + by.failed;
}

function values(state: RunState, list: string, facet: string): string[] {
  return Object.keys(state.lists[list]?.facets ?? {})
    .filter((key) => key.startsWith(`${facet}=`))
    .map((key) => key.slice(facet.length + 1));
}

function fileCounts(state: RunState, { lists, raw }: ChecklistRun): FileCounts {
  const counts = countsOf(state, lists.files);
  const files = counts("kind=file");
  const inventory = isObject(raw["inventory"]) ? raw["inventory"] : {};
  const number = (value: Json | undefined): number => (typeof value === "number" ? value : 0);
  const total = Math.max(sum(files), isObject(raw["scan"]) && raw["scan"]["done"] === true ? 0 : number(inventory["total"]));
  return {
    total,
    pending: total - files.in_progress - files.completed - files.skipped - files.failed,
    inProgress: files.in_progress,
    completed: files.completed,
    skipped: files.skipped,
    blocked: files.failed,
    outOfScope: number(inventory["out_of_scope"]),
    withMatches: sum(counts("match=yes")),
    byType: Object.fromEntries(values(state, lists.files, "object").map((type) => [type, sum(counts(`object=${type}`))])),
    changed: 0,
  };
}

function instanceCounts(state: RunState, list: string): InstanceCounts {
  const counts = countsOf(state, list);
  const all = counts("kind=instance");
  const open = (fix: string): number => counts(`fix=${fix}`).pending + counts(`fix=${fix}`).in_progress;
  const byType: Record<string, TypeCounts> = {};
  for (const seed of values(state, list, "seed")) {
    const types = values(state, list, "seedtype").filter((key) => key.startsWith(`${seed}|`));
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
    completed: all.completed,
    skipped: all.skipped,
    failed: all.failed,
    autoFixed: counts("done=auto").completed,
    byHand: counts("done=hand").completed,
    flagged: sum(counts("flag=yes")),
    open: { auto: open("auto"), review: open("review"), manual: open("manual") },
    byType,
  };
}

/** The phase that a block of the main strand carries is the one in progress; those before it are completed. */
function phasesOf({ program, state }: RunHandle, { definition, raw }: ChecklistRun): readonly PhaseFacts[] {
  const frames = state.strands[mainStrand]?.frames ?? [];
  const label = frames.map((frame) => program.blocks[frame.block]?.label).findLast((each) => each?.kind === "phase")?.text;
  const inHand = phaseInHand(state);
  const scanned = isObject(raw["scan"]) && raw["scan"]["done"] === true;
  const between = scanned ? definition.phases.find((phase) => phase.role === "review" || phase.role === "batch") : definition.phases[0];
  const current = definition.phases.findIndex((phase) => phase.id === (inHand ?? label ?? between?.id));
  const over = state.status !== "running";
  const approach = raw["approach"];
  return definition.phases.map(({ id, name, mode, required, role }, index) => {
    const skipped = role === "batch" && typeof approach === "string" && approach !== "apply_auto_first";
    const before = over ? state.status === "completed" : current < 0 ? false : index < current;
    const status =
      skipped && (before || index < current) ? "skipped" : before ? "completed" : index === current && !over ? "in_progress" : "pending";
    return { id, name, mode, required, status };
  });
}

function phaseInHand(state: RunState): string | undefined {
  const items = Object.values(state.actions).flatMap((action) =>
    action.what === "check" && isObject(action.args["item"]) ? [action.args["item"]] : [],
  );
  const phase = items.at(-1)?.["phase"];
  return typeof phase === "string" && phase !== "" ? phase : undefined;
}

function statusOf({ state }: RunHandle, blocked: boolean, run: ChecklistRun): ChecklistFacts["status"] {
  if (state.status !== "running") return state.status;
  if (blocked) return "blocked";
  return isObject(run.raw["scan"]) && run.raw["scan"]["done"] === true ? "in_progress" : "initializing";
}

function stageOf({ state }: RunHandle): ChecklistFacts["stage"] {
  const waits = state.strands[mainStrand]?.waits;
  if (waits?.on === "decision" && state.decisions[waits.id]?.step === "approach") return "analysis_complete";
  if (waits?.on === "action" && state.actions[waits.id]?.what === "complete_workflow") return "ready_for_completion";
  return undefined;
}

async function blockedFacts({ store }: EngineContext, handle: RunHandle, { lists }: ChecklistRun): Promise<ChecklistFacts["blocked"]> {
  const { state } = handle;
  const strand = Object.values(state.strands).find((each) => each.status === "blocked");
  const files = state.lists[lists.files]?.facets["kind=file"] ?? none;
  const allFailed = files.failed > 0 && files.completed + files.pending + files.in_progress + files.skipped === 0;
  if (strand?.blocked === undefined && !allFailed) return undefined;
  const rows = await store.selectItems(handle.id, { list: lists.files, query: { status: "failed", facets: { kind: "file" } }, limit: 50 });
  return {
    reason: strand?.blocked?.reason ?? `${files.failed} files failed, and none is left that could pass.`,
    files: rows.map((row) => row.id),
    ways: [
      "Mend the cause and call workflow_retry",
      "Skip what is blocked with workflow_progress and skip_reason",
      "End the run with workflow_abort",
    ],
  };
}

function behaviour(state: RunState, list: string): BehaviourFacts {
  const refusals = Object.fromEntries(
    Object.entries(state.counters).flatMap(([key, count]) =>
      key.startsWith("refused:") ? [[key.slice("refused:".length), count] as const] : [],
    ),
  );
  const open = Object.values(state.actions).filter((action) => action.what === "check").length;
  const reported = state.counters["reported"] ?? 0;
  const findings = countsOf(state, list);
  return {
    handedOut: reported + open,
    reported,
    refused: Object.values(refusals).reduce((total, count) => total + count, 0),
    refusals,
    analyses: state.counters["analyses"] ?? 0,
    analysesWithTopics: state.counters["analyses_with_topics"] ?? 0,
    findingsByTenth: Array.from({ length: 10 }, (_, tenth) => sum(findings(`tenth=${tenth}`))),
  };
}

function inHand(state: RunState, list: string): ChecklistFacts["inHand"] {
  return Object.entries(state.held)
    .filter(([key]) => key.startsWith(`${list}/`))
    .map(([key, { strand }]) => {
      const held = state.strands[strand];
      const waits = held?.waits?.on === "action" ? state.actions[held.waits.id] : undefined;
      const holder = held?.holder?.name;
      return {
        file: key.slice(list.length + 1),
        ...(holder === undefined ? {} : { holder }),
        ...(waits === undefined ? {} : { item: waits.step }),
      };
    })
    .toReversed();
}

function verificationFacts(value: Json | undefined): VerificationFacts | undefined {
  if (!isObject(value)) return undefined;
  const commands = isList(value["commands"]) ? value["commands"] : [];
  return {
    compiled: value["compiled"] === true,
    commands: commands.flatMap((each) =>
      isObject(each) ? [{ name: textOf(each["name"]), ok: each["ok"] === true, errors: Number(each["errors"] ?? 0) }] : [],
    ),
    errorsByFile: (isObject(value["errors_by_file"]) ? value["errors_by_file"] : {}) as Readonly<Record<string, readonly string[]>>,
    rescanned: 0,
    remaining: 0,
  };
}

const page = 1_000;

/** Rows in pages, so that a large run is never held in memory. */
export function checklistRows({ store }: EngineContext, handle: RunHandle): ChecklistRows {
  const { lists } = requireChecklist(handle);
  const all = async function* (list: string, query: ItemQuery): AsyncIterable<Item> {
    let after: string | undefined;
    for (;;) {
      const rows = await store.selectItems(handle.id, { list, query, limit: page, ...(after === undefined ? {} : { after }) });
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < page) return;
      after = last.order;
    }
  };
  return {
    files: () => all(lists.files, { facets: { kind: "file" } }),
    below: (file) => all(lists.files, { parent: file }),
    findings: () => all(lists.findings, {}),
    changes: () => all(lists.changes, {}),
  };
}
