import { isWaymarkError } from "../base/index.ts";
import { next, type NextRequest, type Position } from "../engine/index.ts";
import { badArgument } from "./codes.ts";
import type { Reply, Surrounding, ToolCall } from "./tool.ts";

const longestName = 60;

/**
 * The call as one of several sub-agents that share a connection makes it: each worker is a holder of its own, so that they get different
 * parts of the work that the run hands out. Leases stay those of the connection and end with it.
 */
export function asWorker(call: ToolCall, tool: string, worker: string | undefined): ToolCall {
  if (worker === undefined) return call;
  const name = worker.trim();
  if (name === "" || name.length > longestName || !/^[\x21-\x7E]+$/.test(name))
    throw badArgument(tool, [`\`worker\` must be a name of 1 to ${longestName} signs without spaces`], "e.g. w1");
  const { holder } = call.caller;
  return { ...call, worker: name, caller: { ...call.caller, holder: { ...holder, session: `${holder.session}#${name}` } } };
}

/**
 * The next position, or word that nothing is left: while a run hands out its work everyone gets a part, but what comes before and after
 * belongs to the agent that drives the run. `reported`: the caller has just done its part, and that is not a mistake of its own.
 */
export async function nextForWorker(call: ToolCall, request: NextRequest, reported?: Surrounding): Promise<Position | Reply> {
  try {
    return await next(call.engine, call.caller, request);
  } catch (error) {
    if (!isWaymarkError(error) || error.code !== "STRAND_HELD") throw error;
    const { worker, caller } = call;
    const { state } = await call.engine.runs.open(request.run);
    const driver = state.strands["main"]?.holder;
    const mine = worker !== undefined && driver !== undefined && connectionOf(driver.session) === connectionOf(caller.holder.session);
    if (!mine && reported === undefined) throw error;
    const who = driver === undefined ? "the agent that drives the run" : `\`${driver.name}\`, which drives the run`;
    const instruction = `Nothing is left for you${worker === undefined ? "" : `, worker ${worker}`}: what follows is for ${mine ? "the agent that started you" : who}. You are done; report this to them.`;
    return {
      text: [...(reported?.lines(reported.data) ?? []), instruction].join("\n"),
      data: { session_id: request.run, status: "task_done", instruction, ...reported?.data },
    };
  }
}

/** The session without the worker's name. */
function connectionOf(session: string): string {
  return session.split("#")[0] ?? session;
}
