import { checklistOf, gatherFacts } from "../dialects/checklist/run/index.ts";
import type { EngineContext } from "../engine/index.ts";
import { createSharedState, sharedStatePaths, type Environment, type Log, type SharedChange, type SharedState } from "../host/index.ts";

/** An ended run stays listed for ten minutes; it is looked at once more when they are over. */
const endedLeavesMs = 10 * 60_000 + 1_000;

/** Tells status bars of every change of a checklist run; undefined when the environment names no file for them. */
export function statusBarState({
  env,
  log,
  context,
}: {
  readonly env: Environment;
  readonly log: Log;
  readonly context: () => EngineContext;
}): SharedState | undefined {
  const paths = sharedStatePaths(env);
  if (paths.length === 0) return undefined;
  const heads = new Map<string, number>();
  const changeOf = async (run: string): Promise<SharedChange | undefined> => {
    const handle = await context().runs.open(run);
    if (checklistOf(handle) === undefined) return undefined;
    const facts = await gatherFacts(context(), run);
    const left = facts.endedAt === undefined ? undefined : facts.endedAt + endedLeavesMs - facts.now;
    // A run that ended long ago is looked at only to let it leave the file.
    if (heads.get(run) === handle.head && (left === undefined || left > 0)) return undefined;
    heads.set(run, handle.head);
    const { mergeSharedState, parseSharedState, sharedSession } = await import("../dialects/checklist/views/index.ts");
    const session = sharedSession(facts);
    return {
      merge: (existing) => {
        // Another process may have seen the run further on and written before us.
        const held = parseSharedState(existing ?? "")?.activeWorkflows.find((other) => other.id === session.id);
        return mergeSharedState(existing, held !== undefined && held.lastUpdated > session.lastUpdated ? held : session, facts.now);
      },
      ...(left === undefined || left <= 0 ? {} : { againInMs: left }),
    };
  };
  return createSharedState({ paths, changeOf, log });
}
