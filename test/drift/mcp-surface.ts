import { freeHolders } from "../support/free-holders.ts";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { isObject, textOf, WaymarkError, type JsonObject } from "../../src/base/index.ts";
import { waitForBatch } from "../../src/dialects/checklist/run/index.ts";
import { openClient, serverParts, type ToolReply } from "../process/mcp-client.ts";
import type { TestEngine } from "../support/test-engine.ts";
import { nothingOpen, type Open, type Report, type Surface } from "./surface.ts";

/** What the replies to an agent cost. */
export interface Spent {
  replies: number;
  tokens: number;
  most: number;
}

/** An agent at an MCP client; a server of its own, in this process, answers it. Tokens: the larger of the two parts of each reply. */
export async function mcpSurface(engine: TestEngine, spent: Spent): Promise<Surface> {
  const { call } = await openClient({ context: engine.context, ...serverParts, toolsets: ["state"] });
  const ask = async (name: string, args: JsonObject): Promise<JsonObject> => {
    const reply = await call(name, args);
    count(spent, reply);
    if (reply.isError) throw refusalOf(reply);
    return reply.data as JsonObject;
  };
  const recorded = (data: JsonObject): "now" | "before" => (data["recorded"] === "before" ? "before" : "now");
  return {
    session: engine.caller.holder.session,
    start: async (workflow) => textOf((await ask("workflow_start", { workflow }))["run_id"]),
    async next(run, takeOver = false) {
      if (!takeOver) return openOf(await ask("workflow_next", { run_id: run }));
      // The one before is gone without a word.
      await freeHolders(engine.context);
      const data = await ask("workflow_resume", { run_id: run });
      // Everything may be in other hands: the reply then says how to take a part of it over.
      const [, task] = /--task (\w+)/.exec(JSON.stringify(data)) ?? [];
      return openOf(task === undefined ? data : await ask("workflow_resume", { run_id: run, task_id: task }));
    },
    report: async (run, report) => recorded(await ask("workflow_progress", { run_id: run, ...argumentsOf(report) })),
    answer: async (run, question, value) => recorded(await ask("workflow_progress", { run_id: run, action_id: question, answer: value })),
    progress: async (run, action, result) => recorded(await ask("workflow_progress", { run_id: run, action_id: action, result })),
    write: async (run, path, value) => void (await ask("workflow_state_update", { workflow_id: run, updates: [{ path, value }] })),
    complete: async (run) => textOf((await ask("workflow_complete", { run_id: run }))["status"]),
    async preview(run, operation, filter) {
      const reason = operation === "skip_instances" ? { reason: "all of them are left" } : {};
      const token = (await ask("workflow_batch", { run_id: run, operation, filter: { ...filter }, dry_run: true, ...reason }))[
        "confirmation_token"
      ];
      return typeof token === "string" ? token : undefined;
    },
    async confirm(run, token) {
      const data = await ask("workflow_batch", { run_id: run, confirmation_token: token });
      const result = (isObject(data["result"]) ? data["result"] : {}) as Readonly<Record<string, number>>;
      const [previewed = 0, modified = 0, failed = 0, leftOut = 0] = ["previewed", "modified", "failed", "left_out"].map(
        (name) => result[`instances_${name}`] ?? 0,
      );
      const next = data["next_action"];
      const batch = textOf(data["batch_id"]);
      if (!isObject(next) || next["action"] !== "wait") return { batch, previewed, modified, failed, leftOut, done: true };
      const { left_out, ...record } = await waitForBatch(engine.context, { run, batch, waitMs: 10_000 });
      return { batch, ...record, leftOut: left_out };
    },
    undo: async (run, batch) => void (await ask("workflow_batch", { run_id: run, operation: "undo", batch })),
    async look(run) {
      const { progress } = await ask("workflow_status", { run_id: run });
      const counts = (isObject(progress) ? progress : {}) as Readonly<Record<string, number>>;
      const total = counts["files_total"] ?? 0;
      return { total, open: total - (counts["files_completed"] ?? 0) };
    },
    die: () => engine.close(),
    hang: () => engine.context.holding.close(),
  };
}

function count(spent: Spent, { text, data }: ToolReply): void {
  const tokens = Math.max(encode(text).length, encode(JSON.stringify(data ?? {})).length);
  spent.replies += 1;
  spent.tokens += tokens;
  spent.most = Math.max(spent.most, tokens);
}

function refusalOf({ data, text }: ToolReply): Error {
  const error = (data as { error?: { code: string; message: string; fix?: string; details?: Record<string, unknown> } } | undefined)?.error;
  return error === undefined ? new Error(text) : new WaymarkError(error);
}

function argumentsOf({ actionId, action, file, item, status, skipReason, error, findings, changes, topics, result }: Report): JsonObject {
  const named = { action, file, checklist_item_id: item, status, skip_reason: skipReason, error };
  const all = {
    action_id: actionId,
    ...(status === "open"
      ? {}
      : { completed_action: Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined)) }),
    result,
    findings,
    proposed_changes: changes,
    expand_checklist: topics?.map(({ topic, relevance }) => ({ topic_id: topic, relevance_score: relevance })),
  };
  return JSON.parse(JSON.stringify(all)) as JsonObject;
}

const kinds: Readonly<Record<string, Open["kind"]>> = {
  analyze_file: "check",
  apply_topic: "check",
  validate_file: "check",
  custom_check: "check",
  convert_instance: "check",
  batch_decision: "question",
  answer_question: "question",
  batch_apply: "batch",
  complete_workflow: "complete",
  wait: "waiting",
  none: "ended",
};

function openOf(data: JsonObject): Open {
  const ways = Array.isArray(data["resolution_options"]) ? data["resolution_options"].map(String) : [];
  if (data["status"] === "blocked") return { ...nothingOpen, kind: "blocked", why: textOf(data["blocked_reason"] ?? ""), ways };
  if (data["status"] === "task_done") return { ...nothingOpen, kind: "waiting" };
  const next = isObject(data["next_action"]) ? data["next_action"] : {};
  const call = isObject(data["next_call"]) && isObject(data["next_call"]["arguments"]) ? data["next_call"]["arguments"] : {};
  const text = (name: string): string => (typeof next[name] === "string" ? next[name] : "");
  const options = Array.isArray(next["options"]) ? (next["options"] as unknown as readonly { id: string }[]).map(({ id }) => id) : [];
  return {
    ...nothingOpen,
    kind: kinds[text("action")] ?? "other",
    id: textOf(next["action_id"] ?? call["action_id"] ?? ""),
    file: text("file"),
    item: text("checklist_item_id"),
    instance: text("action") === "convert_instance",
    place: { line: Number(next["line"] ?? 0), column: Number(next["column"] ?? 0), call: text("match_text") },
    question: { text: text("instruction"), options, person: text("command_for_person") !== "" },
  };
}
