import { mainStrand, readHandOutId, type Action } from "../../kernel/index.ts";
import { tasksBeside } from "../../views/index.ts";
import type { Caller } from "../caller.ts";
import type { EngineContext } from "../context.ts";
import { openStrand } from "../resolve-strand.ts";
import type { ReportRequest } from "./report-request.ts";

/**
 * The step with tasks beside the caller's own work that a report names: its holder has read it and continues with that work. Nothing is
 * recorded, for the step ends with its tasks. undefined when the report is about something else, or nothing but the tasks is left.
 */
export async function tasksTaken(
  context: EngineContext,
  caller: Caller,
  { run, task, action, step, status }: Pick<ReportRequest, "run" | "task" | "action" | "step" | "status">,
): Promise<Action | undefined> {
  const named = action ?? step;
  if (named === undefined || (status !== undefined && status !== "success")) return undefined;
  const { state } = await context.runs.open(run);
  const strand = openStrand(state, task) ?? mainStrand;
  if (state.status !== "running" || state.strands[strand]?.waits?.on === "strands") return undefined;
  const id = readHandOutId(named)?.id ?? named;
  const groups = tasksBeside(state, strand).map((group) => group.action);
  const byName = groups.filter((each) => each.step === named && context.handOuts.isShown(caller, run, each.id));
  const found = groups.find((each) => each.id === id) ?? (byName.length === 1 ? byName[0] : undefined);
  if (found !== undefined) context.handOuts.wentOn(caller, run, found.id);
  return found;
}
