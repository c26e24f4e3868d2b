import {
  applyAutoFirst,
  type SaidFinding,
  verdicts,
  entryNamed,
  isOfChecklist,
  openOf,
  reportCheck,
  type CheckReport,
  type CheckReported,
  type ProposedChange,
  plainReport,
  topicOf,
} from "../run/index.ts";
import { defined, isObject, textOf, type Json, type JsonObject, counted } from "../../../base/index.ts";
import { isAnswered, isMinted, isReported, progress, type About, type DeniedClaim, type Position, refused } from "../../../engine/index.ts";
import {
  around,
  asWorker,
  badArgument,
  nextForWorker,
  standingReply,
  timeOf,
  type Arguments,
  type Reply,
  type Surrounding,
  type ToolCall,
} from "../../../mcp/index.ts";
import type { ReportArguments } from "./report-arguments.ts";

/** The report of an entry of a checklist's run; undefined for a step of what it calls, and for other runs. */
export async function entryReported(call: ToolCall, args: Arguments): Promise<Reply | undefined> {
  const given = args as unknown as ReportArguments;
  const named = { run: given.run_id, ...defined({ action: given.action_id, task: given.task_id }) };
  if (!(await isOfChecklist(call.engine, call.caller, named))) return undefined;
  if (given.usage !== undefined)
    throw badArgument("workflow_progress", ["`usage` is not counted in runs of checklists"], "the report without it");
  return reportEntry(asWorker(call, "workflow_progress", given.worker), given);
}

/** Records what was done with the open entry, or what was answered, and gives the next action. */
async function reportEntry(call: ToolCall, given: ReportArguments): Promise<Reply> {
  const said = await saidOfEntry(call, given);
  const { run_id: run } = said.args;
  const before = await saidBefore(call, said);
  const { beside, position } = before === undefined ? await recorded(call, said.args) : { beside: before, position: undefined };
  if (before === undefined) said.remember(beside.about);
  const found = position ?? (await nextForWorker(call, { run, follows: before === undefined ? "now" : "before", ...call.waiting }, beside));
  // Known only when the engine has looked at the file.
  const standing = "text" in found ? undefined : found.standing;
  const aside = setAside(await beside.denied?.(standing));
  const asideLines = aside?.lines(aside.data) ?? [];
  if ("text" in found) return { text: [...asideLines, found.text].join("\n"), data: { ...found.data, ...aside?.data } };
  return standingReply(call, found, around({ ...beside.data, ...aside?.data }, [...beside.lines(beside.data), ...asideLines]));
}

/**
 * A file says once too often that a claim was false: its reporter gets word of what became of the instance. One that is open again is
 * handed out with word of that.
 */
export function setAside(denied: DeniedClaim | undefined): Surrounding | undefined {
  if (denied?.became !== "failed") return undefined;
  const { item, reason } = denied;
  const { id = "", file = "", line = null } = item;
  return around({ set_aside: { file, line, checklist_item_id: textOf(id), status: "failed", reason } }, [
    `\`${textOf(id)}\` in ${textOf(file)} is set aside as failed: ${reason} workflow_retry opens it again.`,
  ]);
}

/** A report and what this client said before: without an id of its own, the same words may be the same call again. */
interface SaidOfEntry {
  /** With the id of the hand-out where the report names it in another way. */
  readonly args: ReportArguments;
  /** What the same words were about. */
  readonly before?: About | undefined;
  readonly remember: (about: About) => void;
}

async function saidOfEntry({ engine, caller }: ToolCall, args: ReportArguments): Promise<SaidOfEntry> {
  const { run_id: run, action_id: name, worker: _worker, task_id: _task, step_id: _step, ...rest } = args;
  const { handOuts } = engine;
  if (name === undefined) {
    const said = JSON.stringify(rest);
    return { args, before: handOuts.saidBefore(caller, run, said), remember: (about) => handOuts.said(caller, run, said, about) };
  }
  const handle = await engine.runs.open(run);
  if (isMinted(name) || handle.state.actions[name] !== undefined || handle.state.decisions[name] !== undefined)
    return { args, remember: () => undefined };
  const said = engine.host.sha256(JSON.stringify(rest));
  const before = handOuts.saidBefore(caller, run, said, name);
  const id = entryNamed(engine, caller, handle, name);
  if (id === undefined) return { args, before, remember: () => undefined };
  return { args: { ...args, action_id: id }, before, remember: (about) => handOuts.said(caller, run, said, { ...about, name }) };
}

/** What the tool says beside the action, and what the report was about. */
interface Beside extends Surrounding, Pick<CheckReported, "denied"> {
  readonly about: About;
}

/**
 * A report that was made before: by the id of a question that is answered, by the id of a step of what the checklist calls, whose report
 * has no status, or in the same words.
 */
async function saidBefore({ engine }: ToolCall, { args, before: about }: SaidOfEntry): Promise<Beside | undefined> {
  const { run_id: run, action_id: id } = args;
  const handle = await engine.runs.open(run);
  const { actions, decisions } = handle.state;
  if (about === undefined) {
    if (id === undefined) return undefined;
    const answered = decisions[id]?.status !== "pending" && (await isAnswered(engine, handle, id));
    const closed = actions[id] === undefined && args.completed_action === undefined && saidStatus(args) === undefined;
    const reported = closed && (await isReported(engine, run, id));
    return answered || reported ? besideOf(plainReport("before", id)) : undefined;
  }
  const before = plainReport("before", about.action, about.step);
  if (actions[about.action] !== undefined && statusOf(args) === "open")
    return besideOpen({ run, status: "open" }, { ...before, open: `\`${about.step}\`` });
  return besideOf(before, ["To report what is open now, name its action_id."]);
}

async function recorded(call: ToolCall, args: ReportArguments): Promise<{ readonly beside: Beside; readonly position?: Position }> {
  const { engine, caller, waiting } = call;
  const { run_id: run, action_id: id, completed_action: done, error = done?.error } = args;
  const blockedUntil = timeOf(args.blocked_until);
  const handle = await engine.runs.open(run);
  const { question } = openOf(handle, caller);
  const result = choiceOf(args, question, id !== undefined && handle.state.decisions[id] !== undefined);
  // An answer, and that an agent must wait, are taken as for any step.
  if (blockedUntil !== undefined || result !== undefined || (question !== undefined && done?.checklist_item_id === undefined)) {
    const said = blockedUntil === undefined ? { action: id ?? question?.id, result } : { action: id, error, blockedUntil };
    const { reported, position } = await progress(engine, caller, { run, ...waiting, ...defined(said) });
    return { beside: besideOf(plainReport(reported.recorded, reported.action, reported.step)), position };
  }
  const request = requestOf(args);
  const reported = await reportCheck(engine, caller, request);
  return { beside: request.status === "open" ? besideOpen(request, reported) : besideOf(reported) };
}

type Question = ReturnType<typeof openOf>["question"];

/** What a person chose, wherever the call carries it; undefined when the call is not an answer. */
function choiceOf({ result, answer, completed_action: done }: ReportArguments, question: Question, asked: boolean): Json | undefined {
  const given = [answer, result, done?.choice, done?.option, done?.result].find((value) => value !== undefined);
  if (question === undefined) return asked ? given : undefined;
  // Some agents report the chosen option as the action they completed.
  const wanted = done?.action === "apply_all_auto" ? applyAutoFirst : done?.action;
  const named = given ?? question.options?.find((option) => option.value === wanted)?.value;
  const value = isObject(named) && "answer" in named ? named["answer"] : named;
  return value === "apply_all_auto" ? applyAutoFirst : value;
}

function requestOf(args: ReportArguments): CheckReport {
  const { completed_action: done = {}, findings, proposed_changes: changes, expand_checklist: topics } = args;
  const status = done.status ?? args.status;
  const said = (text: string | undefined): string | undefined => (text === "" ? undefined : text);
  return {
    run: args.run_id,
    status: statusOf(args),
    ...defined({
      actionId: args.action_id,
      action: said(done.action),
      file: said(done.file),
      item: said(done.checklist_item_id) ?? said(done.topic_id),
      skipReason: said(done.skip_reason) ?? args.skip_reason,
      identical: done.identical ?? args.identical,
      error: said(done.error) ?? args.error,
      verdict: status !== undefined && Object.hasOwn(verdicts, status) ? status : undefined,
      findings: findings as readonly SaidFinding[] | undefined,
      changes: changes as readonly ProposedChange[] | undefined,
      topics: topics?.map((topic) => topicOf({ ...topic })),
      result: args.result ?? done.result,
    }),
  };
}

/** What was added to an entry that is still to be reported. */
function besideOpen({ findings = [], changes = [] }: CheckReport, reported: CheckReported): Beside {
  const beside = besideOf(reported);
  const topics = reported.expanded.length;
  const parts = [
    ...(findings.length === 0 ? [] : [counted(findings.length, "finding")]),
    ...(changes.length === 0 ? [] : [counted(changes.length, "proposed change")]),
    ...(topics === 0 ? [] : [counted(topics, "topic")]),
  ];
  // An entry that was reported since has nothing left to say.
  const open = reported.open === undefined ? "" : ` ${reported.open} is still open: report it with completed_action.status ${statuses}.`;
  if (reported.recorded === "before") return { ...beside, lines: () => [`The same was added before; nothing was changed.${open}`] };
  const added = parts.length === 0 ? "Nothing was added." : `Kept with the open entry: ${parts.join(", ")}.`;
  return {
    ...beside,
    lines: (shown) => [`${added}${open}`, ...beside.lines(shown)],
    data: { ...beside.data, added: { findings: findings.length, proposed_changes: changes.length, topics } },
  };
}

const partsShown = 8;

function leftOutText(leftOut: NonNullable<CheckReported["leftOut"]>): string {
  const shown = leftOut.slice(0, partsShown).map(({ part, why }) => `${part} (${why})`);
  const more = leftOut.length > partsShown ? ` and ${leftOut.length - partsShown} more` : "";
  return `Not taken as given: ${shown.join(", ")}${more}; the rest is recorded.`;
}

/** What became of the report, in one short line. */
function besideOf(reported: CheckReported, more: readonly string[] = []): Beside {
  const { recorded: when, action, step, expanded, dropped, leftOut = [], denied } = reported;
  const left = dropped.slice(0, 8);
  const topics = [
    ...(expanded.length === 0 ? [] : [`Added to the checklist: ${expanded.join(", ")}.`]),
    ...(left.length === 0 ? [] : [`Left out: ${left.map(({ topic, why }) => `${topic} (${why})`).join(", ")}.`]),
    ...(leftOut.length === 0 ? [] : [leftOutText(leftOut)]),
  ].join(" ");
  const data: JsonObject = {
    // Every token of these replies counts: the next action says that a report is recorded now.
    ...(when === "before" ? { recorded: when } : {}),
    ...(expanded.length === 0 ? {} : { expanded: [...expanded] }),
    ...(left.length === 0 ? {} : { dropped: left.map(({ topic, why }) => ({ topic_id: topic, why })) }),
    ...(leftOut.length === 0 ? {} : { left_out: leftOut.slice(0, partsShown).map((each) => ({ ...each })) }),
  };
  const repeated = when === "before" ? [`\`${step}\` was reported before; nothing was changed.`] : [];
  return { ...around(data, [...repeated, ...(topics === "" ? [] : [topics]), ...more]), about: { action, step }, ...defined({ denied }) };
}

const statuses = "completed, skipped with skip_reason, or failed with error";

/**
 * What the call says was done. A reason to skip or an error says it too. Everything else that lacks a status adds to the open entry,
 * or says nothing and is refused: that an action has an id does not make it done.
 */
function statusOf(args: ReportArguments): CheckReport["status"] {
  const { completed_action: completed, action_id: action } = args;
  const said = saidStatus(args);
  if (said !== undefined) return said;
  if (completed !== undefined) throw badArgument("workflow_progress", ["`completed_action.status` is missing"], statuses);
  if (has(action))
    throw refused(
      "ENGINE_NO_RESULT",
      `The report of \`${action}\` does not say what came of it. Nothing was changed.`,
      `Report \`${action}\` again with \`status\`: ${statuses}.`,
      { action_id: action, fill_in: { status: statuses } },
    );
  throw badArgument(
    "workflow_progress",
    ["it does not say what was done"],
    `completed_action {action, file, checklist_item_id, status} of the open entry, where status is ${statuses}; workflow_next shows the entry`,
  );
}

/** undefined when it says nothing; a `completed_action` that lacks a status adds nothing. */
function saidStatus(args: ReportArguments): CheckReport["status"] | undefined {
  const { completed_action: completed, findings: found, proposed_changes: changes, expand_checklist: topics } = args;
  const status = completed?.status ?? args.status;
  if (status === "confirmed" || status === "dismissed") return verdicts[status];
  if (status !== undefined) return status === "success" ? "completed" : status;
  if (has(args.skip_reason) || has(completed?.skip_reason)) return "skipped";
  if (has(args.error) || has(completed?.error)) return "failed";
  const adds = completed === undefined && [found, changes, topics].some((list) => list !== undefined && list.length > 0);
  return adds ? "open" : undefined;
}

function has(said: string | undefined): said is string {
  return said !== undefined && said.trim() !== "";
}
