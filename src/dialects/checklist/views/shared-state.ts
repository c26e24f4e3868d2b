import { isList, isObject, textOf, type Json, type JsonObject, defined, isoTime, roughTime } from "../../../base/index.ts";
import type { ChecklistFacts } from "../definition/index.ts";
import { overall } from "./facts-and-rows.ts";
import { clipChars } from "./action-view.ts";
import { statusBar, type StatusBar } from "./status-bar.ts";

/** The file that status bars read; its version never changes its meaning. */
export interface SharedWorkflowState {
  readonly version: "2.0";
  readonly activeWorkflows: readonly SharedWorkflowSession[];
  /** What a status bar shows of them: text with icons of the editor, tooltip in Markdown. */
  readonly statusBar?: StatusBar;
  readonly lastUpdated: string;
}

/** What every session has; phases are counted from 0. */
const texts = ["type", "name", "currentPhase", "currentPhaseName", "progressMessage", "startedAt", "lastUpdated"] as const;
const numbers = ["totalPhases", "phaseIndex", "filesTotal", "filesCompleted", "filesInProgress", "progressPercentage"] as const;
const statuses = ["active", "paused", "blocked", "completed", "cancelled"] as const;

type Texts = Readonly<Record<(typeof texts)[number], string>>;
type Numbers = Readonly<Record<(typeof numbers)[number], number>>;
type InstanceNumbers = Readonly<Record<"instancesTotal" | "instancesCompleted" | "instancesAutoFixed" | "instancesManualReview", number>>;

export interface SharedWorkflowSession extends Texts, Numbers, Partial<InstanceNumbers> {
  readonly id: string;
  readonly status: (typeof statuses)[number];
  readonly currentFile?: string;
  readonly versionUpgrade?: SharedVersionUpgrade;
  readonly currentSpecialist?: string;
  readonly nextSpecialist?: string;
  readonly estimatedTimeRemaining?: string;
  readonly projectContext: string;
  readonly blockedReason?: string;
  readonly blockedResolution?: readonly string[];
  /** When the run ended. The one field that readers of the format need not know: it says when the session leaves the file. */
  readonly endedAt?: string;
}

export interface SharedVersionUpgrade {
  readonly sourceVersion: string;
  readonly targetVersion: string;
  readonly currentVersionStep?: string;
  readonly guidesTotal: number;
  readonly guidesCompleted: number;
}

/** An ended run stays listed for ten minutes. */
export const endedRunsStayMs = 600_000;
const contextChars = 100;

/**
 * One run as status bars know it. Skipped files count as completed, blocked ones do not; an instance that failed counts as
 * processed and stays listed as failed elsewhere. Files and instances of the workflows that it calls are added to its own.
 */
export function sharedSession(facts: ChecklistFacts): SharedWorkflowSession {
  const index = Math.max(
    0,
    facts.phases.findIndex((phase) => phase.id === facts.phase),
  );
  const all = (of: Parameters<typeof overall>[1]): number => overall(facts, of);
  const counts =
    facts.instances === undefined
      ? {}
      : {
          instancesTotal: all(({ instances }) => instances?.total ?? 0),
          instancesCompleted: all(({ instances: of }) => (of === undefined ? 0 : of.total - of.pending - of.inProgress - of.notAsked)),
          instancesAutoFixed: all(({ instances }) => instances?.autoFixed ?? 0),
          instancesManualReview: all(({ instances }) => (instances?.open.review ?? 0) + (instances?.open.manual ?? 0)),
        };
  const bare: Unmeasured = defined({
    id: facts.run,
    type: facts.workflow.type,
    name: facts.workflow.name,
    status: sharedStatus(facts),
    currentPhase: facts.phase,
    currentPhaseName: facts.phases[index]?.name ?? facts.phase,
    totalPhases: facts.phases.length,
    phaseIndex: index,
    filesTotal: all(({ files }) => files.total),
    filesCompleted: all(({ files }) => files.completed + files.skipped - files.notAsked),
    filesInProgress: all(({ files }) => files.inProgress),
    currentFile: facts.inHand[0]?.file,
    ...counts,
    versionUpgrade: upgradeOf(facts),
    currentSpecialist: facts.specialist,
    nextSpecialist: facts.nextSpecialist,
    startedAt: isoTime(facts.createdAt),
    lastUpdated: isoTime(facts.updatedAt),
    projectContext: clipChars(facts.workflow.description.replaceAll(/\s+/g, " ").trim(), contextChars),
    ...blockedOf(facts),
    endedAt: facts.endedAt === undefined ? undefined : isoTime(facts.endedAt),
  });
  const left = timeRemaining(facts, bare);
  const timed = left === undefined ? bare : { ...bare, estimatedTimeRemaining: left };
  return { ...timed, progressPercentage: progressPercentage(timed), progressMessage: progressMessage(timed) };
}

type Unmeasured = Omit<SharedWorkflowSession, "progressPercentage" | "progressMessage">;

/** By instances where there are any, else by files and phases, else by phases alone. */
export function progressPercentage(session: Unmeasured): number {
  // The last phase of a completed run is over too.
  const passed = session.status === "completed" ? session.totalPhases : session.phaseIndex;
  const phases = session.totalPhases > 0 ? passed / session.totalPhases : 0;
  if (session.instancesTotal !== undefined && session.instancesTotal > 0)
    return whole((session.instancesCompleted ?? 0) / session.instancesTotal);
  if (session.filesTotal > 0) return whole((session.filesCompleted / session.filesTotal) * 0.7 + phases * 0.3);
  return whole(phases);
}

export function progressMessage(session: Unmeasured): string {
  const { versionUpgrade, instancesTotal, instancesCompleted = 0, currentFile } = session;
  if (session.status === "blocked") return `Blocked: ${session.blockedReason ?? "nothing can continue"}`;
  if (session.type === "bc-version-upgrade" && versionUpgrade !== undefined) {
    const { sourceVersion, targetVersion, currentVersionStep, guidesCompleted, guidesTotal } = versionUpgrade;
    return `${currentVersionStep ?? `${sourceVersion}→${targetVersion}`}: Processing (${guidesCompleted}/${guidesTotal} guides)`;
  }
  if (instancesTotal !== undefined && instancesTotal > 0) {
    if (session.currentPhase === "batch_auto")
      return `Auto-fixed ${session.instancesAutoFixed ?? 0}. ${instancesTotal - instancesCompleted} remaining.`;
    return `${instancesCompleted}/${instancesTotal} instances processed`;
  }
  if (currentFile !== undefined) {
    const name = currentFile.slice(currentFile.lastIndexOf("/") + 1);
    return `Analyzing ${name} (${Math.min(session.filesCompleted + 1, session.filesTotal)}/${session.filesTotal})`;
  }
  return `${session.currentPhaseName} in progress...`;
}

/** A failed run can be retried, so it is shown as blocked, with its reason. */
function sharedStatus(facts: ChecklistFacts): SharedWorkflowSession["status"] {
  switch (facts.status) {
    case "completed":
      return "completed";
    case "cancelled":
      return "cancelled";
    case "blocked":
    case "failed":
      return "blocked";
    case "initializing":
    case "in_progress":
      return facts.paused ? "paused" : "active";
  }
}

/** `BC23-BC24`, `23->24` and `BC23→BC24` are written as the last. */
export function arrowStep(step: string): string {
  const [, from, to] = /^(?:BC)?(\d+)(?:\.\d+)?\s*(?:-|–|→|->)\s*(?:BC)?(\d+)(?:\.\d+)?$/i.exec(step.trim()) ?? [];
  return from === undefined || to === undefined ? step : `BC${from}→BC${to}`;
}

function upgradeOf({ upgrade }: ChecklistFacts): SharedVersionUpgrade | undefined {
  if (upgrade === undefined) return undefined;
  const { source, target, currentStep: step, guidesTotal, guidesCompleted } = upgrade;
  const current = step === undefined ? {} : { currentVersionStep: arrowStep(step) };
  return { sourceVersion: source, targetVersion: target, ...current, guidesTotal, guidesCompleted };
}

function blockedOf(facts: ChecklistFacts): { readonly blockedReason?: string; readonly blockedResolution?: readonly string[] } {
  if (sharedStatus(facts) !== "blocked") return {};
  const { blocked } = facts;
  const fixes = (blocked?.files ?? []).slice(0, 5).map((file) => `Fix ${file}`);
  const ways = blocked !== undefined && blocked.ways.length > 0 ? blocked.ways : [...fixes, "Then call workflow_retry to continue"];
  return {
    blockedReason: blocked?.reason ?? (facts.status === "failed" ? "The run failed" : "Nothing can continue"),
    blockedResolution: ways,
  };
}

/** From the pace so far; unknown before anything is done and while nothing moves. */
function timeRemaining(facts: ChecklistFacts, session: Unmeasured): string | undefined {
  const byInstances = session.instancesTotal !== undefined && session.instancesTotal > 0;
  const total = byInstances ? (session.instancesTotal ?? 0) : session.filesTotal;
  const done = byInstances ? (session.instancesCompleted ?? 0) : session.filesCompleted;
  const elapsed = facts.now - facts.createdAt;
  if (session.status !== "active" || done <= 0 || done >= total || elapsed <= 0) return undefined;
  return roughTime((elapsed / done) * (total - done));
}

function whole(share: number): number {
  return Math.min(100, Math.max(0, Math.round(share * 100)));
}

export interface MergedState {
  readonly text: string;
  /** What was wrong with the file as it was; those parts are gone. */
  readonly damaged?: string;
}

/**
 * The whole file with one session put in. Sessions of other runs are kept as they are; runs that ended more
 * than ten minutes ago leave. The order depends on the sessions alone: by start, then by id.
 */
export function mergeSharedState(existing: string | undefined, session: SharedWorkflowSession, now: number): MergedState {
  const { sessions, damaged } = readSessions(existing);
  const byId = new Map<string, JsonObject>();
  for (const other of sessions) byId.set(idOf(other), other);
  byId.set(session.id, session as unknown as JsonObject);
  const kept = [...byId.values()].filter((entry) => !hasLeft(entry, now)).sort(byStart);
  const shown = statusBar({ activeWorkflows: kept.filter(isWhole) as unknown as readonly SharedWorkflowSession[] });
  const state = { version: "2.0", activeWorkflows: kept, statusBar: { ...shown }, lastUpdated: isoTime(now) };
  const text = `${JSON.stringify(state, null, 2)}\n`;
  return damaged === undefined ? { text } : { text, damaged };
}

/** undefined when the text is not a shared state of this version. Sessions that lack what every session has are left out. */
export function parseSharedState(text: string): SharedWorkflowState | undefined {
  const state = parsed(text);
  if (!isObject(state) || state["version"] !== "2.0" || !isList(state["activeWorkflows"])) return undefined;
  const updated = state["lastUpdated"];
  const bar = state["statusBar"];
  return {
    ...(isObject(bar) ? { statusBar: { text: textOf(bar["text"]), tooltip: textOf(bar["tooltip"]) } } : {}),
    version: "2.0",
    activeWorkflows: state["activeWorkflows"].filter(isWhole) as unknown as readonly SharedWorkflowSession[],
    lastUpdated: typeof updated === "string" ? updated : "",
  };
}

function readSessions(existing: string | undefined): { readonly sessions: readonly JsonObject[]; readonly damaged?: string } {
  if (existing === undefined || existing.trim() === "") return { sessions: [] };
  const state = parsed(existing);
  if (!isObject(state)) return { sessions: [], damaged: "The state file was not a JSON object; it was created again." };
  if (state["version"] !== "2.0") return { sessions: [], damaged: "The state file had another version than 2.0; it was created again." };
  const list = state["activeWorkflows"];
  if (!isList(list)) return { sessions: [], damaged: "The state file had no list of workflows; it was created again." };
  const sessions = list.filter(isSession);
  if (sessions.length === list.length) return { sessions };
  return {
    sessions,
    damaged: `${list.length - sessions.length} of ${list.length} sessions in the state file could not be read and were left out.`,
  };
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, "")) as Json;
  } catch {
    return undefined;
  }
}

function isSession(entry: Json): entry is JsonObject {
  return isObject(entry) && typeof entry["id"] === "string" && entry["id"] !== "";
}

function isWhole(entry: Json): boolean {
  if (!isSession(entry)) return false;
  const named = texts.every((key) => typeof entry[key] === "string") && statuses.some((status) => status === entry["status"]);
  return named && numbers.every((key) => typeof entry[key] === "number");
}

function idOf(session: JsonObject): string {
  return textOf(session["id"]);
}

function hasLeft(session: JsonObject, now: number): boolean {
  const status = session["status"];
  const named = session["endedAt"];
  const ended = typeof named === "string" ? named : status === "completed" || status === "cancelled" ? session["lastUpdated"] : undefined;
  if (typeof ended !== "string") return false;
  const at = Date.parse(ended);
  return Number.isNaN(at) || now - at > endedRunsStayMs;
}

function byStart(left: JsonObject, right: JsonObject): number {
  return compare(textOf(left["startedAt"]), textOf(right["startedAt"])) || compare(idOf(left), idOf(right));
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
