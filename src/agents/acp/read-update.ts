import { defined, isList, isObject, own, type Json, type JsonObject } from "../../base/index.ts";
import type { AgentEvent, AgentResult, AgentUsage } from "../../ports/index.ts";
import type { ToolRequest } from "../tool-request.ts";

type Told = Exclude<AgentEvent, AgentResult>;

const statuses: Readonly<Record<string, "pending" | "running" | "done" | "failed">> = {
  pending: "pending",
  in_progress: "running",
  completed: "done",
  failed: "failed",
};

/** What an update means; undefined for what Waymark does not show. Tool calls are read by `ToolCalls`. */
export function readUpdate(update: JsonObject, textFilters: readonly string[]): Told | undefined {
  switch (update["sessionUpdate"]) {
    case "agent_message_chunk": {
      const text = textOfContent(update["content"]);
      if (!textFilters.some((start) => text.startsWith(start))) return { type: "text", text };
      return { type: "notice", level: "info", text: text.trim() };
    }
    case "agent_thought_chunk":
      return { type: "thinking", text: textOfContent(update["content"]) };
    case "plan": {
      const entries = listOf(update["entries"]).filter(isObject);
      return { type: "plan", items: entries.map((entry) => ({ text: word(entry["content"]) ?? "", status: word(entry["status"]) ?? "" })) };
    }
    case "usage_update":
      return { type: "usage", usage: defined({ contextUsed: count(update["used"]), contextSize: count(update["size"]) }) };
    case "notice": {
      const level = update["severity"] === "error" ? "error" : update["severity"] === "warning" ? "warn" : "info";
      return { type: "notice", level, text: [word(update["title"]), word(update["description"])].filter(Boolean).join(": ") };
    }
    default:
      return undefined;
  }
}

/** All that was said about each tool call of a session, put together by its id. */
export class ToolCalls {
  readonly #held = new Map<string, JsonObject>();

  /** What is known of a call after this; keys that are absent or null stay as they were. */
  merge(update: JsonObject): JsonObject {
    const id = word(update["toolCallId"]) ?? "";
    const given = Object.fromEntries(Object.entries(update).filter(([, value]) => value !== null && value !== undefined));
    const all = { ...this.#held.get(id), ...given };
    this.#held.set(id, all);
    return all;
  }
}

export function toolEvent(call: JsonObject): Extract<Told, { type: "tool" }> {
  const { id, name, kind, input } = toolRequest(call);
  return {
    type: "tool",
    id,
    name: name ?? word(call["title"]) ?? kind ?? "tool",
    status: statuses[word(call["status"]) ?? ""] ?? "running",
    ...defined({ kind, input, output: call["rawOutput"] ?? call["content"] }),
  };
}

export function toolRequest(call: JsonObject): ToolRequest {
  const places = [...listOf(call["locations"]), ...listOf(call["content"])].filter(isObject);
  return {
    id: word(call["toolCallId"]) ?? "",
    files: places.flatMap((place) => word(place["path"]) ?? []),
    ...defined({
      kind: word(call["kind"]),
      name: word(call["name"]) ?? word(at(call, "_meta", "claudeCode", "toolName")),
      input: call["rawInput"],
      ofServer: at(call, "_meta", "is_mcp_tool_call") === true ? true : undefined,
    }),
  };
}

/** A failure that the agent reports beside its text. `isError` false: only worth a notice. */
export interface ReportedFailure {
  readonly isError: boolean;
  readonly category: string;
  readonly text: string;
}

/** Failures in the vendor part of an update or an answer. */
export function reportedFailure(holder: Json | undefined): ReportedFailure | undefined {
  const failure = at(holder, "_meta", "jetbrains", "air", "sessionFailure");
  if (isObject(failure)) {
    const texts = ["title", "message", "description", "resetsAt"].flatMap((key) => word(own(failure, key)) ?? []);
    return {
      isError: failure["severity"] !== "warning" && failure["severity"] !== "info",
      category: word(failure["category"]) ?? "",
      text: texts.join(" "),
    };
  }
  if (at(holder, "_meta", "codex", "threadStatus", "type") !== "systemError") return undefined;
  return { isError: true, category: "", text: "The agent reports a system error." };
}

/** Tokens and cost, as the answer to a prompt or an update reports them, whatever they count. */
export function reportedUsage(holder: Json | undefined): AgentUsage {
  const usage = at(holder, "usage");
  const quota = at(holder, "_meta", "quota", "token_count");
  return defined({
    inputTokens: count(at(usage, "inputTokens")) ?? count(at(quota, "input_tokens")),
    outputTokens: count(at(usage, "outputTokens")) ?? count(at(quota, "output_tokens")),
    cachedTokens: count(at(usage, "cachedReadTokens")),
    costUsd: at(holder, "cost", "currency") === "USD" ? count(at(holder, "cost", "amount")) : undefined,
  });
}

/** The value below some keys; undefined where there is none. */
export function at(value: Json | undefined, ...keys: readonly string[]): Json | undefined {
  return keys.reduce<Json | undefined>((held, key) => (isObject(held) ? own(held, key) : undefined), value);
}

export function word(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function listOf(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

function count(value: Json | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function textOfContent(content: Json | undefined): string {
  return word(at(content, "text")) ?? `[${word(at(content, "type")) ?? "content"}]`;
}
