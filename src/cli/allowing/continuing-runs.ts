import { isAllowedSince, status, type EngineContext } from "../../engine/index.ts";
import { taskAround } from "../../views/index.ts";
import { drivenLine } from "../driven-line.ts";
import { nextLine, type Following } from "../printed-lines.ts";
import type { Offer } from "./permission-offers.ts";

/** How the open runs continue that waited for what was just allowed, one for each run. */
export async function continuingRuns(context: EngineContext, offers: readonly Offer[]): Promise<readonly Following[]> {
  const workflows = new Set(offers.map(({ workflow }) => workflow));
  const found: Following[] = [];
  for (const { id, workflow } of await context.store.listRuns({ status: ["running"] })) {
    // A command is allowed in every workflow.
    if (!workflows.has("") && !workflows.has(workflow)) continue;
    const following = await continuing(context, id, offers);
    if (following !== undefined) found.push(following);
  }
  return found;
}

/** undefined where the run waits for something else. */
async function continuing(context: EngineContext, run: string, offers: readonly Offer[]): Promise<Following | undefined> {
  const { handle, strands } = await status(context, run);
  const hash = context.catalog.hashOf(handle.program);
  const offered = offers.some((offer) => offer.hash === hash);
  for (const { strand: id, alive } of strands) {
    const strand = handle.state.strands[id];
    if (strand === undefined) continue;
    const { holder } = strand;
    const driver = holder?.kind === "worker" ? holder : undefined;
    const waits =
      (await isAllowedSince(context, handle, strand)) || (driver !== undefined && !alive && offered && strand.waits?.on === "action");
    if (!waits) continue;
    if (driver !== undefined) return { next: drivenLine(run, driver) };
    const next = nextLine(run, taskAround(handle.state, id));
    // An agent that is there asks for it itself, and nobody else may.
    return alive && holder?.kind === "agent"
      ? { later: { when: `if agent \`${holder.name}\` does not continue it`, command: next } }
      : { next };
  }
  return undefined;
}
