import { defined, isList, isObject, own, textOf, type Json, type JsonObject } from "../../base/index.ts";
import type { AgentEvent, AgentResult, AgentStop, AgentUsage } from "../../ports/index.ts";

type Told = Exclude<AgentEvent, AgentResult>;

/** What one line of the command's output means. */
export interface ClaudeLine {
  readonly events: readonly Told[];
  /** The session that the command works in. */
  readonly session?: string;
  readonly end?: ClaudeEnd;
}

export interface ClaudeEnd {
  readonly stop: AgentStop;
  readonly error?: string;
  readonly usage: AgentUsage;
  readonly denied: readonly { readonly id: string; readonly name: string; readonly input?: Json }[];
}

export function readClaudeLine(line: JsonObject): ClaudeLine {
  const session = typeof line["session_id"] === "string" ? { session: line["session_id"] } : {};
  switch (line["type"]) {
    case "assistant":
      return { ...session, events: blocksOf(line).flatMap(readBlock) };
    case "user":
      return { ...session, events: blocksOf(line).flatMap(readOutput) };
    case "result":
      return { ...session, events: [], end: readEnd(line) };
    default:
      return { ...session, events: [] };
  }
}

function blocksOf(line: JsonObject): readonly JsonObject[] {
  const message = line["message"];
  const content = isObject(message) ? own(message, "content") : undefined;
  return isList(content) ? content.filter(isObject) : [];
}

function readBlock(block: JsonObject): Told[] {
  switch (block["type"]) {
    case "text":
      return [{ type: "text", text: textOf(block["text"]) }];
    case "thinking":
      return [{ type: "thinking", text: textOf(block["thinking"]) }];
    case "tool_use":
      return [
        { type: "tool", id: textOf(block["id"]), name: textOf(block["name"]), status: "running", ...defined({ input: block["input"] }) },
      ];
    default:
      return [];
  }
}

function readOutput(block: JsonObject): Told[] {
  if (block["type"] !== "tool_result") return [];
  const status = block["is_error"] === true ? "failed" : "done";
  return [{ type: "tool", id: textOf(block["tool_use_id"]), name: "", status, ...defined({ output: block["content"] }) }];
}

function readEnd(line: JsonObject): ClaudeEnd {
  const usage = isObject(line["usage"]) ? line["usage"] : {};
  const denials = isList(line["permission_denials"]) ? line["permission_denials"].filter(isObject) : [];
  const errors = isList(line["errors"]) ? line["errors"].map(textOf).join("; ") : "";
  const isError = line["is_error"] === true || line["subtype"] === "error_during_execution";
  const said = [typeof line["result"] === "string" ? line["result"] : "", errors].filter((text) => text !== "").join(": ");
  return {
    stop: line["subtype"] === "error_max_turns" ? "max_turns" : isError ? "error" : "end",
    ...(isError ? { error: said === "" ? "The agent failed without a reason." : said } : {}),
    usage: defined({
      inputTokens: numberOf(usage["input_tokens"]),
      outputTokens: numberOf(usage["output_tokens"]),
      cachedTokens: numberOf(usage["cache_read_input_tokens"]),
      costUsd: numberOf(line["total_cost_usd"]),
    }),
    denied: denials.map((denial) => ({
      id: textOf(denial["tool_use_id"]),
      name: textOf(denial["tool_name"]),
      ...defined({ input: denial["tool_input"] }),
    })),
  };
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}
