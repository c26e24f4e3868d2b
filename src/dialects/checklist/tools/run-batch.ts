import { defined, type JsonObject, counted, grouped } from "../../../base/index.ts";
import {
  applyAutoFirst,
  closeApproach,
  diffBatch,
  gatherFacts,
  isApproach,
  openOf,
  previewBatch,
  reportCheck,
  runBatch,
  runNamed,
  summariseLeftOut,
  undoBatch,
  waitForBatch,
  type BatchFilter,
  type BatchPlan,
  type BatchRecord,
  type LeftOutSummary,
  type BatchPreview,
} from "../run/index.ts";
import { progress } from "../../../engine/index.ts";
import { batchPreviewReply, batchResultReply, leftText, undoneText, type CheckAction } from "../views/index.ts";
import { callText, type PositionView } from "../../../views/index.ts";
import type { Reply, ToolCall } from "../../../mcp/index.ts";
import { factsAt, sessionArguments, remainingText } from "./standing-action.ts";
import { wrong, type BatchCommand } from "./batch-arguments.ts";
import { fitReply } from "./checklist-reply.ts";

type Operation = Exclude<BatchCommand, "group_by_type" | "undo">;

const samplesShown = 5;

interface PreviewRequest {
  readonly run: string;
  readonly operation: Operation;
  readonly filter: BatchFilter;
  readonly reason?: string | undefined;
  readonly fullDiff: boolean;
}

/** What the batch would do, with a token to confirm it. */
export async function previewReply(call: ToolCall, request: PreviewRequest): Promise<Reply> {
  const { run, operation, filter, reason } = request;
  if (operation === "skip_instances" && (reason ?? "").trim() === "") throw wrong("`reason` is missing: a skip needs its reason");
  const preview = await previewBatch(call.engine, call.caller, { run, operation, filter, ...defined({ reason }) });
  const { plan, token, expiresAt, note } = preview;
  const { workflow } = plan;
  const edits = operation === "apply_fixes";
  const diff = request.fullDiff && edits && token !== undefined ? await batchDiff(call, run, token, plan) : {};
  const args = { ...sessionArguments(call, run), operation, confirmation_token: token ?? "" };
  const later = { when: "when the user has seen it and confirms", tool: "workflow_batch", arguments: args };
  const view = batchPreviewReply(await gatherFacts(call.engine, run), {
    operation,
    instances: plan.instances,
    files: plan.files.length,
    byType: knownTypes(plan),
    samples: edits ? samplesOf(plan) : [],
    ...diff,
    ...(token === undefined ? { next_call: { tool: "workflow_next", arguments: sessionArguments(call, run) } } : { token, later }),
    ...defined({ expiresAt, note }),
  });
  const { text, data } = withPreviewed(view, preview, edits);
  const of = workflow === undefined ? "" : `Of ${workflow}, which this run calls:\n`;
  return fitReply(call, run, { text: `${of}${text}`, data: { ...data, ...defined({ workflow_type: workflow }) } });
}

/** Characters of a difference that come with the reply; a longer one is in a file. */
const diffChars = 2500;

/** The difference that a planned batch makes, in the reply or in a file. */
async function batchDiff(
  call: ToolCall,
  run: string,
  token: string,
  plan: BatchPlan,
): Promise<{ readonly diff?: string; readonly diffPath?: string }> {
  const diff = await diffBatch(call.engine, run, plan);
  if (diff.length <= Math.min(diffChars, call.replyChars / 4)) return { diff: diff.trimEnd() };
  return { diffPath: await call.engine.host.views.write(`diffs/${run}-${token}.diff`, diff) };
}

/** Counts by the name that clients know. */
function knownTypes({ files }: BatchPlan): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { items } of files) for (const { type, seed = type } of items) counts[seed] = (counts[seed] ?? 0) + 1;
  return counts;
}

/** Different kinds first, so that a few samples show what the whole is like. */
function samplesOf({ files }: BatchPlan): { file: string; line: number; before: string; after: string }[] {
  const seen = new Set<string>();
  const first: { file: string; line: number; before: string; after: string }[] = [];
  const other: typeof first = [];
  for (const { path, items } of files) {
    for (const { line, type, before, after } of items) {
      const sample = { file: path, line, before, after };
      if (!seen.has(type)) first.push(sample);
      else if (other.length < samplesShown) other.push(sample);
      seen.add(type);
    }
  }
  return [...first, ...other].slice(0, samplesShown);
}

/** What is skipped or flagged, and what the filter means but the plan leaves out. */
function withPreviewed({ text, data }: PositionView, { plan, leftOut }: BatchPreview, edits: boolean): PositionView {
  const all = edits ? [] : plan.files.flatMap(({ path, items }) => items.map((item) => ({ ...item, path })));
  const shown = all.slice(0, samplesShown).map(({ path: file, line, type, seed = type, before }) => {
    return { file, line, instance_type: seed, ...(seed === type ? {} : { precise_type: type }), match_text: before.slice(0, 160) };
  });
  const lines = [text, ...shown.map(({ file, line, match_text: match }) => `- ${file}:${line} ${match}`)];
  const samples = edits ? {} : { sample_instances: shown };
  return withLeftOut({ text: lines.join("\n"), data: { ...data, ...samples } }, summariseLeftOut(leftOut));
}

/** What the filter means and the plan leaves out, counted by reason, the first ones by name. */
function withLeftOut(view: PositionView, out: LeftOutSummary | undefined): PositionView {
  if (out === undefined) return view;
  const why = Object.entries(out.reasons).map(([reason, count]) => `${grouped(count)} (${reason})`);
  const places = out.first.map(({ file, line }) => `${file}:${line}`).join(", ");
  const more = out.instances - out.first.length;
  return {
    ...view,
    text: `${view.text}\nLeft out beforehand: ${why.join(", ")}: ${places}${more > 0 ? ` and ${grouped(more)} more` : ""}`,
    data: { ...view.data, left_out_beforehand: out as unknown as JsonObject },
  };
}

/** Does what was previewed, and closes what the caller had open for it. */
export async function confirmReply(call: ToolCall, request: Parameters<typeof runBatch>[2]): Promise<Reply> {
  const { run } = request;
  const { batch } = await runBatch(call.engine, call.caller, request);
  const record = await waitForBatch(call.engine, { run, batch, ...batchWaiting(call) });
  const { program, state } = await call.engine.runs.open(run);
  const at = { program, state };
  const chosen = record.done && record.operation === "apply_fixes" ? await closeOpen(call, run) : undefined;
  const answered = chosen ?? (record.done ? await closeApproach(call.engine, run) : undefined);
  const facts = factsAt(await gatherFacts(call.engine, run), at, "main");
  const did = `${counted(record.modified, "instance")} ${verbs[record.operation] ?? "done"}.`;
  const next = nextOf(call, run, record, `${did} ${remainingText(facts)}`);
  const view = withLeftOut(batchResultReply(facts, { ...record, batch }, next), record.left_out_beforehand);
  if (answered === undefined) return fitReply(call, run, view);
  return fitReply(call, run, { ...view, text: `${view.text}\n${answered}`, data: { ...view.data, note: answered } });
}

export function batchWaiting({ waiting: { waitMs = 24_000, signal } }: ToolCall): Pick<BatchWait, "waitMs" | "signal"> {
  return { waitMs, ...defined({ signal }) };
}

type BatchWait = Parameters<typeof waitForBatch>[1];

const verbs: Readonly<Record<string, string>> = {
  apply_fixes: "converted",
  skip_instances: "skipped",
  flag_for_review: "flagged",
  apply_changes: "applied",
};

function nextOf(call: ToolCall, run: string, { done: over, previewed, modified }: BatchRecord, said: string): CheckAction {
  const next_call = { tool: "workflow_next", arguments: sessionArguments(call, run) };
  if (over) return { action: "review_remaining", actionId: "", instruction: `${said} Call workflow_next to continue.`, next_call };
  const instruction = `The batch continues: ${grouped(modified)} of ${grouped(previewed)} are done.`;
  return { action: "wait", actionId: "", instruction, next_call };
}

/**
 * A confirmed batch is what the open `batch_apply` asks for. When the way was not chosen yet, the batch is the recommended one and
 * nothing is left for the engine to fix, the person's confirmation has chosen it.
 */
async function closeOpen(call: ToolCall, run: string): Promise<string | undefined> {
  const handle = await call.engine.runs.open(run);
  const { holder } = call.caller;
  const driver = handle.state.strands["main"]?.holder;
  if (driver === undefined || driver.session !== holder.session || driver.name !== holder.name) return undefined;
  let said: string | undefined;
  const { question } = openOf(handle, call.caller);
  const recommended = runNamed(handle, undefined).definition.approach?.recommended;
  if (question !== undefined && isApproach(question) && question.answerBy === "relay" && recommended === applyAutoFirst) {
    const { instances } = factsAt(await gatherFacts(call.engine, run), handle, question.strand);
    if ((instances?.open.auto ?? 0) > 0) return undefined;
    await progress(call.engine, call.caller, { run, ...call.waiting, action: question.id, result: applyAutoFirst });
    said = `The open question is answered with ${applyAutoFirst}, since this batch was confirmed.`;
  }
  if (openOf(handle, call.caller).action?.what === "batch_apply")
    await reportCheck(call.engine, call.caller, { run, action: "batch_apply", status: "completed" });
  return said;
}

const failuresShown = 10;

/** Restores what a batch changed, or says which files changed since. */
export async function undoReply(call: ToolCall, run: string, wanted: string | undefined): Promise<Reply> {
  const request = { run, ...batchWaiting(call), ...defined({ batch: wanted }) };
  const { batch, record, finished } = await undoBatch(call.engine, call.caller, request);
  const { state } = await call.engine.runs.open(run);
  const tool = state.status === "running" ? "workflow_next" : "workflow_status";
  const next = { tool, arguments: sessionArguments(call, run) };
  const left = record.not_restored ?? [];
  const done = [undoneText(batch, record.restored ?? 0, left.length), ...(left.length === 0 ? [] : [leftText(left.length)])];
  const said = finished ? done.join(" ") : `Batch ${batch} is being undone.`;
  const data: JsonObject = {
    session_id: run,
    operation: "undo",
    dry_run: false,
    batch_id: batch,
    result: { completed: finished, files_restored: record.restored ?? 0, files_not_restored: left.length },
    failures: left.slice(0, failuresShown).map((entry) => ({ ...entry })),
    next_call: next,
  };
  const lines = [said, ...left.slice(0, failuresShown).map(({ file, error }) => `- ${file}: ${error}`), `Next: ${callText(next)}`];
  return fitReply(call, run, { text: lines.join("\n"), data });
}
