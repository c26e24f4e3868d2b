import { isWaymarkError } from "../../base/index.ts";
import { next, type NextRequest, type Position } from "../../engine/index.ts";
import type { Reply, ToolCall } from "../tool.ts";
import type { Beside } from "./checklist-reply.ts";
import { sameConnection } from "./worker.ts";

/**
 * The next position, or word that nothing is left: while a checklist hands out its files everybody gets one, but what comes before and
 * after belongs to whoever drives the run. `reported`: the caller has just done its part, and that is no mistake of its own.
 */
export async function nextForWorker(
  call: ToolCall,
  request: NextRequest,
  { worker, reported }: { readonly worker?: string | undefined; readonly reported?: Beside },
): Promise<Position | Reply> {
  try {
    return await next(call.engine, call.caller, request);
  } catch (error) {
    if (!isWaymarkError(error) || error.code !== "STRAND_HELD") throw error;
    const { state } = await call.engine.runs.open(request.run);
    const driver = state.strands["main"]?.holder;
    const mine = worker !== undefined && driver !== undefined && sameConnection(call, driver.session);
    if (!mine && reported === undefined) throw error;
    const who = driver === undefined ? "the agent that drives the run" : `\`${driver.name}\`, which drives the run`;
    const instruction = `Nothing is left for you${worker === undefined ? "" : `, worker ${worker}`}: what follows is for ${mine ? "the agent that started you" : who}. You are done; report this to them.`;
    return {
      text: [...(reported?.lines ?? []), instruction].join("\n"),
      data: { session_id: request.run, status: "task_done", instruction, ...reported?.data },
    };
  }
}
