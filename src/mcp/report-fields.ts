import { fieldsTaken, type ReportRequest } from "../engine/index.ts";
import { badArgument } from "./codes.ts";
import type { Arguments, ToolCall } from "./tool.ts";

type Status = "success" | "completed" | "failed" | "skipped";

interface Given {
  readonly status?: Status | undefined;
  /** Arguments that only some steps take. */
  readonly own: Arguments;
}

/** A status in the engine's words. */
export function plainStatus(status: Status | undefined): Pick<ReportRequest, "status"> {
  if (status === undefined) return {};
  return { status: status === "completed" ? "success" : status };
}

/** The status of a report and the values of its step's own fields. What the step does not take is refused, not ignored. */
export async function fieldsOf(
  call: ToolCall,
  tool: string,
  named: Pick<ReportRequest, "run" | "task" | "action" | "step">,
  { status, own }: Given,
): Promise<Pick<ReportRequest, "status" | "more">> {
  const taken = await fieldsTaken(call.engine, call.caller, named);
  const given = Object.entries(own).filter(([, value]) => value !== undefined);
  const refused = given
    .filter(([name]) => !taken.includes(name))
    .map(([name]) => (name === "answer" ? "an answer is given as `result`" : `this step does not take \`${name}\``));
  if (status === "skipped" && !taken.includes("skip_reason")) refused.push("this step cannot be skipped");
  if (refused.length > 0) throw badArgument(tool, refused, "the step with status success or failed, result, error");
  return { ...plainStatus(status), ...(given.length === 0 ? {} : { more: Object.fromEntries(given) }) };
}
