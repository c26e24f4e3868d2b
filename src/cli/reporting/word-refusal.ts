import { isWaymarkError, WaymarkError } from "../../base/index.ts";
import { doneLine, failLine, nextLine } from "../printed-lines.ts";
import type { StepReport } from "./step-report.ts";

/** A refusal of the engine with its next step as a line of the command line; anything else as it is. */
export function wordRefusal(error: unknown, { run, task }: Pick<StepReport, "run" | "task">): unknown {
  if (!isWaymarkError(error)) return error;
  const fix = fixOf(error, run, task);
  if (fix === undefined) return error;
  const { code, message, details } = error;
  return new WaymarkError({ code, message, fix, details, cause: error });
}

function fixOf({ code, details }: WaymarkError, run: string, task: string | undefined): string | undefined {
  const id = details["action_id"];
  const named = typeof id === "string" ? { run, action: id, ...(task === undefined ? {} : { task }) } : undefined;
  switch (code) {
    case "ENGINE_NO_RESULT":
      return named && `Give its result: ${doneLine(named, "the result")}; or say why it failed: ${failLine(named)}`;
    case "ENGINE_WRONG_STEP":
    case "ENGINE_NO_ACTION":
    case "RUN_NOT_DONE":
      return `See what is open: ${nextLine(run, task)}`;
    case "HOLDER_LOST":
      return details["holder_gone"] === true ? `See what is open: ${nextLine(run, task)}` : undefined;
    case "ENGINE_OFF_COURSE":
      return details["kind"] === "no_action" ? `See what is open: ${nextLine(run, task)}` : undefined;
    default:
      return undefined;
  }
}
