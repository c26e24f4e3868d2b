import { isList, type JsonObject, counted, grouped } from "../../../base/index.ts";
import {
  begunRuns,
  checklistOf,
  checklistRows,
  completeChecklist,
  gatherFacts,
  previewBatch,
  requireChecklist,
  runBatch,
  waitForBatch,
  type BatchRecord,
  newRecord,
} from "../run/index.ts";
import { end, next, type EngineContext, type RunHandle } from "../../../engine/index.ts";
import { batchResultReply, checklistReport, completeReply, topIssues, type ReportFormat } from "../views/index.ts";
import { type PositionView } from "../../../views/index.ts";
import { badArgument, finalReply, type Arguments, type Reply, type ToolCall } from "../../../mcp/index.ts";
import type { ChecklistFacts } from "../definition/index.ts";
import { fitReply } from "./checklist-reply.ts";
import { batchWaiting } from "./run-batch.ts";

const issuesShown = 5;

interface FinishRequest {
  readonly run: string;
  readonly report: boolean;
  readonly format: ReportFormat;
  readonly applyChanges: boolean;
  readonly interim: boolean;
}

/** The end of a checklist's run, and of one that called checklists; undefined when the general tool ends the run. */
export async function finishedReply(call: ToolCall, args: Arguments): Promise<Reply | undefined> {
  const { run_id: run, status = "success" } = args as { readonly run_id: string; readonly status?: string };
  const format = (args["report_format"] as ReportFormat | undefined) ?? "markdown";
  const report = args["generate_report"] !== false;
  const handle = await call.engine.runs.open(run);
  const isOwn = checklistOf(handle) !== undefined;
  const calls = !isOwn && begunRuns(handle).length > 0;
  if (!isOwn) refuseWishes(args, calls);
  if (status !== "success" || !(isOwn || calls)) return undefined;
  const [interim, applyChanges] = [args["interim"] === true, args["apply_changes"] === true];
  if (interim && applyChanges) throw badArgument("workflow_complete", ["an interim report applies nothing"], "interim, or apply_changes");
  if (isOwn || interim) return finish(call, { run, report, format, applyChanges, interim });
  const ended = await end(call.engine, call.caller, { run, status: "completed" });
  if (!report) return finalReply(call, run, ended);
  const facts = await gatherFacts(call.engine, run);
  const { reportPath } = await writeReport(call, facts, { run, format, interim });
  return finalReply(call, run, ended, {
    data: { report_path: reportPath, report_format: format, top_issues: await issuesOf(call, run) },
    heavy: ["top_issues"],
    lines: () => [`The report of its checklists is in ${reportPath}.`],
  });
}

/** Of a run that is not of a checklist: what it calls can be reported, but its proposed changes are not applied. */
function refuseWishes(args: Arguments, calls: boolean): void {
  const wishes = calls ? ["apply_changes"] : ["generate_report", "report_format", "apply_changes", "interim"];
  const given = wishes.filter((name) => args[name] !== undefined);
  if (given.length === 0) return;
  throw badArgument(
    "workflow_complete",
    given.map((name) => `\`${name}\` is for checklists`),
    calls ? "run_id, status?, report_format?, interim?" : "run_id, status?",
  );
}

/** Ends a checklist run whose work is done and gives its report; an interim one changes nothing. Refused with what is open. */
async function finish(call: ToolCall, request: FinishRequest): Promise<Reply> {
  const { run, interim } = request;
  let applied: Applied | undefined;
  if (!interim) {
    applied = request.applyChanges ? await applyChanges(call, run) : undefined;
    if (applied?.record.done === false) return stillApplying(call, run, applied);
    await completeChecklist(call.engine, call.caller, run, call.waiting.waitMs);
  }
  const facts = await gatherFacts(call.engine, run);
  const view = completeReply(facts, {
    ...(request.report ? await writeReport(call, facts, request) : {}),
    topIssues: await issuesOf(call, run),
  });
  return fitReply(call, run, applied === undefined ? view : withApplied(view, facts, applied));
}

async function issuesOf({ engine }: ToolCall, run: string): ReturnType<typeof topIssues> {
  return topIssues(checklistRows(engine, await engine.runs.open(run)), issuesShown);
}

const endings: Readonly<Record<ReportFormat, string>> = { markdown: "md", json: "json", html: "html" };

/** The whole report is in a file; an interim one does not replace the last. */
async function writeReport(
  { engine }: ToolCall,
  facts: ChecklistFacts,
  { run, format, interim }: Pick<FinishRequest, "run" | "format" | "interim">,
): Promise<{ readonly report: string; readonly reportPath: string; readonly reportFormat: ReportFormat }> {
  const report = await reportText(engine, await engine.runs.open(run), facts, { format, ...(interim ? { interim } : {}) });
  const name = `reports/${run}-${interim ? "interim-" : ""}report.${endings[format]}`;
  return { report, reportPath: await engine.host.views.write(name, report), reportFormat: format };
}

async function reportText(
  engine: EngineContext,
  handle: RunHandle,
  facts: ChecklistFacts,
  wish: Parameters<typeof checklistReport>[2],
): Promise<string> {
  const parts: string[] = [];
  for await (const part of checklistReport(facts, checklistRows(engine, handle), wish)) parts.push(part);
  return parts.join("");
}

/** What the checklists hold that a run of another dialect called. */
export async function calledReport(engine: EngineContext, handle: RunHandle): Promise<string> {
  if (checklistOf(handle) !== undefined || begunRuns(handle).length === 0) return "";
  return `\n${await reportText(engine, handle, await gatherFacts(engine, handle.id), { format: "markdown" })}`;
}

interface Applied {
  readonly batch: string;
  readonly record: BatchRecord;
  /** Changes that cannot be applied by the engine, with the reason. */
  readonly leftOut: readonly { readonly file: string; readonly line: number; readonly reason: string }[];
}

/** Applies proposed changes that say they can be, with the guards of a batch; nothing when the run cannot be completed anyway. */
async function applyChanges(call: ToolCall, run: string): Promise<Applied | undefined> {
  const handle = await call.engine.runs.open(run);
  const { rules } = requireChecklist(handle).definition;
  const { standing } = await next(call.engine, call.caller, { run, ...call.waiting });
  const ready = standing.kind === "action" && standing.action.what === "complete_workflow";
  if (handle.state.status !== "running" || (!ready && (rules.requireAllFiles || rules.requireAllItems))) return undefined;
  const { token, leftOut } = await previewBatch(call.engine, call.caller, { run, operation: "apply_changes", filter: {} });
  if (token === undefined)
    return leftOut.length === 0 ? undefined : { batch: "", record: { ...newRecord("apply_changes", "", 0), done: true }, leftOut };
  const { batch } = await runBatch(call.engine, call.caller, { run, token });
  const record = await waitForBatch(call.engine, { run, batch, ...batchWaiting(call) });
  return { batch, record, leftOut };
}

function withApplied({ text, data }: PositionView, facts: ChecklistFacts, { batch, record, leftOut }: Applied): PositionView {
  const { result, failures } = batchResultReply(facts, { ...record, batch }).data;
  const shown = leftOut.slice(0, 5).map(({ file, line, reason }) => ({ file, line, error: reason }));
  const listed = isList(failures) ? [...failures, ...shown] : shown;
  const out = leftOut.length === 0 ? "" : `, ${grouped(leftOut.length)} left as proposals`;
  return {
    text: `${counted(record.modified, "proposed change")} applied, ${grouped(record.failed + record.left_out)} not${out}${batch === "" ? "" : ` (batch ${batch})`}\n${text}`,
    data: {
      ...data,
      apply_changes: {
        ...(batch === "" ? {} : { batch_id: batch }),
        ...(result as JsonObject),
        left_as_proposals: leftOut.length,
        ...(listed.length === 0 ? {} : { failures: listed }),
      },
    },
  };
}

function stillApplying(call: ToolCall, run: string, { batch, record }: Applied): Promise<Reply> {
  const next = { tool: "workflow_complete", arguments: { run_id: run } };
  const instruction = `The proposed changes are still being applied (batch ${batch}): ${grouped(record.modified)} of ${grouped(record.previewed)} are done. Call workflow_complete again, without apply_changes.`;
  return fitReply(call, run, {
    text: instruction,
    data: { session_id: run, status: "in_progress", batch_id: batch, instruction, next_call: next },
  });
}
