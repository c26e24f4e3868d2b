import type { StrandStatus, RunHandle } from "../engine/index.ts";
import type { LaterCall } from "../views/index.ts";
import type { ToolCall } from "./tool.ts";

/** Whether another connection drives the run and its process is alive, or was until shortly: the caller would be refused. */
export function isDrivenElsewhere(
  { caller }: Pick<ToolCall, "caller">,
  state: RunHandle["state"],
  strands: readonly StrandStatus[],
): boolean {
  const alive = strands.some(({ strand, alive: lives }) => strand === "main" && lives);
  return alive && state.strands["main"]?.holder?.session !== caller.holder.session;
}

export function takeOverLater(run: string): LaterCall {
  return { when: "if the user wants you to take it over", tool: "workflow_resume", arguments: { run_id: run } };
}
