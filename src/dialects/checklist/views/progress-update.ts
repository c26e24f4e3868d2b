import type { JsonObject } from "../../../base/index.ts";

export interface WorkDone {
  readonly phase: string;
  readonly filesProcessed: number;
  readonly filesTotal: number;
  readonly instancesFound: number;
  readonly elapsedMs: number;
}

/** What is sent during long autonomous work; the time left is there once there is a pace. */
export function progressUpdate({ phase, filesProcessed, filesTotal, instancesFound, elapsedMs }: WorkDone): JsonObject {
  const update = {
    type: "progress_update",
    phase,
    files_processed: filesProcessed,
    files_total: filesTotal,
    instances_found: instancesFound,
  };
  if (filesProcessed <= 0 || elapsedMs <= 0) return update;
  const left = (elapsedMs / filesProcessed) * Math.max(0, filesTotal - filesProcessed);
  return { ...update, estimated_remaining_seconds: Math.round(left / 1000) };
}
