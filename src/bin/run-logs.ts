import { isWaymarkError } from "../base/index.ts";
import type { EngineContext, RunHandle } from "../engine/index.ts";
import { followLogs, type Log, type LogFollower } from "../host/index.ts";
import { runLogOf } from "./dialect-parts.ts";

/** Keeps the logs of runs whose dialect has one. */
export function runLogs(workspace: string, log: Log, context: () => EngineContext): LogFollower {
  return followLogs({
    workspace,
    log,
    logOf: async (run) => {
      const engine = context();
      const handle = await openIfThere(engine, run);
      const logOf = handle && (await runLogOf(handle.program.dialect)?.());
      return logOf?.(engine, run);
    },
  });
}

/** A run may have been removed since it moved. */
async function openIfThere({ runs }: EngineContext, run: string): Promise<RunHandle | undefined> {
  try {
    return await runs.open(run);
  } catch (error) {
    if (isWaymarkError(error) && error.code === "ENGINE_NO_RUN") return undefined;
    throw error;
  }
}
