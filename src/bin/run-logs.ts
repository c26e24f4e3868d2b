import type { EngineContext } from "../engine/index.ts";
import { followLogs, type Log, type LogFollower } from "../host/index.ts";
import { runLogOf } from "./dialect-parts.ts";

/** Keeps the logs of runs whose dialect has one. */
export function runLogs(workspace: string, log: Log, context: () => EngineContext): LogFollower {
  return followLogs({
    workspace,
    log,
    logOf: async (run) => {
      const engine = context();
      const { program } = await engine.runs.open(run);
      const logOf = await runLogOf(program.dialect)?.();
      return logOf?.(engine, run);
    },
  });
}
