import { canonicalJson, isObject, nearest, type Json } from "../../base/index.ts";
import type { Action, Input } from "../../kernel/index.ts";
import { actorOf, type Caller } from "../caller.ts";
import { openOf } from "../checklist/callers-action.ts";
import { actionWord } from "../checklist/action-word.ts";
import { checklistOf, requireChecklist, type ChecklistRun } from "../checklist/checklist-run.ts";
import { givenUp } from "../checklist/given-up.ts";
import { identicalTo } from "../checklist/identical.ts";
import { reportChange, type CheckedReport, type Finding, type ProposedChange } from "../checklist/report-change.ts";
import { fromRejected, refused } from "../codes.ts";
import type { EngineContext } from "../context.ts";
import { decide, type Draft } from "../decide.ts";
import { fieldOf } from "../effects/file-effects.ts";
import { rowsOf } from "../effects/effect.ts";
import type { RunHandle } from "../run-cache.ts";
import type { Reported } from "./report.ts";

/** What an agent says it did, in the words of older clients. Only what it names is compared with what is open. */
export interface CheckReport {
  readonly run: string;
  /** Id of the action it answers; without one it is the open one of the caller. */
  readonly actionId?: string;
  readonly action?: string;
  readonly file?: string;
  readonly item?: string;
  /** `open`: findings, changes and topics are added, and the entry stays in hand. */
  readonly status: "completed" | "skipped" | "failed" | "open";
  readonly skipReason?: string;
  readonly error?: string;
  readonly findings?: readonly Finding[];
  readonly changes?: readonly ProposedChange[];
  /** A skip covers every open instance with the same text that nobody has in hand. */
  readonly identical?: boolean;
  readonly topics?: readonly { readonly topic: string; readonly relevance?: number; readonly description?: string }[];
}

export interface CheckReported extends Reported {
  /** Of a report that leaves its entry open: what that entry is. */
  readonly open?: string;
  /** Topics that were added, and those left out with the reason. */
  readonly expanded: readonly string[];
  readonly dropped: readonly { readonly topic: string; readonly why: string }[];
}

/** Records what was done with the open entry. A report that does not fit what is open changes nothing and says what is. */
export async function reportCheck(context: EngineContext, caller: Caller, request: CheckReport): Promise<CheckReported> {
  const handle = await context.runs.open(request.run);
  const opened = openOf(handle, caller);
  // The entry in hand may belong to a workflow that the run calls: its rows are in lists of their own.
  const run = checklistOf(handle, handle.state.strands[opened.strand]?.scope) ?? requireChecklist(handle);
  const repeated = request.status === "open" ? undefined : await alreadyDone(context, handle, run, request);
  if (repeated !== undefined) return repeated;
  const skipped = await skipBlocked({ context, handle, run, caller }, request);
  if (skipped !== undefined) return skipped;
  const { action } = opened;
  const drift = (kind: string, message: string, fix: string): Promise<never> => refuse({ context, handle, caller }, kind, message, fix);
  if (action === undefined || (request.actionId !== undefined && request.actionId !== action.id)) {
    const added = request.status === "open" ? await addedBefore({ context, handle, run, caller }, request, drift) : undefined;
    if (added !== undefined) return added;
    const open = action === undefined ? "Nothing is open for you." : `Open is ${describe(action)}.`;
    return drift(
      "no_action",
      `\`${request.actionId ?? request.action ?? "This"}\` is not open in run \`${handle.id}\`. ${open}`,
      "Call workflow_next and do what it says.",
    );
  }
  await compare(request, action, drift);
  const withOpen: Drift = (kind, message, fix) => drift(kind, `${message} Open is ${describe(action)}.`, fix);
  const checked = await check({ context, handle, run }, action, request, withOpen);
  if (request.status === "open") return addToOpen({ context, handle, run, caller }, action, checked);
  const at = await context.store.now();
  const strand = handle.state.strands[action.strand];
  const value = { status: request.status, skip_reason: request.skipReason ?? "", error: request.error ?? "" };
  const decision = await decide(context, handle, [
    {
      input: async (draft) => ({
        type: "report",
        action: action.id,
        holder: caller.holder,
        fence: strand?.fence ?? 0,
        outcome: { ok: true, value },
        write: true,
        at,
        by: actorOf(caller),
        change: await reportChange({ context, run }, rowsOf(context, handle.id, draft), {
          action,
          request: checked,
          counts: draft.state.lists,
        }),
      }),
      key: `report:${action.id}`,
    },
  ]);
  if (decision.kind === "rejected") throw fromRejected(decision.rejected);
  return {
    recorded: decision.kind === "repeated" ? "before" : "now",
    action: action.id,
    step: action.step,
    expanded: checked.topics.map((topic) => topic.topic),
    dropped: checked.dropped,
  };
}

/** Findings, changes and topics are kept with the entry, which nobody has reported yet. The same ones again change nothing. */
async function addToOpen({ context, handle, run, caller }: Place, action: Action, checked: CheckedReport): Promise<CheckReported> {
  const { findings, changes, topics, dropped } = checked;
  const at = await context.store.now();
  let expanded: readonly string[] = [];
  const input = async (draft: Draft): Promise<Input> => {
    const { lists } = draft.state;
    // Rows are named after the action, whose own report will bring more of them.
    const before = (lists[run.lists.findings]?.total ?? 0) + (lists[run.lists.changes]?.total ?? 0);
    const part: Action = { ...action, id: `${action.id}-at-${before}` };
    const change = await reportChange({ context, run }, rowsOf(context, handle.id, draft), {
      action: part,
      request: checked,
      counts: lists,
    });
    const { reported: _reported, ...count } = change.count ?? {};
    const below = (change.add ?? []).filter(({ list }) => list === run.lists.files).flatMap(({ items }) => items);
    expanded = below.map((row) => fieldOf(row.data, "topic_id"));
    return { type: "items", change: { add: change.add ?? [], count }, reason: "added to the open entry", at, by: actorOf(caller) };
  };
  const decision = await decide(context, handle, [{ input, key: addedKey(context, action.id, { findings, changes, topics }) }]);
  if (decision.kind === "rejected") throw fromRejected(decision.rejected);
  const recorded = decision.kind === "repeated" ? "before" : "now";
  return { recorded, action: action.id, step: action.step, expanded, dropped, open: describe(action) };
}

function addedKey({ host }: EngineContext, action: string, added: Pick<CheckedReport, "findings" | "changes" | "topics">): string {
  return `added:${action}:${host.sha256(canonicalJson(added))}`;
}

/** What was added to an entry that is reported by now, named by its id. */
async function addedBefore({ context, handle, run }: Place, request: CheckReport, drift: Drift): Promise<CheckReported | undefined> {
  const { actionId: action, findings = [], changes = [] } = request;
  if (action === undefined) return undefined;
  const { kept } = await topics({ context, run }, request, drift);
  const record = await context.store.findRecord(handle.id, addedKey(context, action, { findings, changes, topics: kept }));
  return record === undefined ? undefined : { recorded: "before", action, step: action, expanded: [], dropped: [] };
}

/** The same report again: by its action's id, or because the item it names is settled and not open. */
async function alreadyDone(
  context: EngineContext,
  handle: RunHandle,
  run: ChecklistRun,
  request: CheckReport,
): Promise<CheckReported | undefined> {
  const before = { recorded: "before" as const, expanded: [], dropped: [] };
  if (request.actionId !== undefined) {
    const record = await context.store.findRecord(handle.id, `report:${request.actionId}`);
    if (record !== undefined) return { ...before, action: request.actionId, step: request.item ?? request.actionId };
  }
  if (request.item === undefined) return undefined;
  const topic = `${request.file ?? ""}#topic:`;
  const below =
    request.file === undefined
      ? []
      : await context.store.selectItems(handle.id, {
          list: run.lists.files,
          query: { parent: request.file, facets: { kind: "topic" } },
          limit: 500,
        });
  const named = below.filter((each) => each.id.startsWith(topic) && fieldOf(each.data, "entry") === request.item).map((each) => each.id);
  const ids = request.file === undefined ? [request.item] : [request.item, `${request.file}#${request.item}`, ...named];
  for (const id of ids) {
    const row = await context.store.readItem(handle.id, run.lists.files, id);
    const wanted = request.status === "failed" ? "failed" : request.status;
    if (row !== undefined && row.status === wanted) return { ...before, action: id, step: id };
  }
  return undefined;
}

interface Place {
  readonly context: EngineContext;
  readonly handle: RunHandle;
  readonly run: ChecklistRun;
  readonly caller: Caller;
}

/** A file that failed may be given up with a reason; when it was the last one in the way, the run goes on. */
async function skipBlocked({ context, handle, run, caller }: Place, request: CheckReport): Promise<CheckReported | undefined> {
  const reason = (request.skipReason ?? "").trim();
  const blocked = Object.values(handle.state.strands).some((strand) => strand.status === "blocked");
  if (!blocked || request.status !== "skipped" || request.file === undefined || reason === "") return undefined;
  const { file } = request;
  const list = run.lists.files;
  const row = await context.store.readItem(handle.id, list, file);
  if (row?.status !== "failed" || row.parent !== undefined) return undefined;
  const at = await context.store.now();
  const by = actorOf(caller);
  const move = {
    list,
    id: file,
    from: "failed" as const,
    to: "skipped" as const,
    facets: row.facets,
    root: row.root,
    reason,
    label: givenUp,
  };
  const decision = await decide(context, handle, [
    { input: { type: "items", change: { moves: [move] }, reason: "a blocked file was skipped", at, by } },
    { input: { type: "retry", resetCounts: false, at, by } },
  ]);
  if (decision.kind === "rejected") throw fromRejected(decision.rejected);
  return { recorded: "now", action: file, step: file, expanded: [], dropped: [] };
}

type Drift = (kind: string, message: string, fix: string) => Promise<never>;

/** Counts the refusal, so that the run's measures show it, and throws it. */
async function refuse(
  { context, handle, caller }: { readonly context: EngineContext; readonly handle: RunHandle; readonly caller: Caller },
  kind: string,
  message: string,
  fix: string,
): Promise<never> {
  const at = await context.store.now();
  if (handle.state.status === "running")
    await decide(context, handle, [
      { input: { type: "items", change: { count: { [`refused:${kind}`]: 1 } }, reason: `refused: ${kind}`, at, by: actorOf(caller) } },
    ]);
  throw refused("ENGINE_OFF_COURSE", `${message} Nothing was recorded.`, fix, { kind });
}

export function describe(action: Action): string {
  const item = action.args["item"];
  if (action.what !== "check") return `\`${action.what}\``;
  return `\`${actionWord(item)}\` of \`${shortItem(item)}\` in ${fieldOf(item, "file")}`;
}

function shortItem(item: Json | undefined): string {
  const entry = fieldOf(item, "entry");
  return entry === "" ? fieldOf(item, "id") : entry;
}

async function compare(request: CheckReport, action: Action, drift: Drift): Promise<void> {
  const item = action.args["item"];
  const file = fieldOf(item, "file");
  const open = `Open is ${describe(action)}.`;
  const fix = `Do that, then report it with action_id ${action.id}.`;
  if (action.what === "check") {
    const plain = request.file?.replaceAll("\\", "/").replace(/^\.\//, "");
    if (plain !== undefined && plain !== "" && plain !== file)
      await drift("wrong_file", `${plain} is not the file in your hands. ${open}`, fix);
    const ids = [
      fieldOf(item, "id"),
      fieldOf(item, "entry"),
      fieldOf(item, "topic_id"),
      `topic-${fieldOf(item, "topic_id").split("/").at(-1) ?? ""}`,
    ];
    if (request.item !== undefined && request.item !== "" && !ids.includes(request.item))
      await drift("wrong_item", `\`${request.item}\` is not the checklist item in your hands. ${open}`, fix);
    const word = actionWord(item);
    const fits = [
      word,
      "check",
      ...(word === "convert_instance" ? ["skip_instance", "flag_for_later", "review_instance", "skip_with_reason"] : []),
      "record_finding",
      "propose_change",
    ];
    if (request.action !== undefined && !fits.includes(request.action))
      await drift("wrong_action", `\`${request.action}\` is not what is open. ${open}`, fix);
    return;
  }
  const about = request.file ?? request.item ?? "";
  if (about !== "") await drift("wrong_file", `\`${about}\` is not what is open. ${open}`, fix);
  if (request.action !== undefined && request.action !== action.what && !(action.what === "batch_apply" && request.action === "skip_batch"))
    await drift("wrong_action", `\`${request.action}\` is not what is open. ${open}`, fix);
}

/** Skips and failures have reasons, and only what may be skipped is skipped. */
async function refuseSkip(run: ChecklistRun, action: Action, request: CheckReport, drift: Drift): Promise<void> {
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

async function check(
  { context, handle, run }: { readonly context: EngineContext; readonly handle: RunHandle; readonly run: ChecklistRun },
  action: Action,
  request: CheckReport,
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
  const { kept, dropped } = await topics({ context, run }, request, drift);
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
async function alike(
  { context, handle, run }: { readonly context: EngineContext; readonly handle: RunHandle; readonly run: ChecklistRun },
  item: Json | undefined,
  request: CheckReport,
): Promise<readonly string[]> {
  if (request.identical !== true || request.status !== "skipped" || !isObject(item) || item["kind"] !== "instance") return [];
  return (await identicalTo(context, handle.id, run.lists.files, item)).map((row) => row.id);
}

/** Known topics at or above the relevance the workflow asks for. */
async function topics(
  { context, run }: { readonly context: EngineContext; readonly run: ChecklistRun },
  request: CheckReport,
  drift: Drift,
): Promise<{ readonly kept: CheckedReport["topics"]; readonly dropped: { readonly topic: string; readonly why: string }[] }> {
  const dropped: { readonly topic: string; readonly why: string }[] = [];
  const kept: CheckedReport["topics"][number][] = [];
  const { enabled, minRelevance } = run.definition.topics;
  for (const { topic, relevance = 1, description } of request.topics ?? []) {
    const known = await context.guides.topic(topic);
    if (known === undefined) {
      const near = nearest(topic, await context.guides.topicIds());
      const hint = near[0] === undefined ? "" : ` Did you mean \`${near[0]}\`?`;
      return drift("unknown_topic", `There is no topic \`${topic}\`.${hint}`, "Use topic ids that the analysis suggested.");
    }
    if (!enabled) dropped.push({ topic, why: "this workflow discovers no topics" });
    else if (relevance < minRelevance) dropped.push({ topic, why: `relevance ${relevance} is below ${minRelevance}` });
    else kept.push({ topic: known.id, relevance, description: description ?? known.title });
  }
  return { kept, dropped };
}
