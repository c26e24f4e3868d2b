import { defined, isoTime, roughTime } from "../../../base/index.ts";
import type { ChecklistFacts, InstanceCounts } from "../definition/index.ts";
import { overall } from "./facts-and-rows.ts";
import { clipChars } from "./action-view.ts";

/** The file that status bars read; its version never changes its meaning. */
export interface SharedWorkflowState {
  readonly version: "2.0";
  readonly activeWorkflows: readonly SharedWorkflowSession[];
  /** What a status bar shows of them: text with icons of the editor, tooltip in Markdown. */
  readonly statusBar?: { readonly text: string; readonly tooltip: string };
  readonly lastUpdated: string;
}

/** What every session has; phases are counted from 0. */
export const sessionTexts = ["type", "name", "currentPhase", "currentPhaseName", "progressMessage", "startedAt", "lastUpdated"] as const;
export const sessionNumbers = [
  "totalPhases",
  "phaseIndex",
  "filesTotal",
  "filesCompleted",
  "filesInProgress",
  "progressPercentage",
] as const;
export const sessionStatuses = ["active", "paused", "blocked", "completed", "cancelled"] as const;

type Texts = Readonly<Record<(typeof sessionTexts)[number], string>>;
type Numbers = Readonly<Record<(typeof sessionNumbers)[number], number>>;
/** What the engine settled at the scan counts as done with the first thing that was done. */
function doneOf({ total, pending, inProgress, notAsked, settled }: InstanceCounts): number {
  const done = total - pending - inProgress - notAsked;
  return done > settled ? done : 0;
}

type InstanceNumbers = Readonly<Record<"instancesTotal" | "instancesCompleted" | "instancesAutoFixed" | "instancesManualReview", number>>;

export interface SharedWorkflowSession extends Texts, Numbers, Partial<InstanceNumbers> {
  readonly id: string;
  readonly status: (typeof sessionStatuses)[number];
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
          instancesCompleted: all(({ instances: of }) => (of === undefined ? 0 : doneOf(of))),
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
