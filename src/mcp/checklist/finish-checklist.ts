import type { JsonObject } from "../../base/index.ts";
import {
  checklistRows,
  completeChecklist,
  gatherFacts,
  previewBatch,
  requireChecklist,
  runBatch,
  waitForBatch,
  type BatchRecord,
} from "../../dialects/checklist/run/index.ts";
import { next } from "../../engine/index.ts";
import { batchResultReply, checklistReport, completeReply, topIssues, type ReportFormat } from "../../dialects/checklist/views/index.ts";
import { type PositionView, counted, grouped } from "../../views/index.ts";
import type { Reply, ToolCall } from "../tool.ts";
import type { Facts } from "./facts.ts";
import { fitReply } from "./fit-reply.ts";
import { resultOf } from "./run-batch.ts";

const issuesShown = 5;

export interface FinishRequest {
  readonly run: string;
  readonly report: boolean;
  readonly format: ReportFormat;
  readonly applyChanges: boolean;
  readonly interim: boolean;
}

/** Ends a checklist run whose work is done and gives its report; an interim one changes nothing. Refused with what is open. */
export async function finishChecklist(call: ToolCall, request: FinishRequest): Promise<Reply> {
  const { run, interim } = request;
  const { waitMs } = call.waiting;
  let applied: Applied | undefined;
  if (!interim) {
    applied = request.applyChanges ? await applyChanges(call, run) : undefined;
    if (applied?.record.done === false) return stillApplying(call, run, applied);
    await completeChecklist(call.engine, call.caller, run, waitMs);
  }
  const facts = await gatherFacts(call.engine, run);
  const view = completeReply(facts, {
    ...(request.report ? await writeReport(call, facts, request) : {}),
    topIssues: await topIssues(checklistRows(call.engine, await call.engine.runs.open(run)), issuesShown),
  });
  return fitReply(call, run, applied === undefined ? view : withApplied(view, facts, applied));
}

/** What a run that called checklists adds to its final state: the report of what they hold, in a file, and the gravest findings. */
export async function calledReport(call: ToolCall, run: string, format: ReportFormat): Promise<JsonObject> {
  const facts = await gatherFacts(call.engine, run);
  const { reportPath } = await writeReport(call, facts, { run, format, interim: false });
  return {
    report_path: reportPath,
    report_format: format,
    top_issues: await topIssues(checklistRows(call.engine, await call.engine.runs.open(run)), issuesShown),
  };
}

const endings: Readonly<Record<ReportFormat, string>> = { markdown: "md", json: "json", html: "html" };

/** The whole report lies in a file; an interim one does not replace the last. */
async function writeReport(
  { engine }: ToolCall,
  facts: Facts,
  { run, format, interim }: Pick<FinishRequest, "run" | "format" | "interim">,
): Promise<{ readonly report: string; readonly reportPath: string; readonly reportFormat: ReportFormat }> {
  const parts: string[] = [];
  const rows = checklistRows(engine, await engine.runs.open(run));
  for await (const part of checklistReport(facts, rows, { format, ...(interim ? { interim } : {}) })) parts.push(part);
  const report = parts.join("");
  const name = `reports/${run}-${interim ? "interim-" : ""}report.${endings[format]}`;
  return { report, reportPath: await engine.host.views.write(name, report), reportFormat: format };
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
  if (token === undefined) return leftOut.length === 0 ? undefined : { batch: "", record: nothingApplied, leftOut };
  const { batch } = await runBatch(call.engine, call.caller, { run, token });
  const { signal, waitMs = 24_000 } = call.waiting;
  const record = await waitForBatch(call.engine, { run, batch, waitMs, ...(signal === undefined ? {} : { signal }) });
  return { batch, record, leftOut };
}

const nothingApplied: BatchRecord = {
  operation: "apply_changes",
  plan: "",
  at: 0,
  previewed: 0,
  files: 0,
  modified: 0,
  failed: 0,
  left_out: 0,
  files_modified: 0,
  files_failed: 0,
  failures: [],
  remaining: 0,
  undone: false,
  done: true,
};

function withApplied({ text, data }: PositionView, facts: Facts, { batch, record, leftOut }: Applied): PositionView {
  const { result, failures } = batchResultReply(facts, resultOf(batch, record)).data;
  const shown = leftOut.slice(0, 5).map(({ file, line, reason }) => ({ file, line, error: reason }));
  const listed = Array.isArray(failures) ? [...failures, ...shown] : shown;
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
