import { textOf } from "../../base/index.ts";
import { claimedIn, openOf, type CheckReport, type Claimed } from "../../dialects/checklist/run/index.ts";
import type { DeniedClaim } from "../../engine/index.ts";
import type { ToolCall } from "../tool.ts";
import type { Beside } from "./checklist-reply.ts";

/** Asked before the report is made: afterwards something else is in the caller's hands. */
export async function claimedBy(call: ToolCall, { run, status, actionId }: CheckReport): Promise<Claimed | undefined> {
  const { action } = openOf(await call.engine.runs.open(run), call.caller);
  return status === "completed" && (actionId === undefined || actionId === action?.id) ? claimedIn(action) : undefined;
}

/**
 * A file tells that the claim was false once too often: who made it is told what became of the instance. One that is open again is
 * handed out with word of that.
 */
export function setAside(denied: DeniedClaim | undefined): Beside | undefined {
  if (denied?.became !== "failed") return undefined;
  const { item, reason } = denied;
  const { id = "", file = "", line = null } = item;
  return {
    lines: [`\`${textOf(id)}\` in ${textOf(file)} is set aside as failed: ${reason} workflow_retry opens it again.`],
    data: { set_aside: { file, line, checklist_item_id: textOf(id), status: "failed", reason } },
  };
}
