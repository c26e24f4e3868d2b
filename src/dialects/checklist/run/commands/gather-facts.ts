import { defined, isList, isObject, textOf } from "../../../../base/index.ts";
import type {
  BehaviourFacts,
  ChecklistDefinition,
  ChecklistFacts,
  ChecklistRows,
  InstanceCounts,
  VerificationFacts,
  PhaseFacts,
} from "../../definition/index.ts";
import { mainStrand, type RunState, type Frame } from "../../../../kernel/index.ts";
import type { Item, ItemQuery } from "../../../../program/index.ts";
import { begunRuns, calledRuns, requireHead, scansAtOnce, type ChecklistRun, type CalledRun } from "../checklist-run.ts";
import { reviewPhase } from "../file-rows.ts";
import {
  calledFacts,
  countsOf,
  entryCounts,
  fileCounts,
  instanceCounts,
  none,
  remainingOf,
  rescannedOf,
  skippedPhase,
  topicCounts,
  upgradeFacts,
  inPages,
  sumOf,
} from "../run-rows.ts";
import { changedSinceOf } from "../changed/base-of-run.ts";
import { effectLease, isAlive, type EngineContext, type RunHandle } from "../../../../engine/index.ts";
import { taskFacts } from "../task-facts.ts";
import { countsOfLook } from "../effects/run-tools.ts";
import { batchList, type BatchRecord } from "../batch-plan.ts";

/** What views of a checklist run, or of a run that calls checklists, are made from. Counts come from the kernel's state; no row is read for them. */
export async function gatherFacts(context: EngineContext, runId: string): Promise<ChecklistFacts> {
  const handle = await context.runs.open(runId);
  const run = requireHead(handle);
  const { definition, lists, inputs } = run;
  const { state } = handle;
  const row = await context.store.readRun(handle.id);
  const fileLists = begunRuns(handle).map((each) => each.lists.files);
  const called = calledFacts(handle).filter(({ type }) => type !== definition.type);
  const phases = phasesOf(handle, run);
  const blocked = await blockedFacts(context, handle, run);
  const phase = phases.find((each) => each.status === "in_progress") ?? phases.findLast((each) => each.status === "completed") ?? phases[0];
  const ofPhase = definition.phases.find((each) => each.id === phase?.id);
  const { type, name, description } = definition;
  return defined({
    run: handle.id,
    workflow: defined({ type, name, description, specialist: definition.specialist }),
    status: statusOf(handle, blocked !== undefined, run),
    paused: isPaused(state),
    stage: stageOf(handle),
    createdAt: row?.createdAt ?? state.startedAt,
    updatedAt: row?.updatedAt ?? state.startedAt,
    endedAt: state.endedAt,
    now: await context.store.now(),
    phases,
    phase: phase?.id ?? "",
    glob: definition.filePatterns,
    files: fileCounts(state, run),
    instances: definition.patterns.enabled
      ? withTools(instanceCounts(state, lists.files, definition.patterns.judged), toolFacts(run))
      : undefined,
    entries: entryCounts(state, lists.files),
    called: called.length === 0 ? undefined : called,
    topics: topicCounts(state, fileLists),
    findings: findingCounts(state, lists.findings),
    changes: changeCounts(state, lists.changes),
    batches: await batchFacts(context, handle),
    upgrade: upgradeFacts(handle, run),
    behaviour: behaviour(state, lists.findings),
    inHand: fileLists.flatMap((list) => inHand(state, list)),
    specialist: ofPhase?.specialist ?? definition.patterns.specialist ?? definition.specialist,
    nextSpecialist: definition.phases
      .slice(phases.findIndex((each) => each.id === phase?.id) + 1)
      .find((each) => each.specialist !== undefined)?.specialist,
    blocked,
    verification: verificationFacts(state, run),
    tools: toolFacts(run),
    tasks: taskFacts(handle),
    problems: problemsOf(handle),
    changedSince: changedSinceOf(run),
    options: { ...run.options, scope: inputs["scope"] ?? "workspace", path: inputs["path"] ?? "" },
  });
}

/** As the tools said it when they looked last at everything. */
function toolFacts(run: ChecklistRun): ChecklistFacts["tools"] {
  if (run.definition.tools === undefined) return undefined;
  return countsOfLook(run).map(({ without_place: withoutPlace, ...counts }) => ({ ...counts, withoutPlace }));
}

/** What tools left because the team has settled it is suppressed like all else. */
function withTools(counts: InstanceCounts, tools: ChecklistFacts["tools"] = []): InstanceCounts {
  const suppressed = (counts.suppressed ?? 0) + tools.reduce((all, tool) => all + tool.suppressed, 0);
  return { ...counts, suppressed };
}

/** Those that hold: a failure that is tried again does not. */
function findingCounts(state: RunState, list: string): ChecklistFacts["findings"] {
  const count = (severity: string): number => countsOf(state, list)(`severity=${severity}`).completed;
  const bySeverity = { critical: count("critical"), error: count("error"), warning: count("warning"), info: count("info") };
  return { total: state.lists[list]?.by.completed ?? 0, bySeverity };
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

async function batchFacts(context: EngineContext, handle: RunHandle): Promise<ChecklistFacts["batches"]> {
  const open = await batchUnderWay(context, handle);
  return (await batches(context, handle.id)).map(({ id, record }) =>
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
      underWay: record.done ? undefined : open,
    }),
  );
}

/** What is known of the batch that is under way. Whether another process died at it is known only when the lease of its effect ends. */
export async function batchUnderWay(context: EngineContext, handle: RunHandle): Promise<string | undefined> {
  const { effects, strands } = handle.state;
  const effect = Object.values(effects).find(({ strand }) => strands[strand]?.entry === "batch");
  if (effect === undefined) return undefined;
  const lease = await context.store.readLease(effectLease(handle.id, effect.id));
  if (lease === undefined || lease.owner === context.host.processId) return "is being applied";
  const alive = isAlive(context, lease, await context.store.now());
  return `was interrupted${!alive ? "" : " or is held by another process"}, and is being finished`;
}

/** All batches of a run, oldest first. */
export async function batches(
  context: EngineContext,
  run: string,
): Promise<readonly { readonly id: string; readonly record: BatchRecord }[]> {
  const rows = await context.store.selectItems(run, { list: batchList, query: {}, limit: 10_000 });
  return rows.map((row) => ({ id: row.id, record: row.data as unknown as BatchRecord }));
}

function statusOf({ state }: RunHandle, blocked: boolean, run: ChecklistRun): ChecklistFacts["status"] {
  if (state.status !== "running") return state.status;
  if (blocked) return "blocked";
  return sumOf(run.raw["scan"]).done ? "in_progress" : "initializing";
}

function stageOf({ state }: RunHandle): ChecklistFacts["stage"] {
  const waits = state.strands[mainStrand]?.waits;
  if (waits?.on === "decision" && state.decisions[waits.id]?.step === "approach") return "analysis_complete";
  if (waits?.on === "action" && state.actions[waits.id]?.what === "complete_workflow") return "ready_for_completion";
  return undefined;
}

/** Only a person can continue it, and nothing else is being done. */
function isPaused({ status, strands, decisions, effects, actions }: RunState): boolean {
  const waits = strands[mainStrand]?.waits;
  const asked = waits?.on === "decision" ? decisions[waits.id] : undefined;
  const idle = Object.keys(effects).length === 0 && Object.keys(actions).length === 0;
  return status === "running" && idle && asked?.status === "pending" && asked.answerBy === "person";
}

async function blockedFacts({ store }: EngineContext, handle: RunHandle, { lists }: ChecklistRun): Promise<ChecklistFacts["blocked"]> {
  const { state } = handle;
  const strand = state.status === "running" ? Object.values(state.strands).find((each) => each.status === "blocked") : undefined;
  const files = state.lists[lists.files]?.facets["kind=file"] ?? none;
  const allFailed = files.failed > 0 && files.completed + files.pending + files.in_progress + files.skipped === 0;
  if (strand?.blocked === undefined && !allFailed) return undefined;
  const query = { status: "failed" as const, facets: { kind: "file" } };
  const rows: Item[] = [];
  for (const each of begunRuns(handle)) rows.push(...(await store.selectItems(handle.id, { list: each.lists.files, query, limit: 50 })));
  const until = strand?.blocked?.until;
  const leave = ["After a retry, skip with workflow_progress and skip_reason", "End the run with workflow_abort"];
  return {
    ...defined({ until }),
    reason:
      strand?.blocked?.reason ?? `${files.failed === 1 ? "1 file" : `${files.failed} files`} failed, and none is left that could pass.`,
    files: [...new Set(rows.map((row) => row.id))],
    ways: [until === undefined ? "Fix the cause and call workflow_retry" : "Wait for the time, and call workflow_next then", ...leave],
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
    findingsByTenth: Array.from({ length: 10 }, (_, tenth) => findings(`tenth=${tenth}`).completed),
  };
}

function inHand(state: RunState, list: string): ChecklistFacts["inHand"] {
  return Object.entries(state.held)
    .filter(([key]) => key.startsWith(`${list}/`))
    .map(([key, { strand }]) => {
      const held = state.strands[strand];
      const waits = held?.waits?.on === "action" ? state.actions[held.waits.id] : undefined;
      return { file: key.slice(list.length + 1), strand, ...defined({ holder: held?.holder?.name, item: waits?.step }) };
    })
    .toReversed();
}

/** Files that changed are scanned again after the commands, and whatever is found of the converted kinds is open. */
function verificationFacts(state: RunState, run: ChecklistRun): VerificationFacts | undefined {
  const value = run.raw["verification"];
  if (!isObject(value)) return undefined;
  const commands = isList(value["commands"]) ? value["commands"] : [];
  return {
    compiled: value["compiled"] === true,
    commands: commands.flatMap((each) =>
      isObject(each) ? [{ name: textOf(each["name"]), ok: each["ok"] === true, errors: Number(each["errors"] ?? 0) }] : [],
    ),
    errorsByFile: (isObject(value["errors_by_file"]) ? value["errors_by_file"] : {}) as Readonly<Record<string, readonly string[]>>,
    rescanned: rescannedOf(state, run.lists.files),
    remaining: remainingOf(state, run.lists.files),
    notAllowed: isList(value["not_allowed"]) ? value["not_allowed"].map(textOf) : [],
  };
}

/** Of the run's own workflow and of those that it called. */
function problemsOf(handle: RunHandle): readonly string[] | undefined {
  const all = begunRuns(handle).flatMap(({ raw }) => {
    const said = [raw["inventory"], raw["guides"]].flatMap((held) => (isObject(held) && isList(held["problems"]) ? held["problems"] : []));
    const scanned = Object.entries(sumOf(raw["scan"]).problems);
    return [
      ...said.flatMap((problem) => (isObject(problem) && typeof problem["message"] === "string" ? [problem["message"]] : [])),
      ...scanned.map(([code, count]) => `${code}: ${count} ${count === 1 ? "file" : "files"}`),
    ];
  });
  return all.length === 0 ? undefined : [...new Set(all)];
}

const page = 1_000;

/** Rows in pages, so that a large run is never held in memory. */
export function checklistRows({ store }: EngineContext, handle: RunHandle): ChecklistRows {
  const { lists, definition: head } = requireHead(handle);
  const all = (list: string, query: ItemQuery): AsyncIterable<Item> =>
    inPages((part) => store.selectItems(handle.id, { list, query, ...part }), page);
  return {
    files: () => all(lists.files, { facets: { kind: "file" } }),
    rowsUnder: (file) => all(lists.files, { parent: file }),
    called: () =>
      calledRuns(handle).flatMap((run) => {
        const list = run.lists.files;
        const rows = { files: () => all(list, { facets: { kind: "file" } }), rowsUnder: (file: string) => all(list, { parent: file }) };
        return run.begun && run.definition.type !== head.type ? [{ workflow: run.definition.type, ...rows }] : [];
      }),
    findings: () => all(lists.findings, { status: "completed" }),
    changes: () => all(lists.changes, {}),
  };
}

/** The phase that a block of the main strand carries is the one in progress; those before it are completed. */
export function phasesOf({ program, state }: RunHandle, run: ChecklistRun | CalledRun): readonly PhaseFacts[] {
  const { definition, raw } = run;
  const all = framesOf(state, run);
  const call = all.findIndex((frame) => frame.kind === "call");
  const frames = call < 0 ? all : all.slice(0, call);
  const label = frames.map((frame) => program.blocks[frame.block]?.label).findLast((each) => each?.kind === "phase")?.text;
  const inHand = call < 0 ? phaseInHand(state) : undefined;
  const between = sumOf(raw["scan"]).done
    ? definition.phases.find((phase) => phase.role === "review" || phase.role === "batch")
    : definition.phases[0];
  const named = definition.phases.findIndex((phase) => phase.id === (inHand ?? label ?? between?.id));
  // A workflow is called when all but the summary is done.
  const summary = definition.phases.findIndex((phase) => phase.role === "summary");
  const current = call < 0 ? named : summary < 0 ? definition.phases.length : summary;
  const over = state.status !== "running";
  const passed = "atWork" in run && !run.atWork && !over;
  const approach = raw["approach"];
  const isLeft = leftPhases(state, run);
  return definition.phases.map(({ id, name, mode, required, role }, index) => {
    // Without anything to decide nobody chose a batch.
    const skipped = (role === "batch" && approach !== "apply_auto_first") || isLeft({ id, role });
    const before = passed ? true : over ? state.status === "completed" : current < 0 ? false : index < current;
    const status =
      skipped && before ? "skipped" : before ? "completed" : index === current && !over && call < 0 ? "in_progress" : "pending";
    return { id, name, mode, required, status };
  });
}

/** Phases that the run passes without what they are for: reported as skipped, or nothing in them but skips, or files not scanned yet. */
function leftPhases(
  state: RunState,
  run: ChecklistRun | CalledRun,
): (phase: Pick<ChecklistDefinition["phases"][number], "id" | "role">) => boolean {
  const { definition, lists } = run;
  const counts = countsOf(state, lists.files);
  const files = fileCounts(state, run);
  const places = reviewPhase(definition);
  return ({ id, role }) => {
    if ((state.counters[skippedPhase(lists.files, id)] ?? 0) > 0) return true;
    if (role === "scan") return !scansAtOnce(run) && files.scanned < files.total;
    if (role !== "review") return false;
    const all = [counts(`phase=${id}`), ...(id === places ? [counts("kind=instance")] : [])];
    const of = (status: "completed" | "skipped" | "failed"): number => all.reduce((sum, by) => sum + by[status], 0);
    return of("completed") + of("failed") === 0 && of("skipped") > 0;
  };
}

/** Where the main strand is in the workflow itself. */
function framesOf(state: RunState, run: ChecklistRun | CalledRun): readonly Frame[] {
  const frames = state.strands[mainStrand]?.frames ?? [];
  const scope = "scope" in run ? run.scope : undefined;
  return scope === undefined ? frames : frames.slice(frames.findIndex((frame) => frame.kind === "call" && frame.scope === scope) + 1);
}

function phaseInHand(state: RunState): string | undefined {
  const items = Object.values(state.actions).flatMap((action) =>
    action.what === "check" && isObject(action.args["item"]) ? [action.args["item"]] : [],
  );
  const phase = items.at(-1)?.["phase"];
  return typeof phase === "string" && phase !== "" ? phase : undefined;
}
