import type { JsonObject } from "../base/index.ts";
import type { RunState } from "./run-state.ts";

/** What is open in a run, short enough for a refusal: steps, tasks and questions. */
export function openRefs(state: RunState): JsonObject {
  return {
    open_steps: Object.values(state.actions)
      .slice(0, 10)
      .map((action) => action.step),
    open_decisions: Object.values(state.decisions)
      .filter((decision) => decision.status === "pending")
      .slice(0, 10)
      .map((decision) => decision.id),
  };
}
