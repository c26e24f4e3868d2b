import type { JsonObject } from "../base/index.ts";
import type { RunHandle, StrandStatus } from "../engine/index.ts";
import type { Following, LaterCall } from "../views/index.ts";
import type { ToolCall } from "./tool.ts";

/** What follows for a caller that only looked. `elsewhere`: another agent drives the run, so the caller would have to take it over. */
export function followingRun(run: string, status: string, elsewhere: boolean): Following {
  const place = { run_id: run };
  switch (status) {
    case "blocked":
    case "failed":
      return { later: retryLater(run) };
    case "completed":
      return { next_call: { tool: "workflow_complete", arguments: place } };
    case "cancelled":
      return {};
    default:
      return elsewhere ? { later: takeOver(place) } : { next_call: { tool: "workflow_next", arguments: place } };
  }
}

/** Whether another connection drives the run and its process is alive, or was until shortly: the caller would be refused. */
export function isDrivenElsewhere(
  { caller }: Pick<ToolCall, "caller">,
  { state }: Pick<RunHandle, "state">,
  strands: readonly StrandStatus[],
): boolean {
  const alive = strands.some(({ strand, alive: lives }) => strand === "main" && lives);
  return alive && state.strands["main"]?.holder?.session !== caller.holder.session;
}

/** Trying again at once would fail again. */
export function retryLater(run: string): LaterCall {
  return { when: "when the cause is fixed", tool: "workflow_retry", arguments: { run_id: run } };
}

/** Takes over a run, or a task of it. */
export function takeOver(place: JsonObject): LaterCall {
  return { when: "if the user wants you to take it over", tool: "workflow_resume", arguments: place };
}
