import type { Standing } from "../views/index.ts";
import { coreShown, withWritesLeft } from "../views/index.ts";
import type { EngineContext } from "./context.ts";
import type { Position } from "./position.ts";
import type { RunHandle } from "./run-cache.ts";

/** A position before its leaf has shown what is open. */
export interface BarePosition extends Omit<Position, "standing"> {
  readonly standing: Standing;
}

/** What is open, as its leaf shows it. */
export async function shownPosition(context: EngineContext, handle: RunHandle, bare: BarePosition): Promise<Position> {
  const { standing, ...position } = bare;
  if (standing.kind !== "action") return { ...position, standing };
  const { at, leaf } = context.leaves.ofAction(context, handle, standing.action);
  const shown = leaf.show === undefined ? coreShown(handle, standing.action) : await leaf.show(at, standing);
  return { ...position, standing: { ...standing, shown: withWritesLeft(shown, standing.action) } };
}
