import type { EngineContext } from "../engine/index.ts";
import type { Log, LogFollower } from "../host/index.ts";
import { followLogs } from "../host/index.ts";
import { loadRunLogs } from "./dialect-parts.ts";

/** Keeps the logs of runs whose dialect has one. */
export function runLogs(workspace: string, log: Log, context: () => EngineContext): LogFollower {
  let loaded: ReturnType<typeof loadRunLogs> | undefined;
  return followLogs({
    workspace,
    log,
    logOf: async (run) => {
      const engine = context();
      const logOf = (await (loaded ??= loadRunLogs()))[(await engine.runs.open(run)).program.dialect];
      return logOf?.(engine, run);
    },
  });
}
