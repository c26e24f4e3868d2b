import { retryRun, type Position } from "../engine/index.ts";
import type { ToolCall } from "./tool.ts";

/**
 * When a run failed and its workflow asks for a new attempt, the agent that drives it continues in the linked run. A sub-agent is at the
 * end of its task: the new run has tasks of its own.
 */
export async function followRetry(call: ToolCall, position: Position): Promise<{ readonly position: Position; readonly retryOf?: string }> {
  if (position.standing.kind === "task_ended") return { position };
  const again = await retryRun(call.engine, call.caller, position.run, call.waiting);
  return again === undefined ? { position } : { position: again, retryOf: position.run };
}
