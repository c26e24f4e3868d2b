import * as z from "zod";
import { isObject, type Json } from "../../base/index.ts";
import {
  deniedClaim,
  openOf,
  reportCheck,
  type CheckReport,
  type CheckReported,
  type Claimed,
  type Finding,
  type ProposedChange,
} from "../../dialects/checklist/run/index.ts";
import { isAnswered, isReported, progress, type Position } from "../../engine/index.ts";
import type { Reply, ToolCall } from "../tool.ts";
import { applyAutoFirst } from "./decision-action.ts";
import type { Beside } from "./checklist-reply.ts";
import { around } from "../position-reply.ts";
import { saidOfEntry, type SaidOfEntry } from "./said-of-entry.ts";
import { saidStatus, statuses, statusOf } from "./said-status.ts";
import { standingReply } from "./standing-reply.ts";
import { driverOf } from "./driver.ts";
import { nextForWorker } from "./next-for-worker.ts";
import { claimedBy, setAside } from "./set-aside.ts";
import { counted } from "../../views/index.ts";

/** Members are named in one line of the description instead of being listed: every token of the list is paid for. */
const hidden = { hidden: true };
const text = z.string().optional().meta(hidden);
const number = z.number().optional().meta(hidden);

export const completedAction: z.ZodObject = z.strictObject({
  action: text,
  file: text,
  checklist_item_id: text,
  status: z.enum(["completed", "skipped", "failed"]).optional().meta(hidden),
  skip_reason: text,
  error: text,
  choice: z.unknown().optional().meta(hidden),
  option: z.unknown().optional().meta(hidden),
  result: z.unknown().optional().meta(hidden),
  topic_id: text,
});

/** What else a finding or change carries is kept with it. */
export const finding: z.ZodObject = z.looseObject({
  file: text,
  line: number,
  severity: z.enum(["info", "warning", "error", "critical"]).optional().meta(hidden),
  category: text,
  description: z.string().min(1).meta(hidden),
  suggestion: text,
  related_topic: text,
});

export const proposedChange: z.ZodObject = z.looseObject({
  file: text,
  line_start: number,
  line_end: number,
  original_code: text,
  proposed_code: z.string().meta(hidden),
  rationale: text,
  impact: z.enum(["low", "medium", "high"]).optional().meta(hidden),
  auto_applicable: z.boolean().optional().meta(hidden),
});

export const addedTopic: z.ZodObject = z.strictObject({
  topic_id: z.string().min(1).meta(hidden),
  relevance_score: number,
  relevance: number,
  description: text,
  title: text,
  matched_signals: z.unknown().optional().meta(hidden),
});

/** A report in the words of older clients, as the tool's arguments give it. */
export interface ProgressArguments {
  readonly run: string;
  readonly actionId?: string | undefined;
  readonly worker?: string | undefined;
  readonly status?: "success" | "completed" | "failed" | "skipped" | undefined;
  readonly skipReason?: string | undefined;
  readonly error?: string | undefined;
  readonly blockedUntil?: number | undefined;
  readonly result?: Json | undefined;
  readonly answer?: Json | undefined;
  readonly completed?: z.output<typeof completedAction> | undefined;
  readonly findings?: readonly z.output<typeof finding>[] | undefined;
  readonly changes?: readonly z.output<typeof proposedChange>[] | undefined;
  readonly topics?: readonly z.output<typeof addedTopic>[] | undefined;
}

/** Records what was done with the open entry, or what was answered, and gives the next action. */
export async function reportChecklist(call: ToolCall, given: ProgressArguments): Promise<Reply> {
  const said = await saidOfEntry(call, given);
  const { args } = said;
  const { run } = args;
  const before = await saidBefore(call, said);
  const { beside, position } = before === undefined ? await recorded(call, args) : { beside: before, position: undefined };
  if (before === undefined) said.remember(beside.about);
  const found =
    position ??
    (await nextForWorker(
      call,
      { run, follows: before === undefined ? "now" : "before", ...call.waiting },
      { worker: args.worker, reported: beside },
    ));
  // Known only when the engine has looked at the file.
  const standing = "text" in found ? undefined : found.standing;
  const aside = setAside(beside.claimed && (await deniedClaim(call.engine, run, beside.claimed, standing)));
  const lines = [...beside.lines, ...(aside?.lines ?? [])];
  if ("text" in found)
    return aside === undefined ? found : { text: [...aside.lines, found.text].join("\n"), data: { ...found.data, ...aside.data } };
  return standingReply(driverOf(call, args.worker), found, around({ ...beside.data, ...aside?.data }, lines));
}

/** What the tool says beside the action, and what the report was about. */
interface Told extends Beside {
  readonly about: Pick<CheckReported, "action" | "step">;
  readonly claimed?: Claimed;
}

/**
 * A report that was made before: by the id of a question that is answered, by the id of a step of what the checklist calls, whose report
 * has no status, or in the same words.
 */
async function saidBefore({ engine }: ToolCall, { args, before: about }: SaidOfEntry): Promise<Told | undefined> {
  const { run, actionId } = args;
  if (about === undefined && actionId !== undefined) {
    const handle = await engine.runs.open(run);
    const { state } = handle;
    const answered = state.decisions[actionId]?.status !== "pending" && (await isAnswered(engine, handle, actionId));
    const closed = state.actions[actionId] === undefined && args.completed === undefined && saidStatus(args) === undefined;
    const reported = closed && (await isReported(engine, run, actionId));
    return answered || reported ? told({ recorded: "before", action: actionId, step: actionId, expanded: [], dropped: [] }) : undefined;
  }
  if (about === undefined) return undefined;
  const before = { action: about.action, step: about.step, recorded: "before" as const, expanded: [], dropped: [] };
  const { state } = await engine.runs.open(run);
  if (state.actions[about.action] !== undefined && statusOf(args) === "open")
    return { ...besideOpen({ run, status: "open" }, { ...before, open: `\`${about.step}\`` }), about };
  const { lines, data } = besideOf(before);
  return { lines: [...lines, "To report what is open now, name its action_id."], data, about };
}

function told(reported: CheckReported): Told {
  return { ...besideOf(reported), about: reported };
}

async function recorded(call: ToolCall, args: ProgressArguments): Promise<{ readonly beside: Told; readonly position?: Position }> {
  const { run } = args;
  const handle = await call.engine.runs.open(run);
  const { question } = openOf(handle, call.caller);
  if (args.blockedUntil !== undefined) {
    const { reported, position } = await progress(call.engine, call.caller, blockedRequest(call, args, args.blockedUntil));
    return { beside: told({ ...reported, expanded: [], dropped: [] }), position };
  }
  const asked = args.actionId !== undefined && handle.state.decisions[args.actionId] !== undefined;
  const chosen = choiceOf(args, question, asked);
  if (chosen !== undefined || (question !== undefined && args.completed?.["checklist_item_id"] === undefined)) {
    const answered = await progress(call.engine, call.caller, {
      run,
      ...call.waiting,
      ...(question === undefined && args.actionId === undefined ? {} : { action: args.actionId ?? question?.id ?? "" }),
      ...(chosen === undefined ? {} : { result: chosen }),
    });
    return { beside: told({ ...answered.reported, expanded: [], dropped: [] }), position: answered.position };
  }
  const request = requestOf(args);
  const claimed = await claimedBy(call, request);
  const reported = await reportCheck(call.engine, call.caller, request);
  if (request.status === "open") return { beside: { ...besideOpen(request, reported), about: reported } };
  return { beside: { ...told(reported), ...(claimed === undefined ? {} : { claimed }) } };
}

type Question = ReturnType<typeof openOf>["question"];

/** What a person chose, wherever the call carries it; undefined when the call is no answer. */
function choiceOf({ result, answer, completed }: ProgressArguments, question: Question, asked: boolean): Json | undefined {
  const given = [answer, result, completed?.["choice"], completed?.["option"], completed?.["result"]].find((value) => value !== undefined);
  if (question === undefined) return asked ? (given as Json | undefined) : undefined;
  const named = given ?? optionNamed(question, completed?.["action"]);
  const value = isObject(named) && "answer" in named ? named["answer"] : named;
  return value === "apply_all_auto" ? applyAutoFirst : (value as Json | undefined);
}

/** Some agents report the chosen option as the action they completed. */
function optionNamed(question: NonNullable<Question>, action: unknown): string | undefined {
  const wanted = action === "apply_all_auto" ? applyAutoFirst : action;
  return typeof wanted === "string" && question.options?.some((option) => option.value === wanted) === true ? wanted : undefined;
}

function requestOf(args: ProgressArguments): CheckReport {
  const done = args.completed ?? {};
  const said = (name: string): string | undefined => (typeof done[name] === "string" && done[name] !== "" ? done[name] : undefined);
  const status = statusOf(args);
  const item = said("checklist_item_id") ?? said("topic_id");
  return {
    run: args.run,
    status,
    ...defined({
      actionId: args.actionId,
      action: said("action"),
      file: said("file"),
      item,
      skipReason: said("skip_reason") ?? args.skipReason,
      error: said("error") ?? args.error,
    }),
    ...(args.findings === undefined ? {} : { findings: args.findings.map(findingOf) }),
    ...(args.changes === undefined ? {} : { changes: args.changes as unknown as readonly ProposedChange[] }),
    ...(args.topics === undefined ? {} : { topics: args.topics.map(topicOf) }),
  };
}

function findingOf(given: z.output<typeof finding>): Finding {
  return { severity: "info", ...given } as unknown as Finding;
}

function topicOf(given: z.output<typeof addedTopic>): NonNullable<CheckReport["topics"]>[number] {
  const { topic_id: topic, relevance_score: score, relevance, description, title } = given as Readonly<Record<string, unknown>>;
  return {
    topic: String(topic),
    ...(defined({ relevance: score ?? relevance, description: description ?? title }) as { relevance?: number }),
  };
}

function blockedRequest(call: ToolCall, args: ProgressArguments, blockedUntil: number): Parameters<typeof progress>[2] {
  const error = args.error ?? (args.completed?.["error"] as string | undefined);
  return { run: args.run, ...call.waiting, blockedUntil, ...defined({ action: args.actionId, error }) };
}

function defined<Held extends Readonly<Record<string, unknown>>>(held: Held): { [Key in keyof Held]?: Exclude<Held[Key], undefined> } {
  return Object.fromEntries(Object.entries(held).filter(([, value]) => value !== undefined)) as never;
}

/** What was added to an entry that is still to be reported. */
function besideOpen({ findings = [], changes = [] }: CheckReport, reported: CheckReported): Beside {
  const { lines, data } = besideOf(reported);
  const topics = reported.expanded.length;
  const parts = [
    ...(findings.length === 0 ? [] : [counted(findings.length, "finding")]),
    ...(changes.length === 0 ? [] : [counted(changes.length, "proposed change")]),
    ...(topics === 0 ? [] : [counted(topics, "topic")]),
  ];
  // An entry that was reported since has nothing left to say.
  const open = reported.open === undefined ? "" : ` ${reported.open} is still open: report it with completed_action.status ${statuses}.`;
  if (reported.recorded === "before") return { lines: [`The same was added before; nothing was changed.${open}`], data };
  return {
    lines: [`${parts.length === 0 ? "Nothing was added." : `Kept with the open entry: ${parts.join(", ")}.`}${open}`, ...lines],
    data: { ...data, added: { findings: findings.length, proposed_changes: changes.length, topics } },
  };
}

/** What became of the report, in one short line. */
function besideOf({ recorded, step, expanded, dropped }: CheckReported): Beside {
  const lines = [
    ...(recorded === "before" ? [`\`${step}\` was reported before; nothing was changed.`] : []),
    ...(expanded.length === 0 && dropped.length === 0 ? [] : [topicLine(expanded, dropped)]),
  ];
  return {
    lines,
    data: {
      // Every token of these replies counts: that a report is recorded now is told by the next action.
      ...(recorded === "before" ? { recorded } : {}),
      ...(expanded.length === 0 ? {} : { expanded: [...expanded] }),
      ...(dropped.length === 0 ? {} : { dropped: dropped.slice(0, 8).map(({ topic, why }) => ({ topic_id: topic, why })) }),
    },
  };
}

function topicLine(expanded: readonly string[], dropped: CheckReported["dropped"]): string {
  const added = expanded.length === 0 ? [] : [`Added to the checklist: ${expanded.join(", ")}.`];
  const left = dropped.slice(0, 8).map(({ topic, why }) => `${topic} (${why})`);
  return [...added, ...(left.length === 0 ? [] : [`Left out: ${left.join(", ")}.`])].join(" ");
}
