import type { JsonObject } from "../base/index.ts";
import type { RunState } from "../kernel/index.ts";
import type { Program } from "../program/index.ts";

/** The text a person gives to the next conversation. */
export function resumeText(run: string, workflow: string): string {
  return `Resume the Waymark run ${run} (workflow ${workflow}): call workflow_resume with run_id "${run}", then do exactly what each reply says until the status is completed.`;
}

export function lastCheckpoint(program: Program, state: RunState): JsonObject {
  const mark = state.mark;
  if (mark !== undefined) return { step_id: mark.step, timestamp: new Date(mark.at).toISOString(), reason: mark.reason };
  return {
    step_id: state.strands["main"]?.frames.at(-1)?.block ?? program.main,
    timestamp: new Date(state.startedAt).toISOString(),
    reason: "every step is a checkpoint",
  };
}
