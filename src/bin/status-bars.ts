import type { EngineContext } from "../engine/index.ts";
import { createSharedState, sharedStatePaths, type Environment, type Log, type SharedState } from "../host/index.ts";
import { statusBarChanges } from "./dialect-commands.ts";

/** Shows status bars every change of a run that a dialect has something to say about; undefined when the environment names no file. */
export function statusBars(env: Environment, log: Log, context: () => EngineContext): SharedState | undefined {
  const paths = sharedStatePaths(env);
  if (paths.length === 0) return undefined;
  const loadAll = () => Promise.all(statusBarChanges.map((load) => load(context())));
  let loaded: ReturnType<typeof loadAll> | undefined;
  return createSharedState({
    paths,
    log,
    changeOf: async (run) => {
      for (const changeOf of await (loaded ??= loadAll())) {
        const change = await changeOf(run);
        if (change !== undefined) return change;
      }
      return undefined;
    },
  });
}
