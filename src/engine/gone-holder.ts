import { isWaymarkError, own, WaymarkError } from "../base/index.ts";
import { readHandOutId, taskName } from "../kernel/index.ts";
import type { EngineContext } from "./context.ts";
import { readLife } from "./holding.ts";
import { openStrand } from "./resolve-strand.ts";
import type { RunHandle } from "./run-cache.ts";

/** What a refused call was about, as far as it said so. */
export interface RefusedAbout {
  readonly run?: string | undefined;
  readonly task?: string | undefined;
  /** Of a hand-out. */
  readonly action?: string | undefined;
}

/**
 * A caller that does not hold what it reports on may have what is open by asking for it, when nobody alive holds it: then the refusal says
 * so (`holder_gone`), and names the task. Any other error stays as it is.
 */
export async function tellGoneHolder(context: EngineContext, error: unknown, about: RefusedAbout): Promise<unknown> {
  if (!isWaymarkError(error) || error.code !== "HOLDER_LOST" || about.run === undefined) return error;
  const handle = await context.runs.open(about.run);
  const strand = handle.state.status === "running" ? strandMeant(handle, about) : undefined;
  if (strand === undefined) return error;
  const { holder, task } = strand;
  if ((await readLife(context, handle.id, strand)).alive !== undefined) return error;
  const gone =
    holder === undefined ? "Nobody holds it now." : `${holder.kind === "person" ? "Person" : "Agent"} \`${holder.name}\` is gone.`;
  return new WaymarkError({
    code: error.code,
    message: `${error.message} ${gone}`,
    fix: "Ask for the next step, which is handed out to you, and report that one.",
    details: { ...error.details, holder_gone: true, ...(task === undefined ? {} : { task_id: taskName(strand) }) },
    cause: error,
  });
}

function strandMeant({ state }: RunHandle, { task, action = "" }: RefusedAbout): RunHandle["state"]["strands"][string] | undefined {
  const id = readHandOutId(action)?.id ?? action;
  const open = own(state.actions, id) ?? own(state.decisions, id);
  return own(state.strands, open?.strand ?? openStrand(state, task) ?? "");
}
