import { child, textAt, type SourceNode } from "../../../source/index.ts";

const checkpointMethods: readonly string[] = ["workflow.checkpoint", "workflow_checkpoint"];

/** Whether a step is the checkpoint call that `on_high_context_usage` may hold. */
export function isCheckpoint(step: SourceNode): boolean {
  return textAt(step, "type") === "mcp_call" && checkpointMethods.includes(textAt(child(step, "mcp"), "method") ?? "");
}

/** `current raw state` and `current_raw_state` are the same word. */
export function resumeWord(text: string): string {
  return text.trim().replace(/[\s-]+/g, "_");
}
