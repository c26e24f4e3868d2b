import { badArgument } from "../codes.ts";
import type { ToolCall } from "../tool.ts";

const longestName = 60;

/**
 * The call as one of several sub-agents that share a connection makes it: each worker is a holder of its own, so that they have
 * different files in hand. Leases stay those of the connection and end with it.
 */
export function asWorker(call: ToolCall, tool: string, worker: string | undefined): ToolCall {
  if (worker === undefined) return call;
  const name = worker.trim();
  if (name === "" || name.length > longestName || !/^[\x21-\x7E]+$/.test(name))
    throw badArgument(tool, [`\`worker\` must be a name of 1 to ${longestName} signs without spaces`], "e.g. w1");
  const { holder } = call.caller;
  return { ...call, caller: { ...call.caller, holder: { ...holder, session: `${holder.session}#${name}` } } };
}

/** Whether a holder belongs to the same connection, whatever worker it is. */
export function sameConnection(call: ToolCall, session: string): boolean {
  const base = (name: string): string => name.split("#")[0] ?? name;
  return base(session) === base(call.caller.holder.session);
}
