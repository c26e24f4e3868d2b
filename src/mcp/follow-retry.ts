import { retryRun, type Position } from "../engine/index.ts";
import type { ToolCall } from "./tool.ts";

/** When a run failed and its workflow asks for a new attempt, the agent goes on in the linked run. */
export async function followRetry(call: ToolCall, position: Position): Promise<{ readonly position: Position; readonly retryOf?: string }> {
  const again = await retryRun(call.engine, call.caller, position.run, call.waiting);
  return again === undefined ? { position } : { position: again, retryOf: position.run };
}
