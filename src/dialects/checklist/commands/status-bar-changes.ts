import { checklistOf, gatherFacts } from "../run/index.ts";
import type { StatusBarChanges } from "../../../cli/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import { mergeSharedState, parseSharedState, sharedSession } from "../views/index.ts";

/** An ended run stays listed for ten minutes; it is looked at once more when they are over. */
const endedLeavesMs = 10 * 60_000 + 1_000;

/** Shows every change of a checklist run to status bars; undefined for other runs, and when nothing has changed. */
export function statusBarChanges(context: EngineContext): StatusBarChanges {
  const heads = new Map<string, number>();
  return async (run) => {
    const handle = await context.runs.open(run);
    if (checklistOf(handle) === undefined) return undefined;
    const facts = await gatherFacts(context, run);
    const left = facts.endedAt === undefined ? undefined : facts.endedAt + endedLeavesMs - facts.now;
    // A run that ended long ago is looked at only to let it leave the file.
    if (heads.get(run) === handle.head && (left === undefined || left > 0)) return undefined;
    heads.set(run, handle.head);
    const session = sharedSession(facts);
    return {
      merge: (existing) => {
        // Another process may have seen a later state of the run and written before us.
        const held = parseSharedState(existing ?? "")?.activeWorkflows.find((other) => other.id === session.id);
        return mergeSharedState(existing, held !== undefined && held.lastUpdated > session.lastUpdated ? held : session, facts.now);
      },
      ...(left === undefined || left <= 0 ? {} : { againInMs: left }),
    };
  };
}
