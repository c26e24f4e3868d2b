import { canonicalJson, defined, own, fieldOf } from "../../../../base/index.ts";
import { mainStrand, openRefs, type Action, type Input } from "../../../../kernel/index.ts";
import {
  actorOf,
  type Caller,
  fromRejected,
  refused,
  type EngineContext,
  decide,
  type Draft,
  rowsOf,
  listsOnRequest,
  resolveStrand,
  type RunHandle,
  closingRecord,
  endOf,
  recordReport,
  reportingStrand,
  type Reported,
  type ReportRequest,
  readTaskFacts,
} from "../../../../engine/index.ts";
import { openOf, checklistOf, isInChecklist, requireChecklist, type ChecklistRun } from "../checklist-run.ts";
import {
  actionWord,
  entryNames,
  isEntryCalled,
  checkEntry,
  knownTopics,
  type SaidOfEntry,
  describe,
  refuseDrift,
  type Drift,
} from "../take-entry.ts";
import { givenUp } from "../file-rows.ts";
import { reportChange, type CheckedReport } from "../report-change.ts";

/** What an agent says it did, in the words of older clients. Only what it names is compared with what is open. */
export interface CheckReport extends SaidOfEntry {
  readonly run: string;
  /** Id of the action it answers; without one it is the open one of the caller. */
  readonly actionId?: string;
  readonly file?: string;
  readonly item?: string;
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
  const drift: Drift = (kind, message, fix) => refuseDrift({ context, handle, caller }, kind, message, fix);
  if (action === undefined || (request.actionId !== undefined && request.actionId !== action.id)) {
    const added = request.status === "open" ? await addedBefore({ context, handle, run, caller }, request, drift) : undefined;
    if (added !== undefined) return added;
    const open = action === undefined ? `Nothing is open for you in run \`${handle.id}\`.` : `Open is ${describe(action)}.`;
    const named = request.actionId ?? request.action;
    if (action !== undefined && isEntryCalled(action, request.actionId ?? ""))
      return drift("no_action", `\`${named}\` alone does not tell which one is meant. ${open}`, reportById(action));
    return drift(
      "no_action",
      `${named === undefined ? "" : `\`${named}\` is not open in run \`${handle.id}\`. `}${open}`,
      "Call workflow_next and do what it says.",
    );
  }
  await compare(request, action, drift);
  if (request.status === "open") {
    const withOpen: Drift = (kind, message, fix) => drift(kind, `${message} Open is ${describe(action)}.`, fix);
    return addToOpen({ context, handle, run, caller }, action, await checkEntry({ context, handle, run }, action, request, withOpen));
  }
  const { said, ...reported } = await recordReport(context, caller, { handle, action }, reportOf(request, request.status));
  return { ...reported, expanded: [], dropped: [], ...(said as Pick<CheckReported, "expanded" | "dropped"> | undefined) };
}

/** The same in the fields that the leaf takes. */
function reportOf(request: CheckReport, status: Exclude<CheckReport["status"], "open">): Omit<ReportRequest, "run"> {
  const { error, action, skipReason, findings, changes, topics, identical } = request;
  return defined({
    status: status === "completed" ? ("success" as const) : status,
    error,
    more: defined({ action, skip_reason: skipReason, findings, proposed_changes: changes, expand_checklist: topics, identical }),
  });
}

/** Findings, changes and topics are kept with the entry, which nobody has reported yet. The same ones again change nothing. */
async function addToOpen({ context, handle, run, caller }: Place, action: Action, checked: CheckedReport): Promise<CheckReported> {
  const { findings, changes, topics, dropped } = checked;
  const at = await context.store.now();
  let expanded: readonly string[] = [];
  const input = async (draft: Draft): Promise<Input> => {
    refuseOthers(draft, caller, action);
    const { lists } = draft.state;
    // The report of the entry will bring more of them.
    const before = (lists[run.lists.findings]?.total ?? 0) + (lists[run.lists.changes]?.total ?? 0);
    const change = await reportChange({ context, run }, rowsOf(context, handle.id, draft), {
      action,
      part: `-at-${before}`,
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

/** What is added to an entry comes from who has it in hand, as its report does. */
function refuseOthers({ state }: Draft, { holder: { kind, name, session } }: Caller, { id, strand, step }: Action): void {
  const { holder } = state.strands[strand] ?? {};
  if (state.actions[id] !== undefined && holder?.kind === kind && holder.name === name && holder.session === session) return;
  throw refused(
    "HOLDER_LOST",
    `\`${step}\` (${id}) is held by ${holder === undefined ? "nobody" : `${holder.kind} \`${holder.name}\``}, not by you. Nothing was changed.`,
    "Ask for the next step first, resume the run to take it over, or leave it to its holder.",
    openRefs(state),
  );
}

function addedKey({ host }: EngineContext, action: string, added: Pick<CheckedReport, "findings" | "changes" | "topics">): string {
  return `added:${action}:${host.sha256(canonicalJson(added))}`;
}

/** What was added to an entry that is reported by now, named by its id. */
async function addedBefore({ context, handle, run }: Place, request: CheckReport, drift: Drift): Promise<CheckReported | undefined> {
  const { actionId: action, findings = [], changes = [] } = request;
  if (action === undefined) return undefined;
  const { kept } = await knownTopics({ context, run }, request, drift);
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
  if (request.item === undefined) return settledBefore(context, handle, run, request);
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

/** An entry that the report names with its file instead of the id of its action. */
async function settledBefore(
  context: EngineContext,
  handle: RunHandle,
  run: ChecklistRun,
  { actionId: id = "", status }: CheckReport,
): Promise<CheckReported | undefined> {
  const row = id.includes("#") ? await context.store.readItem(handle.id, run.lists.files, id) : undefined;
  if (row?.parent === undefined || row.status !== status) return undefined;
  return { recorded: "before", action: id, step: id, expanded: [], dropped: [] };
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

function reportById({ id }: Action): string {
  return `Do that, then report it with action_id ${id}.`;
}

async function compare(request: CheckReport, action: Action, drift: Drift): Promise<void> {
  const item = action.args["item"];
  const file = fieldOf(item, "file");
  const open = `Open is ${describe(action)}.`;
  const fix = reportById(action);
  if (action.what === "check") {
    const plain = request.file?.replaceAll("\\", "/").replace(/^\.\//, "");
    if (plain !== undefined && plain !== "" && plain !== file)
      await drift("wrong_file", `${plain} is not the file in your hands. ${open}`, fix);
    if (request.item !== undefined && request.item !== "" && !entryNames(item).includes(request.item))
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

/** Whether a report in the run of a checklist is about an entry of its own, or about a step of what it calls: open, or over with its task. */
export async function isOfChecklist(
  context: EngineContext,
  caller: Caller,
  { run, ...named }: Pick<ReportRequest, "run" | "task" | "action">,
): Promise<boolean> {
  const handle = await context.runs.open(run);
  if (!isInChecklist(handle, reportingStrand(handle, caller, named)?.id ?? mainStrand)) return false;
  const { action, task } = named;
  if (action !== undefined)
    return (await readTaskFacts(context, handle, action)) === undefined && !(await hasJoined(context, handle, action));
  if (task === undefined) return true;
  const target = await resolveStrand(context, handle, task);
  return target.kind === "strand" || listsOnRequest(handle.program).has(target.list);
}

/** Whether it is the id of a hand-out of tasks that have all ended. */
async function hasJoined(context: EngineContext, handle: RunHandle, id: string): Promise<boolean> {
  const { actions, decisions } = handle.state;
  if ((own(actions, id) ?? own(decisions, id)) !== undefined || (await closingRecord(context, handle, id)) !== undefined) return false;
  return (await endOf(context, handle, id)) === "joined";
}
