import { moveTo } from "../run-rows.ts";
import { canonicalJson, defined, own, fieldOf } from "../../../../base/index.ts";
import { mainStrand, openRefs, type Action, type Input } from "../../../../kernel/index.ts";
import {
  actorOf,
  type Caller,
  fromRejected,
  refused,
  type EngineContext,
  type RunHandle,
  commitInputs,
  type Draft,
  rowsOf,
  listsOnRequest,
  resolveStrand,
  closingRecord,
  endOf,
  lateText,
  recordReport,
  type RecordedReport,
  reportingStrand,
  type Reported,
  type ReportRequest,
  readTaskFacts,
  wakeDue,
} from "../../../../engine/index.ts";
import { openOf, checklistOf, isInChecklist, requireChecklist, type InRun } from "../checklist-run.ts";
import {
  actionWord,
  addedTo,
  entryNames,
  isEntryCalled,
  checkEntry,
  type SaidOfEntry,
  describe,
  refuseDrift,
  type Drift,
} from "../take-entry.ts";
import { givenUp } from "../file-rows.ts";
import { topicsToApply } from "../readable-report.ts";
import { reportChange, type CheckedReport, type LeftOut } from "../report-change.ts";

/** What an agent says it did, in the words of older clients. Only what it names is compared with what is open. */
export interface CheckReport extends SaidOfEntry {
  readonly run: string;
  /** Id of the action it answers; without one it is the open one of the caller. */
  readonly actionId?: string;
  readonly file?: string;
  readonly item?: string;
}

export interface CheckReported extends Reported, Pick<RecordedReport, "denied"> {
  /** Of a report that leaves its entry open: what that entry is. */
  readonly open?: string;
  /** Topics that were added, and those left out with the reason. */
  readonly expanded: readonly string[];
  readonly dropped: readonly { readonly topic: string; readonly why: string }[];
  /** Other parts of the report that were not taken as they were given. */
  readonly leftOut?: readonly LeftOut[];
  /** Where instances are that were skipped with the reported one. */
  readonly alike?: readonly string[];
}

/** A report that brought nothing but its status. */
export function plainReport(recorded: Reported["recorded"], action: string, step: string = action): CheckReported {
  return { recorded, action, step, expanded: [], dropped: [] };
}

interface ReporterInRun extends InRun {
  readonly caller: Caller;
}

/** Records what was done with the open entry. A report that does not fit what is open changes nothing and says what is. */
export async function reportCheck(context: EngineContext, caller: Caller, request: CheckReport): Promise<CheckReported> {
  const handle = await context.runs.open(request.run);
  await wakeDue(context, handle);
  const { action, strand } = meantBy(handle, caller, request);
  // The entry may belong to a workflow that the run calls: its rows are in lists of their own.
  const run = checklistOf(handle, handle.state.strands[strand]?.scope) ?? requireChecklist(handle);
  const place: ReporterInRun = { context, handle, run, caller };
  const settled = (await settledBefore(place, request)) ?? (await skipBlocked(place, request));
  if (settled !== undefined) return settled;
  const drift: Drift = (kind, message, fix) => refuseDrift(place, kind, message, fix);
  if (action === undefined || (request.actionId !== undefined && request.actionId !== action.id))
    return (await addedBefore(place, request)) ?? refuseNotOpen(place, action, request, drift);
  await compare(request, action, drift);
  if (request.status === "open") {
    const withOpen: Drift = (kind, message, fix) => drift(kind, `${message} Open is ${describe(action)}.`, fix);
    const checked = await checkEntry(place, action, request, withOpen);
    return addToOpen(place, action, checked, addedKey(context, action.id, { ...request, topics: checked.topics }));
  }
  const { reported, denied } = await recordReport(context, caller, { handle, action }, reportOf(request, request.status));
  const said = reported.said as Partial<CheckReported> | undefined;
  const plain = plainReport(reported.recorded, action.id, action.step);
  return { ...plain, ...said, ...(denied === undefined || request.status !== "completed" ? {} : { denied }) };
}

/** The open action that the report names by its id, else the caller's own. */
function meantBy(handle: RunHandle, caller: Caller, { actionId }: CheckReport): { readonly strand: string; readonly action?: Action } {
  const named = own(handle.state.actions, actionId ?? "");
  return named === undefined ? openOf(handle, caller) : { strand: named.strand, action: named };
}

async function refuseNotOpen(
  { context, handle }: ReporterInRun,
  action: Action | undefined,
  request: CheckReport,
  drift: Drift,
): Promise<never> {
  const open = action === undefined ? `Nothing is open for you in run \`${handle.id}\`.` : `Open is ${describe(action)}.`;
  const named = request.actionId ?? request.action;
  const late = request.actionId !== undefined && (await endOf(context, handle, request.actionId)) === "late";
  if (action !== undefined && isEntryCalled(action, request.actionId ?? ""))
    return drift("no_action", `\`${named}\` alone does not say which one you mean. ${open}`, reportById(action));
  const not = named === undefined ? "" : `\`${named}\` is not open in run \`${handle.id}\`. `;
  return drift("no_action", `${late ? lateText(named ?? "") : ""}${not}${open}`, "Call workflow_next and do what it says.");
}

/** The same in the fields that the leaf takes. */
function reportOf(request: CheckReport, status: Exclude<CheckReport["status"], "open">): Omit<ReportRequest, "run"> {
  const { error, action, skipReason, findings, changes, topics, identical, verdict, result } = request;
  return defined({
    status: status === "completed" ? ("success" as const) : status,
    error,
    result,
    more: defined({ action, verdict, skip_reason: skipReason, findings, proposed_changes: changes, expand_checklist: topics, identical }),
  });
}

/** Findings, changes and topics are kept with the entry, which nobody has reported yet. The same ones again change nothing. */
async function addToOpen(
  { context, handle, run, caller }: ReporterInRun,
  action: Action,
  checked: CheckedReport,
  key: string,
): Promise<CheckReported> {
  const { dropped, leftOut } = checked;
  await context.holding.takeReported(handle, action, caller);
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
    const { reported: _reported, ...others } = change.count ?? {};
    const count =
      checked.findings.length + checked.changes.length + checked.topics.length === 0 ? others : { ...others, [addedTo(action.id)]: 1 };
    const below = (change.add ?? []).filter(({ list }) => list === run.lists.files).flatMap(({ items }) => items);
    expanded = below.map((row) => fieldOf(row.data, "topic_id"));
    return { type: "items", change: { add: change.add ?? [], count }, reason: "added to the open entry", at, by: actorOf(caller) };
  };
  const decision = await commitInputs(context, handle, [{ input, key }]);
  if (decision.kind === "rejected") throw fromRejected(decision.rejected);
  const recorded = decision.kind === "repeated" ? "before" : "now";
  return { recorded, action: action.id, step: action.step, expanded, dropped, leftOut, open: describe(action) };
}

/** What is added to an entry comes from its holder, as its report does. */
function refuseOthers({ state }: Draft, { holder: { kind, name, session } }: Caller, { id, strand, step }: Action): void {
  const { holder } = state.strands[strand] ?? {};
  if (state.actions[id] !== undefined && holder?.kind === kind && holder.name === name && holder.session === session) return;
  throw refused(
    "HOLDER_LOST",
    `\`${step}\` (${id}) is held by ${holder === undefined ? "nobody" : `${holder.kind} \`${holder.name}\``}, not by you. Nothing was changed.`,
    "Ask for the next step: what is free is handed out to you.",
    openRefs(state),
  );
}

/** What was added, as it was said: what is known of the place beside it may be something else by now. */
function addedKey(
  { host }: EngineContext,
  action: string,
  { findings = [], changes = [], topics }: Pick<SaidOfEntry, "findings" | "changes"> & Pick<CheckedReport, "topics">,
): string {
  return `added:${action}:${host.sha256(canonicalJson({ findings, changes, topics }))}`;
}

/** What was added to an entry that is reported by now, named by its id. */
async function addedBefore({ context, handle, run }: ReporterInRun, request: CheckReport): Promise<CheckReported | undefined> {
  const { status, actionId: action } = request;
  if (status !== "open" || action === undefined) return undefined;
  const { topics } = await topicsToApply({ context, run }, request.topics ?? []);
  const record = await context.store.findRecord(handle.id, addedKey(context, action, { ...request, topics }));
  return record === undefined ? undefined : plainReport("before", action);
}

/** The same report again: by its action's id, or because the entry that it names is settled so and not open. */
async function settledBefore({ context: { store }, handle, run }: ReporterInRun, request: CheckReport): Promise<CheckReported | undefined> {
  const { status, actionId = "", file, item } = request;
  if (status === "open") return undefined;
  if (actionId !== "" && (await store.findRecord(handle.id, `report:${actionId}`)) !== undefined)
    return plainReport("before", actionId, item ?? actionId);
  const list = run.lists.files;
  // Without an item, an entry may be named with its file instead of the id of its action.
  const names = item === undefined ? (actionId.includes("#") ? [actionId] : []) : [item];
  if (item !== undefined && file !== undefined) {
    const topics = await store.selectItems(handle.id, { list, query: { parent: file, facets: { kind: "topic" } }, limit: 500 });
    const called = topics.filter(({ id, data }) => id.startsWith(`${file}#topic:`) && fieldOf(data, "entry") === item);
    names.push(`${file}#${item}`, ...called.map(({ id }) => id));
  }
  for (const id of names) {
    const row = await store.readItem(handle.id, list, id);
    if (row?.status === status && (item !== undefined || row.parent !== undefined)) return plainReport("before", id);
  }
  return undefined;
}

/** A file that failed may be given up with a reason; when it was the last one in the way, the run continues. */
async function skipBlocked({ context, handle, run, caller }: ReporterInRun, request: CheckReport): Promise<CheckReported | undefined> {
  const { status, file, skipReason = "" } = request;
  const reason = skipReason.trim();
  const blocked = Object.values(handle.state.strands).some((strand) => strand.status === "blocked");
  if (!blocked || status !== "skipped" || file === undefined || reason === "") return undefined;
  const row = await context.store.readItem(handle.id, run.lists.files, file);
  if (row?.status !== "failed" || row.parent !== undefined) return undefined;
  const at = await context.store.now();
  const by = actorOf(caller);
  const moves = [moveTo(row, "skipped", { reason, label: givenUp })];
  const decision = await commitInputs(context, handle, [
    { input: { type: "items", change: { moves }, reason: "a blocked file was skipped", at, by } },
    { input: { type: "retry", resetCounts: false, at, by } },
  ]);
  if (decision.kind === "rejected") throw fromRejected(decision.rejected);
  return plainReport("now", file);
}

function reportById({ id }: Action): string {
  return `Do that, then report it with action_id ${id}.`;
}

async function compare({ file = "", item = "", action: done }: CheckReport, action: Action, drift: Drift): Promise<void> {
  const { item: entry } = action.args;
  const refuse = (kind: string, what: string): Promise<never> => drift(kind, `${what} Open is ${describe(action)}.`, reportById(action));
  const isEntry = action.what === "check";
  const path = file.replaceAll("\\", "/").replace(/^\.\//, "");
  if (isEntry && path !== "" && path !== fieldOf(entry, "file")) await refuse("wrong_file", `${path} is not the file you are working on.`);
  if (isEntry && item !== "" && !entryNames(entry).includes(item))
    await refuse("wrong_item", `\`${item}\` is not the checklist item you are working on.`);
  if (!isEntry && (file || item) !== "") await refuse("wrong_file", `\`${file || item}\` is not what is open.`);
  if (done !== undefined && !wordsFor(action).includes(done)) await refuse("wrong_action", `\`${done}\` is not what is open.`);
}

/** What clients may call the action when they report it. */
function wordsFor({ what, args }: Action): readonly string[] {
  if (what !== "check") return what === "batch_apply" ? [what, "skip_batch"] : [what];
  const word = actionWord(args);
  const ofInstance = ["skip_instance", "flag_for_later", "review_instance", "skip_with_reason"];
  return [word, "check", "record_finding", "propose_change", ...(word.endsWith("_instance") ? ofInstance : [])];
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
  const { actions, decisions } = handle.state;
  if (action !== undefined) {
    if ((await readTaskFacts(context, handle, action)) !== undefined) return false;
    if ((own(actions, action) ?? own(decisions, action) ?? (await closingRecord(context, handle, action))) !== undefined) return true;
    // A hand-out of tasks that have all ended.
    return (await endOf(context, handle, action)) !== "joined";
  }
  if (task === undefined) return true;
  const target = await resolveStrand(context, handle, task);
  return target.kind === "strand" || listsOnRequest(handle.program).has(target.list);
}
