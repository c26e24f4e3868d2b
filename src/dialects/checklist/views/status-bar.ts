import { grouped, percentOf } from "../../../base/index.ts";
import { arrowStep, type SharedWorkflowSession, type SharedWorkflowState } from "./shared-state.ts";

/** Text with icons of the editor, tooltip in Markdown; both empty when nothing is listed. */
export interface StatusBar {
  readonly text: string;
  readonly tooltip: string;
}

/** The run that matters most, and how many more there are; the tooltip tells of all of them. */
export function statusBar(state: Pick<SharedWorkflowState, "activeWorkflows">): StatusBar {
  const sessions = state.activeWorkflows
    .map((session, place) => ({ session, place }))
    .sort(
      (left, right) =>
        rank[left.session.status] - rank[right.session.status] || newest(left.session, right.session) || left.place - right.place,
    )
    .map(({ session }) => session);
  const [first, ...others] = sessions;
  if (first === undefined) return { text: "", tooltip: "" };
  const more = others.length === 0 ? "" : ` +${others.length}`;
  return { text: `${sessionText(first)}${more}`, tooltip: sessions.map(sessionTooltip).join("\n\n---\n\n") };
}

const rank: Readonly<Record<SharedWorkflowSession["status"], number>> = { blocked: 0, active: 1, paused: 2, completed: 3, cancelled: 4 };

function newest(left: SharedWorkflowSession, right: SharedWorkflowSession): number {
  return left.lastUpdated > right.lastUpdated ? -1 : left.lastUpdated < right.lastUpdated ? 1 : 0;
}

function sessionText(session: SharedWorkflowSession): string {
  const label = shortName(session);
  switch (session.status) {
    case "blocked":
      return `$(warning) ${label} Blocked`;
    case "paused":
      return `$(debug-pause) ${label} Paused`;
    case "completed":
      return `$(check) ${label} Completed`;
    case "cancelled":
      return `$(circle-slash) ${label} Cancelled`;
    case "active":
      return `$(sync~spin) ${activeText(session, label)}`;
  }
}

function activeText(session: SharedWorkflowSession, label: string): string {
  const { versionUpgrade, instancesTotal = 0, instancesAutoFixed = 0, progressPercentage } = session;
  if (versionUpgrade !== undefined) {
    const { sourceVersion, targetVersion, currentVersionStep } = versionUpgrade;
    const range = `${plain(sourceVersion)}→${number(targetVersion)}`;
    return currentVersionStep === undefined
      ? `${range} (${progressPercentage}%)`
      : `${range}: ${shortStep(plain(currentVersionStep))} (${progressPercentage}%)`;
  }
  if (instancesTotal > 0) return `${label} ${progressPercentage}%${instancesAutoFixed > 0 ? ` (${instancesAutoFixed} auto-fixed)` : ""}`;
  if (session.filesTotal > 0) return `${label} ${session.filesCompleted}/${session.filesTotal} files`;
  return `${label} ${progressPercentage}%`;
}

/** `BC23-BC24`, in whatever form, as `BC23→24`. */
export function stepText(step: string): string {
  return shortStep(arrowStep(step));
}

/** `BC23→BC24` as `BC23→24`. */
function shortStep(step: string): string {
  return step.replace(/→BC(?=\d)/i, "→");
}

function number(version: string): string {
  return plain(version).replace(/^BC(?=\d)/i, "");
}

const kinds: readonly (readonly [RegExp, string])[] = [
  [/migration/, "Migration"],
  [/upgrade/, "Upgrade"],
  [/review/, "Review"],
  [/audit/, "Audit"],
  [/onboarding/, "Onboarding"],
];
const nameChars = 24;

function shortName({ type, name }: SharedWorkflowSession): string {
  const known = kinds.find(([pattern]) => pattern.test(type))?.[1];
  return known ?? plain(name).slice(0, nameChars).trim();
}

/** Names come from files of others: no icons in the text. */
function plain(text: string): string {
  return text
    .replaceAll(/\$\([^)]*\)?/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function sessionTooltip(session: SharedWorkflowSession): string {
  const { versionUpgrade, instancesTotal = 0 } = session;
  const parts: string[] = [`**${markdown(session.name)}** (via Chat)`];
  if (versionUpgrade !== undefined) parts.push(`${markdown(versionUpgrade.sourceVersion)} → ${markdown(versionUpgrade.targetVersion)}`);
  parts.push(phaseLines(session));
  const counts: string[] = [];
  if (session.filesTotal > 0) counts.push(`Files: ${progress(session.filesCompleted, session.filesTotal)}`);
  if (session.currentFile !== undefined && versionUpgrade === undefined) counts.push(`Current file: ${markdown(session.currentFile)}`);
  if (instancesTotal > 0)
    counts.push(
      `Instances: ${progress(session.instancesCompleted ?? 0, instancesTotal)}`,
      `  • Auto-fixed: ${grouped(session.instancesAutoFixed ?? 0)}`,
      `  • Manual review: ${grouped(session.instancesManualReview ?? 0)}`,
    );
  if (counts.length > 0) parts.push(counts.join("\n"));
  if (session.status === "blocked") parts.push(blockedLines(session));
  const extras: string[] = [];
  if (session.currentSpecialist !== undefined) extras.push(`Specialist: @${markdown(session.currentSpecialist)}`);
  if (session.estimatedTimeRemaining !== undefined) extras.push(`ETA: ${markdown(session.estimatedTimeRemaining)}`);
  if (extras.length > 0) parts.push(extras.join("\n"));
  parts.push(closing[session.status]);
  return parts.join("\n\n");
}

const closing: Readonly<Record<SharedWorkflowSession["status"], string>> = {
  active: "_Agent is running this workflow_",
  paused: "_This workflow is paused_",
  blocked: "_This workflow waits for the steps above_",
  completed: "_This workflow is completed_",
  cancelled: "_This workflow was cancelled_",
};

function phaseLines({ phaseIndex, totalPhases, currentPhaseName, versionUpgrade }: SharedWorkflowSession): string {
  const place = Math.min(phaseIndex + 1, Math.max(1, totalPhases));
  const phase = `Phase ${place}/${Math.max(1, totalPhases)}: **${markdown(currentPhaseName)}**`;
  if (versionUpgrade?.currentVersionStep === undefined) return phase;
  const { currentVersionStep, guidesCompleted, guidesTotal } = versionUpgrade;
  return `${phase}\nCurrent Step: ${markdown(currentVersionStep)} (${guidesCompleted}/${guidesTotal} guides)`;
}

function blockedLines({ blockedReason, blockedResolution = [] }: SharedWorkflowSession): string {
  const reason = `Blocked: ${markdown(blockedReason ?? "nothing can continue")}`;
  return [reason, ...blockedResolution.map((way) => `  • ${markdown(way)}`)].join("\n");
}

function progress(done: number, total: number): string {
  return `${grouped(done)}/${grouped(total)} (${percentOf(done, total)}%)`;
}

/** Values from the file stay text: no links, no markup, no icons. */
function markdown(text: string): string {
  return plain(text).replaceAll(/[\\`*[\]<>|]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, String.raw`\$&`);
}
