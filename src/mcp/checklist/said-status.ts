import { refused } from "../../engine/index.ts";
import type { CheckReport } from "../../dialects/checklist/run/index.ts";
import { badArgument } from "../codes.ts";
import type { ProgressArguments } from "./report-checklist.ts";

export const statuses = "completed, skipped with skip_reason, or failed with error";

/**
 * What the call says was done. A reason to skip or an error speaks for itself. Whatever else lacks a status adds to the open entry,
 * or says nothing and is refused: that an action has an id does not make it done.
 */
export function statusOf(args: ProgressArguments): CheckReport["status"] {
  const { completed, actionId } = args;
  const said = saidStatus(args);
  if (said !== undefined) return said;
  if (completed !== undefined) throw badArgument("workflow_progress", ["`completed_action.status` is missing"], statuses);
  if (has(actionId)) throw noStatus(actionId);
  throw badArgument(
    "workflow_progress",
    ["it does not say what was done"],
    `completed_action {action, file, checklist_item_id, status} of the open entry, where status is ${statuses}; workflow_next shows the entry`,
  );
}

/** undefined when it says nothing; an object `completed` that lacks a status adds nothing. */
export function saidStatus(args: ProgressArguments): CheckReport["status"] | undefined {
  const { completed, status, skipReason, error, findings, changes, topics } = args;
  const told = (completed?.["status"] as "completed" | "skipped" | "failed" | undefined) ?? status;
  if (told !== undefined) return told === "success" ? "completed" : told;
  if (has(skipReason) || has(completed?.["skip_reason"])) return "skipped";
  if (has(error) || has(completed?.["error"])) return "failed";
  const adds = completed === undefined && [findings, changes, topics].some((list) => list !== undefined && list.length > 0);
  return adds ? "open" : undefined;
}

function has(text: unknown): text is string {
  return typeof text === "string" && text.trim() !== "";
}

function noStatus(action: string): Error {
  return refused(
    "ENGINE_NO_RESULT",
    `The report of \`${action}\` does not say what came of it. Nothing was changed.`,
    `Report \`${action}\` again with \`status\`: ${statuses}.`,
    { action_id: action, fill_in: { status: statuses } },
  );
}
