import type { EngineContext } from "../engine/index.ts";
import { createSharedState, sharedStatePaths, type Environment, type Log, type SharedState } from "../host/index.ts";
import { loadStatusBars } from "./dialect-parts.ts";

/** Shows status bars every change of a run that a dialect has something to say about; undefined when the environment names no file. */
export function statusBars(env: Environment, log: Log, context: () => EngineContext): SharedState | undefined {
  const paths = sharedStatePaths(env);
  if (paths.length === 0) return undefined;
  let loaded: ReturnType<typeof loadStatusBars> | undefined;
  return createSharedState({
    paths,
    log,
    changeOf: async (run) => {
      for (const changeOf of await (loaded ??= loadStatusBars(context()))) {
        const change = await changeOf(run);
        if (change !== undefined) return change;
      }
      return undefined;
    },
  });
}
