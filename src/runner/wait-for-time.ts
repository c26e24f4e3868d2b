import { asSentence } from "../base/index.ts";
import { waitForChange, wakeDue, type EngineContext, type Position } from "../engine/index.ts";
import { timeOver } from "../views/index.ts";
import type { DriveRequest } from "./drive-request.ts";

/** How long a change that another process makes may go unnoticed, in milliseconds. */
const longestLook = 500;

/**
 * Waits until the first strand that is blocked until a time is due, or the run changes in another way. False where nothing becomes due by
 * itself, the run's own time is over before, or the driver is to end.
 */
export async function waitForTime(
  context: EngineContext,
  { finish, watch }: Pick<DriveRequest, "finish" | "watch">,
  { run, head }: Pick<Position, "run" | "head">,
): Promise<boolean> {
  const handle = await context.runs.open(run);
  let said: number | undefined;
  while (!finish.aborted && handle.head === head && handle.state.status === "running") {
    const { startedAt, budget, strands } = handle.state;
    const [first] = Object.values(strands)
      .flatMap(({ blocked }) => (blocked?.until === undefined ? [] : [{ until: blocked.until, reason: blocked.reason }]))
      .toSorted((a, b) => a.until - b.until);
    const { minutes } = budget.limits;
    if (first === undefined || (minutes !== undefined && first.until >= startedAt + minutes * 60_000)) return false;
    const left = first.until - (await context.store.now());
    if (left <= 0) {
      await wakeDue(context, handle);
      return true;
    }
    if (said !== first.until)
      watch?.({
        type: "notice",
        text: `${asSentence(first.reason)} Waiting until ${timeOver(first.until)}. Ctrl-C leaves the run parked.`,
      });
    said = first.until;
    await waitForChange(context, handle, Math.min(left, longestLook));
  }
  return !finish.aborted;
}
