import type { JsonObject } from "../../base/index.ts";
import { checklistOf } from "../../dialects/checklist/run/index.ts";
import {
  maskSecrets,
  nextAttempt,
  runs,
  runWarnings,
  status,
  type RunHandle,
  type RunWarning,
  type StrandStatus,
} from "../../engine/index.ts";
import { progressOf, timeOver } from "../../views/index.ts";
import { checklistStatus, type ChecklistStatus } from "../checklist/show-status.ts";
import { exitCodes } from "../codes.ts";
import type { Given } from "../define-command.ts";
import { followingText, whenFixed, type Following } from "../next-command.ts";
import { decideLine, nextLine } from "../printed-lines.ts";
import { shorten } from "../render-table.ts";
import type { Session } from "../session.ts";
import { valueText } from "../value-text.ts";
import { runData, showRuns } from "./runs.ts";
import { counted } from "../counted.ts";

export async function statusCommand({ session, args: [run] }: Given): Promise<number> {
  const { workspace } = session;
  return session.withEngine(async (context) => {
    if (run === undefined) {
      const open = await runs(context, { status: ["running"], limit: 100 });
      session.out.document({ workspace, runs: open.map(runData) });
      session.showWorkspace();
      showRuns(session, open, "No run is open in this workspace.");
      return exitCodes.done;
    }
    const { handle, strands, now } = await status(context, run);
    const checklist = checklistOf(handle) === undefined ? undefined : await checklistStatus(context, run);
    const warnings = await runWarnings(context, handle);
    const again = await nextAttempt(context, handle);
    const data = {
      workspace,
      ...statusData(handle, strands),
      ...(again === undefined ? {} : { next_run: again }),
      warnings: warnings.map(warningData),
      ...(checklist === undefined ? {} : { checklist: checklist.data }),
    } as JsonObject;
    session.out.document(maskSecrets(data, handle.program, handle.state));
    session.showWorkspace();
    if (!session.out.json) showStatus(session, handle, { strands, now, checklist, warnings, again });
    return exitCodes.done;
  });
}

function statusData({ id, program, state, head }: RunHandle, strands: readonly StrandStatus[]): object {
  return {
    run_id: id,
    workflow: state.workflow,
    status: state.status,
    started_at: new Date(state.startedAt).toISOString(),
    position: head,
    ...(state.endedAt === undefined ? {} : { ended_at: new Date(state.endedAt).toISOString() }),
    ...(state.error === undefined ? {} : { error: state.error }),
    ...(state.retryOf === undefined ? {} : { retry_of: state.retryOf }),
    strands: strands.map(({ strand, task, standing, holder, alive, stale }) => ({
      strand,
      ...(task === undefined ? {} : { task }),
      at: standingText(standing),
      ...(holder === undefined ? {} : { holder }),
      alive,
      stale,
    })),
    questions: openQuestions({ state }).map(({ id: decision, step, question, answerBy, options }) => ({
      decision,
      step,
      question,
      answer_by: answerBy,
      ...(options === undefined ? {} : { options }),
    })),
    budget: state.budget,
    notes: waitingNotes({ state }).map((note) => note.text),
    ...(state.mark === undefined ? {} : { checkpoint: state.mark }),
    ...progressOf({ program, state }),
  };
}

interface Seen {
  readonly strands: readonly StrandStatus[];
  readonly now: number;
  readonly checklist: ChecklistStatus | undefined;
  readonly warnings: readonly RunWarning[];
  /** The run in which it was begun once more. */
  readonly again: string | undefined;
}

const warningsShown = 5;

function warningData({ code, message, block }: RunWarning): object {
  return { code, message, ...(block === undefined ? {} : { step: block }) };
}

function showStatus({ out }: Session, handle: RunHandle, { strands, now, checklist, warnings, again }: Seen): void {
  const { id, state, program } = handle;
  const masked = (text: string): string => maskSecrets(text, program, state);
  out.line(
    `${out.paint("bold", id)} (${state.workflow}) is ${state.status}, started ${ago(now - state.startedAt)} ago, ${counted(handle.head, "record")}.`,
  );
  if (state.error !== undefined) out.line(`${out.paint("red", "✗")} ${masked(state.error.message)} (${state.error.code})`);
  if (again !== undefined) out.line(`It was started again as run ${again}.`);
  checklist?.show(out);
  const { progress } = progressOf(handle);
  if (progress !== undefined && checklist === undefined)
    out.line(
      `Items: ${Object.entries(progress)
        .map(([name, count]) => `${valueText(count)} ${name}`)
        .join(", ")}.`,
    );
  const limits = Object.entries(state.budget.limits).filter(([, limit]) => limit !== undefined);
  if (limits.length > 0) out.line(`Budget: ${limits.map(([name, limit]) => budgetText(state, name, limit, now)).join(", ")}.`);
  for (const { code, message } of warnings.slice(0, warningsShown))
    out.line(`${out.paint("yellow", "!")} ${shorten(masked(message), 200)} (${code})`);
  if (warnings.length > warningsShown) out.line(`  and ${warnings.length - warningsShown} more warnings: waymark journal ${id}`);
  if (state.status === "running") {
    out.line();
    const rows = strands
      .filter((entry) => entry.standing.kind !== "ended")
      .map((entry) => [entry.task ?? entry.strand, shorten(masked(standingText(entry.standing)), 70), holderText(entry)]);
    out.table(["LINE", "AT", "BY"], rows);
  }
  for (const { text, target } of waitingNotes(handle))
    out.line(`\n✎ Not delivered yet, for ${target === undefined ? "the next step" : `\`${target}\``}: ${masked(text)}`);
  for (const question of openQuestions(handle)) out.line(`\n? ${masked(question.question)}`);
  const [question] = openQuestions(handle);
  const following = question === undefined ? followingOfRun(handle, again) : { next: decideLine(id, question) };
  for (const line of followingText(following)) out.hint(line);
}

function waitingNotes({ state }: Pick<RunHandle, "state">): RunHandle["state"]["notes"] {
  return state.notes.filter((note) => note.deliveredWith === undefined);
}

function openQuestions({ state }: Pick<RunHandle, "state">): RunHandle["state"]["decisions"][string][] {
  return Object.values(state.decisions).filter((decision) => decision.status === "pending");
}

function budgetText(state: RunHandle["state"], name: string, limit: number, now: number): string {
  const used =
    name === "minutes" ? Math.round((now - state.startedAt) / 60_000) : state.budget.used[name as keyof typeof state.budget.used];
  return `${used} of ${limit} ${name}`;
}

function followingOfRun({ id, state, program }: RunHandle, again: string | undefined): Following {
  if (again !== undefined) return { next: `waymark status ${again}` };
  if (state.status === "running") return { next: nextLine(id) };
  if (state.status === "failed") return whenFixed(id);
  return { next: `waymark ${program.dialect === "checklist" ? "report" : "state"} ${id}` };
}

function holderText({ holder, alive, stale }: StrandStatus): string {
  if (holder === undefined) return "nobody";
  return stale ? `${holder} (stale: no report for long)` : alive ? holder : `${holder} (gone)`;
}

function standingText(standing: StrandStatus["standing"]): string {
  switch (standing.kind) {
    case "action":
      return `${standing.action.step} (${standing.action.what})`;
    case "question":
      return `question ${standing.decision.id}: ${standing.decision.question}`;
    case "working":
      return `working on ${standing.on}${standing.until === undefined ? "" : ` until ${timeOver(standing.until)}`}`;
    case "joining":
      return `waiting for ${standing.tasks.length} tasks`;
    case "blocked":
      return `blocked: ${standing.reason}`;
    case "task_ended":
      return `task ${standing.status}`;
    case "ended":
      return "ended";
  }
}

export function ago(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}
