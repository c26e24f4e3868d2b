import { isObject, textOf, type Json, type JsonObject, fieldOf, defined } from "../../../base/index.ts";
import {
  noResult,
  rowsOf,
  type GivenReport,
  type HandedOut,
  type Taken,
  type EngineContext,
  type RunHandle,
  actorOf,
  type Caller,
  refused,
  commitInputs,
} from "../../../engine/index.ts";
import {
  checklistAt,
  judgementWanted,
  type ChecklistConfig,
  type ChecklistRun,
  openOf,
  type InRun,
  statusWanted,
} from "./checklist-run.ts";
import { isJudged, refuseVerdict, verdicts, wholeFinding, type SaidFinding } from "./judge-instance.ts";
import { readableReport, topicsToApply } from "./readable-report.ts";
import { reportChange, type CheckedReport, type ProposedChange } from "./report-change.ts";
import { type Action, readHandOutId } from "../../../kernel/index.ts";
import type { Item } from "../../../program/index.ts";

/** Takes the report of an entry, an instance, a phase or a batch: its rules are kept on every path that a report can come. */
export const takeEntry: NonNullable<HandedOut<ChecklistConfig>["take"]> = async (at, action, report): Promise<Taken> => {
  const { engine: context, handle } = at;
  const run = checklistAt(at);
  const said = saidOf(report);
  if (said === undefined) throw noResult(action, { status: isJudged(action) ? judgementWanted : statusWanted });
  const drift: Drift = (kind, message, fix) =>
    refuseDrift({ context, handle, caller: report.caller }, kind, `${message} Open is ${describe(action)}.`, fix);
  const checked = await checkEntry({ context, handle, run }, action, said, drift);
  const added = (handle.state.counters[addedTo(action.id)] ?? 0) > 0;
  if (!added && isBareAnalysis(action, said, checked)) throw noResult(action, withLeftOut(checked.leftOut));
  return {
    outcome: {
      ok: true,
      value: {
        status: checked.status,
        skip_reason: said.skipReason ?? "",
        error: said.error ?? "",
        ...(isJudged(action) ? { fix: run.options["fix"] === true } : {}),
      },
    },
    change: (draft) =>
      reportChange({ context, run }, rowsOf(context, handle.id, draft), { action, request: checked, counts: draft.state.lists }),
    said: {
      ...(checked.topics.length === 0 ? {} : { expanded: checked.topics.map(({ topic }) => topic) }),
      ...(checked.alike.length === 0
        ? {}
        : { alike: checked.alike.map(({ data }) => [fieldOf(data, "file"), fieldOf(data, "line")].join(":")) }),
      ...(checked.dropped.length === 0 ? {} : { dropped: checked.dropped.map((each) => ({ ...each })) }),
      ...(checked.leftOut.length === 0 ? {} : { leftOut: checked.leftOut.map((each) => ({ ...each })) }),
    },
  };
};

/** What an analysis brings, whatever it found. */
export const analysisWanted: JsonObject = {
  status: "completed",
  result: "what you found, or that you found nothing; findings, changes and topics say it too",
};

/** Counter of what was added to an open action before its report. */
export function addedTo(action: string): string {
  return `added_to:${action}`;
}

/** An analysis that says nothing of what came of it. The topics that its tool suggested may be none. */
function isBareAnalysis({ what, args }: Action, { status, topics, result }: SaidOfEntry, { findings, changes }: CheckedReport): boolean {
  if (what !== "check" || fieldOf(args["item"], "type") !== "analysis" || status !== "completed") return false;
  return findings.length + changes.length === 0 && topics === undefined && result === undefined;
}

function withLeftOut(leftOut: CheckedReport["leftOut"]): JsonObject {
  const out = leftOut.map(({ part, why }) => `${part}: ${why}`).join("; ");
  return out === "" ? analysisWanted : { ...analysisWanted, result: `${textOf(analysisWanted["result"])}. Not taken: ${out}` };
}

const statuses: Readonly<Record<string, SaidOfEntry["status"]>> = {
  success: "completed",
  completed: "completed",
  skipped: "skipped",
  failed: "failed",
  ...verdicts,
};

/** What the report says, wherever it says it; undefined when it does not say what came of the entry. */
function saidOf({ status, result, error, more = {} }: GivenReport): SaidOfEntry | undefined {
  const held: Readonly<Record<string, Json | undefined>> = isObject(result) ? result : {};
  const text = (name: string): string | undefined => {
    const value = more[name] ?? held[name];
    return typeof value === "string" && value.trim() !== "" ? value : undefined;
  };
  const list = (name: string, other = name): readonly JsonObject[] | undefined => {
    const value = more[name] ?? held[name] ?? held[other];
    return Array.isArray(value) ? (value as readonly unknown[] as readonly Json[]).filter(isObject) : undefined;
  };
  const failure = error ?? text("error");
  const reason = text("skip_reason");
  const named = status ?? text("status") ?? (reason !== undefined ? "skipped" : failure !== undefined ? "failed" : undefined);
  const became = named === undefined ? undefined : statuses[named];
  if (named === undefined || became === undefined) return undefined;
  const action = more["action"];
  return {
    status: became,
    ...defined({
      action: typeof action === "string" ? action : undefined,
      skipReason: reason,
      error: failure,
      verdict: text("verdict") ?? (Object.hasOwn(verdicts, named) ? named : undefined),
      findings: list("findings") as readonly unknown[] as readonly SaidFinding[] | undefined,
      changes: list("proposed_changes") as readonly unknown[] as readonly ProposedChange[] | undefined,
      topics: list("expand_checklist", "topics")?.map(topicOf),
      identical: more["identical"] === true ? true : undefined,
      result: ownWords(result),
    }),
  };
}

/** Parts of a result that have places of their own. */
const parts: ReadonlySet<string> = new Set([
  "status",
  "findings",
  "proposed_changes",
  "expand_checklist",
  "topics",
  "skip_reason",
  "error",
]);

/** What a result says beside that; undefined when that is nothing. */
function ownWords(result: Json | undefined): Json | undefined {
  if (!isObject(result)) return result === null || (typeof result === "string" && result.trim() === "") ? undefined : result;
  const rest = Object.fromEntries(Object.entries(result).filter(([key]) => !parts.has(key)));
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/** Clients name the parts of a topic in two ways. */
export function topicOf(given: JsonObject): SaidTopic {
  const { topic_id: id, topic, title, description = title } = given;
  const said = given["relevance_score"] ?? given["relevance"];
  const relevance = typeof said === "string" && said.trim() !== "" ? Number(said) : said;
  return {
    topic: textOf(id ?? topic ?? "").trim(),
    ...(typeof relevance === "number" && Number.isFinite(relevance) ? { relevance } : {}),
    ...(typeof description === "string" && description.trim() !== "" ? { description } : {}),
  };
}

export interface SaidTopic {
  /** Empty when it was not named. */
  readonly topic: string;
  readonly relevance?: number;
  readonly description?: string;
}

/** What a report says about an entry. */
export interface SaidOfEntry {
  /** `open`: findings, changes and topics are added, and the entry stays open. */
  readonly status: "completed" | "skipped" | "failed" | "open";
  readonly action?: string;
  readonly skipReason?: string;
  readonly error?: string;
  /** The word for a judgement that was used: `confirmed` or `dismissed`. */
  readonly verdict?: string;
  readonly findings?: readonly SaidFinding[];
  readonly changes?: readonly ProposedChange[];
  /** A skip covers every open instance with the same text that nobody works on. */
  readonly identical?: boolean;
  readonly topics?: readonly SaidTopic[];
  /** What the agent says of it in its own words. */
  readonly result?: Json;
}

/** Skips and failures have reasons, and only what may be skipped is skipped. */
async function refuseSkip(run: ChecklistRun, action: Action, request: SaidOfEntry, drift: Drift): Promise<void> {
  const item = action.args["item"];
  const required = isObject(item) && item["required"] !== false;
  const role = action.what === "batch_apply" ? "batch" : "agent";
  const phase = run.definition.phases.find((each) => (action.what === "run_phase" ? each.id === action.args["phase"] : each.role === role));
  if (request.status === "skipped" && action.what !== "check" && phase?.required === true)
    await drift("skip", `The phase ${phase.id} is required.`, "Do it, or report it as failed with the reason.");
  if (isJudged(action)) return refuseVerdict(request, drift);
  if (request.verdict !== undefined)
    await drift("wrong_action", `\`${request.verdict}\` is for an instance that is judged.`, `Report it with status ${statusWanted}.`);
  if (request.status === "skipped") {
    if (!run.definition.rules.allowSkip && required)
      await drift("skip", "This workflow allows no skips.", "Do it, or report it as failed with the reason.");
    if ((request.skipReason ?? "").trim() === "") await drift("skip", "A skip needs its reason.", "Repeat the report with skip_reason.");
  }
  if (request.status === "failed" && (request.error ?? "").trim() === "")
    await drift("failure", "A failure needs its reason.", "Repeat the report with error.");
}

export async function checkEntry({ context, handle, run }: InRun, action: Action, said: SaidOfEntry, drift: Drift): Promise<CheckedReport> {
  const item = action.args["item"];
  const { request, leftOut } = await readableReport({ context, handle, run }, said);
  await refuseSkip(run, action, request, drift);
  const { topics, dropped } = await topicsToApply({ context, run }, request.topics ?? []);
  const covers = request.identical === true && request.status === "skipped" && isObject(item) && item["kind"] === "instance";
  if (covers && !run.definition.patterns.groupIdentical)
    await drift("skip", "This workflow does not group identical instances.", "Skip this one alone, or several with a batch.");
  return {
    // A skip brings nothing but what was said with it, which is what an entry that stays open is given.
    status: request.status === "open" ? "skipped" : request.status,
    findings: (request.findings ?? []).map((finding) => wholeFinding(run, action, finding)),
    changes: request.changes ?? [],
    ...(isJudged(action) && request.status === "completed" ? { confirmed: true as const } : {}),
    topics,
    dropped,
    leftOut,
    given: (request.topics ?? []).length,
    ...(request.error === undefined ? {} : { error: request.error }),
    flagged: request.action === "flag_for_later",
    alike: covers ? await identicalTo(context, handle.id, run.lists.files, item) : [],
    reason: request.skipReason ?? "",
    ...(request.result === undefined ? {} : { result: request.result }),
  };
}

/** Refuses a report that is not about what is open. */
export type Drift = (kind: string, message: string, fix: string) => Promise<never>;

/** Counts the refusal, so that the run's measures show it, and throws it. */
export async function refuseDrift(
  { context, handle, caller }: Pick<InRun, "context" | "handle"> & { readonly caller: Caller },
  kind: string,
  message: string,
  fix: string,
): Promise<never> {
  const at = await context.store.now();
  if (handle.state.status === "running")
    await commitInputs(context, handle, [
      { input: { type: "items", change: { count: { [`refused:${kind}`]: 1 } }, reason: `refused: ${kind}`, at, by: actorOf(caller) } },
    ]);
  throw refused("ENGINE_OFF_COURSE", `${message} Nothing was recorded.`, fix, { kind });
}

export function describe(action: Action): string {
  const item = action.args["item"];
  if (action.what !== "check") return `\`${action.what}\``;
  return `\`${actionWord(action.args)}\` of \`${fieldOf(item, "entry") || fieldOf(item, "id")}\` in ${fieldOf(item, "file")}`;
}

/** What clients call the action for an item. */
export function actionWord({ item, judge }: JsonObject): string {
  if (!isObject(item)) return "check";
  if (item["kind"] === "instance") return judge === true ? "judge_instance" : "convert_instance";
  switch (item["type"]) {
    case "analysis":
      return "analyze_file";
    case "topic_application":
      return "apply_topic";
    case "validation":
      return "validate_file";
    default:
      return "custom_check";
  }
}

/** What clients call an entry, topic or instance: by its file too (`a.js#analyze`), by the author's id, or by its topic. */
export function entryNames(item: Json | undefined): readonly string[] {
  const topic = fieldOf(item, "topic_id");
  return [fieldOf(item, "id"), fieldOf(item, "entry"), topic, `topic-${topic.split("/").at(-1) ?? ""}`];
}

export function isEntryCalled(action: Action, name: string): boolean {
  return action.what === "check" && name !== "" && entryNames(action.args["item"]).includes(name);
}

/**
 * The id of the hand-out that a name means: the id that is in it, else that of the entry that the caller works on, which is called so and was
 * shown to the caller. undefined when it means none.
 */
export function entryNamed({ handOuts }: EngineContext, caller: Caller, handle: RunHandle, name: string): string | undefined {
  const { action } = openOf(handle, caller);
  if (action !== undefined && isEntryCalled(action, name)) return handOuts.isShown(caller, handle.id, action.id) ? action.id : undefined;
  const { id = "", step = "" } = readHandOutId(name) ?? {};
  const held = handle.state.actions[id];
  return /^a\d+$/.test(id) && (held === undefined || held.step === step || isEntryCalled(held, step)) ? id : undefined;
}

const mostCompared = 5_000;

/** Open instances of the same type whose text is the same but for spaces. Only as many as can be looked through quickly. */
export async function identicalTo({ store }: EngineContext, run: string, list: string, item: JsonObject): Promise<readonly Item[]> {
  // Masks of different secrets may read the same.
  if (item["secret"] === true) return [];
  const plain = (text: string): string => text.replace(/\s+/g, " ");
  const type = fieldOf(item, "type");
  const text = plain(fieldOf(item, "text"));
  const rows = await store.selectItems(run, {
    list,
    query: { status: "pending", facets: { kind: "instance", type } },
    limit: mostCompared,
  });
  return rows.filter((row) => row.id !== item["id"] && plain(fieldOf(row.data, "text")) === text);
}
