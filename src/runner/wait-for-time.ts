import { asSentence } from "../base/index.ts";
import { waitForChange, wakeDue, type EngineContext, type Position } from "../engine/index.ts";
import { timeOver } from "../views/index.ts";
import type { TimedRequest } from "./drive-in-time.ts";

/** How long a change that another process makes may go unnoticed, in milliseconds. */
const longestLook = 500;

/**
 * Waits until the first strand that is blocked until a time is due, the run changes in another way, or something is free (`isFreed`). False
 * where nothing becomes due by itself, the time of the run or of the drive is over before, or the driver is to end.
 */
export async function waitForTime(
  context: EngineContext,
  { finish, watch, endsAt = Infinity }: Pick<TimedRequest, "finish" | "watch" | "endsAt">,
  { run, head }: Pick<Position, "run" | "head">,
  isFreed: () => Promise<boolean>,
): Promise<boolean> {
  const handle = await context.runs.open(run);
  let said: number | undefined;
  while (!finish.aborted && handle.head === head && handle.state.status === "running") {
    const { startedAt, budget, strands } = handle.state;
    const since = budget.since ?? startedAt;
    const [first] = Object.values(strands)
      .flatMap(({ blocked }) => (blocked?.until === undefined ? [] : [{ until: blocked.until, reason: blocked.reason }]))
      .toSorted((a, b) => a.until - b.until);
    const { minutes } = budget.limits;
    const over = Math.min(endsAt, minutes === undefined ? Infinity : since + minutes * 60_000);
    if (first === undefined) return false;
    if (first.until >= over) {
      // Of the drive a next one has its own.
      const then = over < endsAt ? " The next drive after that asks a person for more." : "";
      const text = `It is not waited for: ${over < endsAt ? "the minutes of the run are over" : "the time that is left ends"} before, at ${timeOver(over)}.${then}`;
      watch?.({ type: "notice", text });
      return false;
    }
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
    if (await isFreed()) break;
  }
  return !finish.aborted;
}
