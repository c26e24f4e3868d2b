import { type JsonObject, defined, counted, grouped, topCounts } from "../../../base/index.ts";
import type { Item } from "../../../program/index.ts";
import { followingData, type PositionView } from "../../../views/index.ts";
import {
  actionData,
  actionText,
  bareAction,
  cutOf,
  fitAction,
  type FittedAction,
  isDecision,
  type CheckAction,
  clipTokens,
  roughTokens,
} from "./action-view.ts";
import { analysisSummary, analysisText, upgradeSummary, upgradeText } from "./analysis-summary.ts";
import type { ChecklistFacts } from "../definition/index.ts";
import { calledText, changedText, describedAs, overall, percentComplete, shortId, textIn } from "./facts-and-rows.ts";

/** What an instance's reply may cost in all; its long texts get what the rest leaves. */
const instanceTokens = 398;
/** The estimate is too high for names and ids, of which the frame is made. */
const frameShare = 0.9;
/** Estimated tokens of a whole reply of which the real ones still keep to the limit. */
const mostEstimated = 412;
/** The same of a reply with guidance: prose is estimated closer than code. */
const mostWithGuidance = 408;
const leastTexts = 40;
/** What it costs to say which call brings a text that was cut, and which lines of the context are left out. */
const wordOfText = 95;
const wordOfContext = 20;
const otherTokens = 400;
const phasesShown = 12;
const typesShown = 8;
const entriesShown = 8;
const entryTokens = 40;
const blockedShown = 10;

export interface StartExtras {
  /** Autonomous phases have all run; false: the work continues in the background. */
  readonly completed: boolean;
  readonly durationMs: number;
  /** First files in order of work, for workflows that go through them one by one. */
  readonly files?: readonly { readonly path: string; readonly size: number; readonly priority: number }[];
  /** Files in which something needs this, where it is known. */
  readonly filesNeeding?: { readonly auto?: number; readonly review?: number; readonly manual?: number };
}

/** Summary of the autonomous phases and the first thing to do. Its size does not grow with the number of files. */
export function startReply(facts: ChecklistFacts, action: CheckAction, extras: StartExtras): PositionView {
  const fitted = fitAction(action, otherTokens);
  const ran = facts.phases.filter(({ mode, status }) => mode === "autonomous" && status === "completed").map(({ id }) => id);
  const instructions = startInstructions(action, extras.completed);
  const data: JsonObject = {
    session_id: facts.run,
    workflow_type: facts.workflow.type,
    status: statusWord(facts),
    autonomous_processing: {
      completed: extras.completed,
      phases_run: ran.slice(0, phasesShown),
      duration_ms: Math.round(extras.durationMs),
    },
    file_inventory: inventory(facts, extras),
    ...(facts.instances === undefined ? {} : { analysis_summary: analysisSummary(facts, extras.filesNeeding ?? {}) }),
    ...upgradeSummary(facts),
    phases: facts.phases.slice(0, phasesShown).map(({ id, name, status, mode }) => ({ id, name: clipTokens(name, 8), status, mode })),
    ...idOf(action),
    next_action: actionData(fitted),
    ...followingData(action),
    agent_instructions: instructions,
  };
  const text = [
    `${facts.run} (${facts.workflow.type}): ${statusWord(facts)}`,
    inventoryText(facts),
    ...analysisText(facts),
    ...upgradeText(facts),
    `Phases: ${facts.phases
      .slice(0, phasesShown)
      .map(({ id, status }) => `${id} ${status}`)
      .join(", ")}`,
    instructions,
    actionText(fitted),
  ].join("\n");
  return { text, data, ...cutOf(fitted) };
}

/** The id of an entry's hand-out, where replies about steps have theirs. Other actions have it in themselves; of instances each token counts. */
function idOf({ actionId, item }: CheckAction): JsonObject {
  return actionId === "" || item === undefined ? {} : { action_id: actionId };
}

function startInstructions(action: CheckAction, completed: boolean): string {
  if (!completed) return "The engine is still working through the files. Do not read or change them; follow next_action.";
  if (isDecision(action)) return "Present the summary to the user and ask for a choice. Do not process files before the answer.";
  return "Follow next_action exactly, then make next_call with what fill_in names. Skip no file or action; do not continue without reporting.";
}

/** What a reply calls the state of the run. */
export function statusWord({ stage, status }: ChecklistFacts): string {
  return stage !== undefined && (status === "in_progress" || status === "initializing") ? stage : status;
}

function inventory({ files, changedSince, instances }: ChecklistFacts, extras: StartExtras): JsonObject {
  const withMatches = instances === undefined && files.withMatches === 0 ? undefined : files.withMatches;
  return defined({
    total: files.total,
    changed_since: changedSince,
    with_matches: withMatches,
    out_of_scope: files.outOfScope > 0 ? files.outOfScope : undefined,
    by_type: topCounts(files.byType, typesShown),
    files: extras.files?.slice(0, 3).map(({ path, size, priority }) => ({ path, size, priority })),
  });
}

function inventoryText({ files, changedSince }: ChecklistFacts): string {
  const types = Object.entries(topCounts(files.byType, typesShown)).map(([type, count]) => `${type} ${grouped(count)}`);
  const matches = files.withMatches > 0 ? `, ${grouped(files.withMatches)} with matches` : "";
  const out = files.outOfScope > 0 ? `, ${grouped(files.outOfScope)} out of scope` : "";
  return `${counted(files.total, "file")}${changedText(changedSince)}${matches}${out}${types.length === 0 ? "" : `: ${types.join(", ")}`}`;
}

/** The next thing to do. An instance comes alone; other actions come with the checklist of their file. */
export function nextReply(facts: ChecklistFacts, action: CheckAction, checklist: readonly Item[] = []): PositionView {
  if (action.match_text !== undefined) return instanceReply(facts, action);
  const fitted = fitAction(action, otherTokens);
  const instructions = nextInstructions(facts, action);
  const data: JsonObject = {
    session_id: facts.run,
    status: statusWord(facts),
    progress: progressData(facts, action.file),
    ...(action.file === undefined || checklist.length === 0 ? {} : { current_file: currentFile(action, checklist) }),
    ...idOf(action),
    next_action: actionData(fitted),
    ...followingData(action),
    ...(instructions === undefined ? {} : { agent_instructions: instructions }),
  };
  const lines = [`${facts.run}: ${progressText(facts)}`, actionText(fitted)];
  if (instructions !== undefined) lines.push(instructions);
  return { text: lines.join("\n"), data, ...cutOf(fitted) };
}

/**
 * There are many of these: nothing is said twice, and the long texts share what is left. Where that is not enough for one that
 * is needed, word of its rest comes on top, as the text of a guide does.
 */
function instanceReply(facts: ChecklistFacts, action: CheckAction): PositionView {
  const { instances_remaining: _left, instances_failed: _failed, ...progress } = progressData(facts, action.file);
  const framed = (fitted: FittedAction): PositionView => ({
    text: `${facts.run}: ${progressText(facts)}\n${actionText(fitted)}`,
    data: { session_id: facts.run, status: statusWord(facts), progress, next_action: actionData(fitted), ...followingData(action) },
    ...cutOf(fitted),
  });
  const bare = framed(bareAction(action));
  // What an agent is shown does not depend on the random end of the run's id: it counts as if it were this one.
  const usual = facts.run.replace(/[a-z0-9]{6}$/, "ab12cd");
  const cost = (text: string): number => roughTokens(text.replaceAll(facts.run, usual));
  const estimate = ({ text, data }: PositionView): number => Math.max(cost(text), cost(JSON.stringify(data)));
  for (let left = instanceTokens - Math.ceil(estimate(bare) * frameShare); ;) {
    const fitted = fitAction(action, left);
    const most = fitted.action.specialist_guidance === undefined ? mostEstimated : mostWithGuidance;
    // The text of a guide comes on top of what an instance may cost.
    const { guide_content: _guide, ...rest } = fitted.action;
    const over = estimate(framed({ ...fitted, action: rest })) + wordOf(fitted) - most;
    if (over <= 0 || left <= leastTexts) return framed(fitted);
    left -= Math.max(over, 4);
  }
}

function wordOf({ cut }: FittedAction): number {
  const names = cut.map(({ name }) => name).filter((name) => name !== "guide_content");
  return names.length === 0 ? 0 : names.every((name) => name === "context") ? wordOfContext : wordOfText;
}

function nextInstructions(facts: ChecklistFacts, action: CheckAction): string | undefined {
  if (isDecision(action)) return "Put this to the user; do not answer for them.";
  const undone = failedText(facts);
  if (action.action === "complete_workflow")
    return undone === "" ? undefined : `Not everything is done: ${undone}. Tell the user; workflow_retry opens them again.`;
  if (action.file === undefined) return undefined;
  return "Do this for this file only. Report findings and proposed_changes with next_call.";
}

/** What failed counts as failed, in the run and in the workflows that it calls; empty when nothing did. */
export function failedText(facts: ChecklistFacts): string {
  const blocked = overall(facts, ({ files }) => files.blocked);
  const failed = overall(facts, ({ instances }) => instances?.failed ?? 0);
  const parts = [
    ...(blocked === 0 ? [] : [counted(blocked, "file is blocked", "files are blocked")]),
    ...(failed === 0 ? [] : [counted(failed, "instance failed", "instances failed")]),
  ];
  return parts.join(", ");
}

/** Counts add up to the total; skipped files count as done in the percentage, blocked ones do not. `current`: the file that is worked on. */
export function progressData(facts: ChecklistFacts, current?: string): JsonObject {
  const { phase, files, instances } = facts;
  return defined({
    phase,
    files_completed: files.completed,
    files_total: files.total,
    files_skipped: files.skipped > 0 ? files.skipped : undefined,
    files_blocked: files.blocked > 0 ? files.blocked : undefined,
    percent_complete: percentComplete(facts),
    current_file: current,
    instances_remaining: instances === undefined ? undefined : instances.pending + instances.inProgress,
    instances_to_verify: instances === undefined || instances.toVerify === 0 ? undefined : instances.toVerify,
    instances_failed: instances === undefined || instances.failed === 0 ? undefined : instances.failed,
    ...currentCall(facts),
  });
}

/** Every reply names only the called workflow that is at work; status names them all. */
function currentCall({ called = [] }: ChecklistFacts): JsonObject {
  const now = called.find(({ status }) => status === "in_progress");
  return now === undefined
    ? {}
    : { called_workflow: { workflow_type: now.type, files_completed: now.files.completed, files_total: now.files.total } };
}

export function progressText(facts: ChecklistFacts): string {
  const { phase, files, instances, called = [] } = facts;
  const skipped = files.skipped === 0 ? "" : `, ${grouped(files.skipped)} skipped`;
  const waiting = instances === undefined || instances.toVerify === 0 ? "" : `, ${grouped(instances.toVerify)} to verify`;
  const left = instances === undefined ? "" : `, ${counted(instances.pending + instances.inProgress, "instance")} left${waiting}`;
  const blocked = files.blocked === 0 ? "" : `, ${grouped(files.blocked)} blocked`;
  const now = called.find(({ status }) => status === "in_progress");
  const below = now === undefined ? "" : `; ${calledText(now)}`;
  return `${phase}, ${grouped(files.completed)}/${grouped(files.total)} files (${percentComplete(facts)} %)${skipped}${blocked}${left}${below}`;
}

/** The part of the checklist around the current item. */
function currentFile(action: CheckAction, checklist: readonly Item[]): JsonObject {
  const at = Math.max(
    0,
    checklist.findIndex((row) => row.id === action.item || shortId(row) === action.item),
  );
  const from = Math.max(0, Math.min(at - 2, checklist.length - entriesShown));
  const shown = checklist.slice(from, from + entriesShown).map((row) =>
    defined({
      id: shortId(row),
      description: clipTokens(describedAs(row), entryTokens),
      status: row.status,
      topic_id: textIn(row, "topic", "topic_id"),
    }),
  );
  return defined({
    path: action.file,
    status: "in_progress",
    checklist: shown,
    checklist_total: checklist.length > shown.length ? checklist.length : undefined,
  });
}

/** Nothing can continue: why, which files, and the ways out. */
export function blockedReply(facts: ChecklistFacts): PositionView {
  const reason = facts.blocked?.reason ?? "Nothing can continue.";
  const files = facts.blocked?.files ?? [];
  const ways = facts.blocked?.ways ?? [];
  const data = defined({
    session_id: facts.run,
    status: "blocked",
    blocked_reason: clipTokens(reason, 120),
    blocked_files: files.slice(0, blockedShown),
    blocked_files_total: files.length > blockedShown ? files.length : undefined,
    resolution_options: ways.slice(0, blockedShown).map((way) => clipTokens(way, 40)),
    progress: progressData(facts),
  });
  const more = files.length > blockedShown ? ` and ${grouped(files.length - blockedShown)} more` : "";
  const text = [
    `${facts.run} is blocked: ${clipTokens(reason, 120)}`,
    ...(files.length === 0 ? [] : [`Files: ${files.slice(0, blockedShown).join(", ")}${more}`]),
    ...ways.slice(0, blockedShown).map((way) => `- ${clipTokens(way, 40)}`),
  ].join("\n");
  return { text, data };
}

export interface WorkDone {
  readonly phase: string;
  readonly filesProcessed: number;
  readonly filesTotal: number;
  readonly instancesFound: number;
  readonly elapsedMs: number;
}

/** What is sent during long autonomous work; the time left is there once there is a pace. */
export function progressUpdate({ phase, filesProcessed, filesTotal, instancesFound, elapsedMs }: WorkDone): JsonObject {
  const update = {
    type: "progress_update",
    phase,
    files_processed: filesProcessed,
    files_total: filesTotal,
    instances_found: instancesFound,
  };
  if (filesProcessed <= 0 || elapsedMs <= 0) return update;
  const left = (elapsedMs / filesProcessed) * Math.max(0, filesTotal - filesProcessed);
  return { ...update, estimated_remaining_seconds: Math.round(left / 1000) };
}
