import { defined } from "../../../base/index.ts";
import { child, has, listedTexts, numberAt, readPermission, textAt, type SourceNode } from "../../../source/index.ts";
import type { PromptStep } from "./prompts-definition.ts";
import { retryDelayMs } from "./vocabulary.ts";

/** What a step or a node says about the agent that it is for, and about its turn. */
export function readAgent(
  node: SourceNode,
): Pick<PromptStep, "onLostContext" | "artifacts" | "permission" | "provider" | "model" | "tools" | "idleMs" | "retry"> {
  const listed = (key: string): readonly string[] | undefined =>
    has(node, key) ? listedTexts(node, key).map((each) => each.value) : undefined;
  const tools = defined({ allowed: listed("allowed_tools"), denied: listed("denied_tools") });
  return defined({
    onLostContext: textAt(node, "on_lost_context"),
    artifacts: listed("artifacts"),
    permission: readPermission(child(node, "permission")),
    provider: textAt(node, "provider"),
    model: textAt(node, "model"),
    tools: Object.keys(tools).length === 0 ? undefined : tools,
    idleMs: numberAt(node, "idle_timeout"),
    retry: readRetry(child(node, "retry")),
  });
}

function readRetry(node: SourceNode | undefined): PromptStep["retry"] {
  if (node === undefined) return undefined;
  const times = numberAt(node, "max_attempts") ?? 1;
  return { times, delayMs: numberAt(node, "delay_ms") ?? retryDelayMs, on: textAt(node, "on_error") === "all" ? "all" : "transient" };
}
