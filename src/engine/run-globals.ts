import type { JsonObject } from "../base/index.ts";
import type { RunState } from "../kernel/index.ts";

/** Names every expression of a run can read, behind everything the workflow itself defines. */
export function runGlobals(state: RunState): JsonObject {
  return {
    workflow_id: state.id,
    run_id: state.id,
    session_id: state.id,
    workflow_name: state.workflow,
    work: Object.fromEntries(
      Object.entries(state.lists).map(([id, counts]) => [id, { counts: { total: counts.total, ...counts.by }, by: counts.facets }]),
    ),
  };
}
