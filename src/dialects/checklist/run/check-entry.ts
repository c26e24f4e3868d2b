import { isObject, nearest, type Json } from "../../../base/index.ts";
import type { Action } from "../../../kernel/index.ts";
import type { EngineContext, RunHandle } from "../../../engine/index.ts";
import type { ChecklistRun } from "./checklist-run.ts";
import { identicalTo } from "./identical.ts";
import type { Drift } from "./off-course.ts";
import type { CheckedReport, Finding, ProposedChange } from "./report-change.ts";

/** What a report says about an entry. */
export interface SaidOfEntry {
  /** `open`: findings, changes and topics are added, and the entry stays in hand. */
  readonly status: "completed" | "skipped" | "failed" | "open";
  readonly action?: string;
  readonly skipReason?: string;
  readonly error?: string;
  readonly findings?: readonly Finding[];
  readonly changes?: readonly ProposedChange[];
  /** A skip covers every open instance with the same text that nobody has in hand. */
  readonly identical?: boolean;
  readonly topics?: readonly { readonly topic: string; readonly relevance?: number; readonly description?: string }[];
}

interface Place {
  readonly context: EngineContext;
  readonly handle: RunHandle;
  readonly run: ChecklistRun;
}

/** Skips and failures have reasons, and only what may be skipped is skipped. */
async function refuseSkip(run: ChecklistRun, action: Action, request: SaidOfEntry, drift: Drift): Promise<void> {
  const item = action.args["item"];
  const required = isObject(item) && item["required"] !== false;
  const role = action.what === "batch_apply" ? "batch" : "agent";
  const phase = run.definition.phases.find((each) => (action.what === "run_phase" ? each.id === action.args["phase"] : each.role === role));
  if (request.status === "skipped" && action.what !== "check" && phase?.required === true)
    await drift("skip", `The phase ${phase.id} is required.`, "Do it, or report it as failed with the reason.");
  if (request.status === "skipped") {
    if (!run.definition.rules.allowSkip && required)
      await drift("skip", "This workflow allows no skips.", "Do it, or report it as failed with the reason.");
    if ((request.skipReason ?? "").trim() === "") await drift("skip", "A skip needs its reason.", "Repeat the report with skip_reason.");
  }
  if (request.status === "failed" && (request.error ?? "").trim() === "")
    await drift("failure", "A failure needs its reason.", "Repeat the report with error.");
}

export async function checkEntry(
  { context, handle, run }: Place,
  action: Action,
  request: SaidOfEntry,
  drift: Drift,
): Promise<CheckedReport> {
  const item = action.args["item"];
  await refuseSkip(run, action, request, drift);
  const named = new Set([...(request.findings ?? []), ...(request.changes ?? [])].flatMap(({ file }) => file ?? []));
  for (const file of named) {
    const row = await context.store.readItem(handle.id, run.lists.files, file);
    if (row === undefined || row.facets["kind"] !== "file")
      await drift(
        "out_of_scope",
        `${file} is not a file of this run.`,
        "Report findings and changes for files of the run only; leave this one out.",
      );
  }
  const { kept, dropped } = await knownTopics({ context, run }, request, drift);
  return {
    // A skip brings nothing but what was said with it, which is what an entry that stays open is given.
    status: request.status === "open" ? "skipped" : request.status,
    findings: request.findings ?? [],
    changes: request.changes ?? [],
    topics: kept,
    dropped,
    given: (request.topics ?? []).length,
    ...(request.error === undefined ? {} : { error: request.error }),
    flagged: request.action === "flag_for_later",
    alike: await alike({ context, handle, run }, item, request),
    reason: request.skipReason ?? "",
  };
}

/** Ids of the instances that a skip covers beside the one in hand. */
async function alike({ context, handle, run }: Place, item: Json | undefined, request: SaidOfEntry): Promise<readonly string[]> {
  if (request.identical !== true || request.status !== "skipped" || !isObject(item) || item["kind"] !== "instance") return [];
  return (await identicalTo(context, handle.id, run.lists.files, item)).map((row) => row.id);
}

/** Known topics at or above the relevance the workflow asks for. */
export async function knownTopics(
  { context, run }: { readonly context: EngineContext; readonly run: ChecklistRun },
  request: SaidOfEntry,
  drift: Drift,
): Promise<{ readonly kept: CheckedReport["topics"]; readonly dropped: { readonly topic: string; readonly why: string }[] }> {
  const dropped: { readonly topic: string; readonly why: string }[] = [];
  const kept: CheckedReport["topics"][number][] = [];
  const { enabled, minRelevance } = run.definition.topics;
  for (const { topic, relevance = 1, description } of request.topics ?? []) {
    const known = await context.knowledge.topic(topic);
    if (known === undefined) {
      const near = nearest(
        topic,
        (await context.knowledge.topics()).map(({ id }) => id),
      );
      const hint = near[0] === undefined ? "" : ` Did you mean \`${near[0]}\`?`;
      return drift("unknown_topic", `There is no topic \`${topic}\`.${hint}`, "Use topic ids that the analysis suggested.");
    }
    if (!enabled) dropped.push({ topic, why: "this workflow discovers no topics" });
    else if (relevance < minRelevance) dropped.push({ topic, why: `relevance ${relevance} is below ${minRelevance}` });
    else kept.push({ topic: known.id, relevance, description: description ?? known.title });
  }
  return { kept, dropped };
}
