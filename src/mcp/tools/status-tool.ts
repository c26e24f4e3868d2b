import * as z from "zod";
import { defined, isList, isObject, type Json, type JsonObject, counted, cutText, isoTime } from "../../base/index.ts";
import {
  maskSecrets,
  nextAttempt,
  runs,
  runWarnings,
  status,
  type RunHandle,
  type RunOverview,
  type StrandStatus,
} from "../../engine/index.ts";
import { callText, decideCommand, followingData, lastCheckpoint, openQuestions, progressOf, timeOver } from "../../views/index.ts";
import { ownReply } from "../position-reply.ts";
import { followingRun, heavyReply, isDrivenElsewhere, listReply, nextLines } from "../reply.ts";
import { plainText } from "../reply-text.ts";
import { defineTool, hiddenText, type Reply, type Tool, type ToolCall } from "../tool.ts";
import { asWorker } from "./drive-tools.ts";

/** Runs that one call looks at. */
const page = 50;
const questionsShown = 5;
const warningsShown = 5;

export const statusTool: Tool = defineTool({
  name: "workflow_status",
  description: "Show how far a run is: open steps, questions, who holds it. Without run_id: the open runs of this workspace.",
  returns:
    "`status`, `open` parts with their holders, `questions`, `progress`, `budget`, `last_checkpoint`, `next_call`; without an id `runs`",
  reads: true,
  shape: z.object({
    run_id: z.string().optional(),
    after: z.string().optional().describe("Only runs older than this one."),
    cursor: hiddenText,
    worker: hiddenText,
  }),
  async run(given, args) {
    const call = asWorker(given, "workflow_status", args.worker);
    if (args.run_id === undefined) return openRuns(call, args.after ?? args.cursor);
    return (await ownReply(call, "workflow_status", args)) ?? statusReply(call, args.run_id);
  },
});

async function openRuns(call: ToolCall, after: string | undefined): Promise<Reply> {
  const found = await runs(call.engine, { status: ["running"], limit: page, ...defined({ after }) });
  // Another agent may be at work on it: its status says whether and how to continue.
  const newest = found[0] === undefined ? undefined : { tool: "workflow_status", arguments: { run_id: found[0].id } };
  const rest = (last: Json): Reply => {
    const call = { tool: "workflow_status", arguments: { after: last } };
    return { text: `More: ${callText(call)}`, data: { next_call: call } };
  };
  return listReply(call, {
    head:
      found.length === 0
        ? "No open runs in this workspace."
        : `${found.length}${found.length === page ? " or more" : ""} open ${found.length === 1 ? "run" : "runs"}, newest first:`,
    key: "runs",
    entries: found.map(overviewOf),
    line: lineOfRun,
    data: { next_call: newest ?? { tool: "workflow_list", arguments: {} } },
    more: (last) => rest(last["run_id"] ?? ""),
    tail: found.length === page ? rest(found.at(-1)?.id ?? "").text : newest === undefined ? "" : `To continue one: ${callText(newest)}`,
  });
}

export function overviewOf({ id, workflow, status: state, createdAt, updatedAt, line }: RunOverview): JsonObject {
  const { step, questions, blocked, holder, total, done, error } = line;
  return {
    run_id: id,
    workflow,
    status: state,
    started_at: isoTime(createdAt),
    updated_at: isoTime(updatedAt),
    ...defined({ step, open_questions: questions > 0 ? questions : undefined, blocked: blocked && cutText(blocked, 200), holder }),
    ...(total > 0 ? { done, total } : {}),
    ...defined({ error: error && cutText(error, 200) }),
  };
}

function lineOfRun(run: JsonObject): string {
  const parts = [run["step"] === undefined ? "at work" : `at ${plainText(run["step"])}`];
  if (run["total"] !== undefined) parts.push(`${plainText(run["done"])} of ${plainText(run["total"])} items done`);
  if (run["open_questions"] !== undefined) parts.push(counted(Number(run["open_questions"]), "open question"));
  if (run["blocked"] !== undefined) parts.push(`blocked: ${plainText(run["blocked"])}`);
  if (run["holder"] !== undefined) parts.push(`last held by ${plainText(run["holder"])}`);
  return `- ${plainText(run["run_id"])} (${plainText(run["workflow"])}): ${parts.join(", ")}`;
}

/** One run in the words of its state, for tools, resources and people over HTTP. People see the `whole` of questions, for they answer there. */
export async function runStatus(call: Pick<ToolCall, "engine" | "caller">, run: string, whole = false): Promise<JsonObject> {
  const { handle, strands, now } = await status(call.engine, run);
  const { state, program } = handle;
  const { limits, used } = state.budget;
  const questions = openQuestions(state);
  const warnings = (await runWarnings(call.engine, handle)).map(({ code, message, block }) => ({
    code,
    message: cutText(message, 200),
    ...defined({ step: block }),
  }));
  const again = await nextAttempt(call.engine, handle);
  const next =
    again === undefined
      ? followingRun(run, state.status, isDrivenElsewhere(call, handle, strands))
      : { next_call: { tool: "workflow_status", arguments: { run_id: again } } };
  const data: JsonObject = {
    run_id: run,
    workflow_id: run,
    workflow: state.workflow,
    status: state.status,
    started_at: isoTime(state.startedAt),
    looked_at: isoTime(now),
    ...(state.endedAt === undefined ? {} : { ended_at: isoTime(state.endedAt) }),
    ...(state.error === undefined ? {} : { error_message: cutText(state.error.message, 600), error_code: state.error.code }),
    ...defined({ retry_of: state.retryOf, next_run: again }),
    ...progressOf(handle),
    steps_done: used.steps,
    ...(Object.keys(limits).length === 0 ? {} : { budget: { limits: { ...limits }, used: { ...used } } }),
    last_checkpoint: lastCheckpoint(program, state),
    ...(questions.length > questionsShown ? { more_questions: questions.length - questionsShown } : {}),
    questions: questions.slice(0, questionsShown).map((decision) => ({
      decision_id: decision.id,
      question: whole ? decision.question : cutText(decision.question, 600),
      answer_by: decision.answerBy,
      ...defined({ options: decision.options?.map((option) => option.value) }),
      command_for_person: decideCommand(run, decision),
    })),
    ...(warnings.length === 0 ? {} : { warnings: warnings.slice(0, warningsShown) }),
    ...(warnings.length > warningsShown ? { more_warnings: warnings.length - warningsShown } : {}),
    open: strands.map(openStrand),
    ...followingData(next),
  };
  return maskSecrets(data, program, state);
}

function openStrand({ task, standing, holder, alive, stale }: StrandStatus): JsonObject {
  return {
    ...defined({ task_id: task }),
    ...standingWords(standing),
    ...(holder === undefined ? {} : { driven_by: holder, alive }),
    ...(stale ? { stale } : {}),
  };
}

function standingWords(standing: StrandStatus["standing"]): JsonObject {
  switch (standing.kind) {
    case "action": {
      const { step, what, openedAt } = standing.action;
      return { state: "step", step, type: what, since: isoTime(openedAt) };
    }
    case "question":
      return { state: "question", step: standing.decision.step, decision_id: standing.decision.id };
    case "working":
      return { state: "engine at work", ...defined({ step: standing.on, until: standing.until && timeOver(standing.until) }) };
    case "joining":
      return { state: "waiting for tasks", tasks: standing.tasks.length };
    case "blocked":
      return { state: "blocked", reason: cutText(standing.reason, 300) };
    case "task_ended":
    case "ended":
      return { state: "ended" };
  }
}

function openLine(entry: Json): string {
  if (!isObject(entry)) return `- ${plainText(entry)}`;
  return `- ${Object.entries(entry)
    .map(([key, held]) => `${key} ${plainText(held)}`)
    .join(", ")}`;
}

/** What the dialects of the run and of the workflows that it calls say of it. */
async function statusShares(
  call: ToolCall,
  handle: RunHandle,
): Promise<readonly { readonly data: JsonObject; readonly lines: readonly string[] }[]> {
  const { parts, dialect: main } = handle.program;
  const has = new Set(Object.values(parts).map((part) => part.dialect));
  const asked = call.dialects.flatMap(
    ({ dialect, status, calledStatus }) => (dialect === main ? status : has.has(dialect) ? calledStatus : []) ?? [],
  );
  return Promise.all(asked.map((share) => share(call.engine, handle)));
}

async function statusReply(call: ToolCall, run: string): Promise<Reply> {
  const handle = await call.engine.runs.open(run);
  const shares = await statusShares(call, handle);
  const data: JsonObject = Object.assign({}, await runStatus(call, run), ...shares.map((share) => share.data));
  const error = data["error_message"] === undefined ? "" : ` ${plainText(data["error_message"])}`;
  const progress = data["progress"] as JsonObject | undefined;
  const questions = data["questions"] as readonly JsonObject[];
  const warnings = (data["warnings"] ?? []) as readonly JsonObject[];
  const head = [
    `${plainText(data["workflow"])} run ${run} is ${plainText(data["status"])}.${error} Steps done: ${plainText(data["steps_done"])}.`,
    ...shares.flatMap(({ lines }) => lines),
    ...(progress === undefined ? [] : [`Items: ${plainText(progress["done"])} of ${plainText(progress["total"])} done.`]),
    ...questions.map(
      (question) =>
        `Question ${plainText(question["decision_id"])} (${plainText(question["answer_by"])}): ${plainText(question["question"])} For a person: ${plainText(question["command_for_person"])}`,
    ),
    ...warnings.map((warning) => `Warning ${plainText(warning["code"])}: ${plainText(warning["message"])}`),
  ];
  return heavyReply(call, {
    head: head.join("\n"),
    data,
    heavy: ["open"],
    render: ({ open }) => (isList(open) ? open.map(openLine).join("\n") : plainText(open)),
    tail: nextLines(data).join("\n"),
  });
}
