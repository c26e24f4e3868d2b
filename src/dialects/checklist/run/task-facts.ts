import { isObject, textOf } from "../../../base/index.ts";
import type { RunHandle } from "../../../engine/index.ts";
import type { ChecklistFacts, TaskFacts } from "../definition/index.ts";
import { begunRuns } from "./checklist-run.ts";

/** What became of tasks: of the run's own workflow, then of those that it called. */
export function taskFacts(handle: RunHandle): ChecklistFacts["tasks"] {
  const all = begunRuns(handle).flatMap(({ definition: { phases }, raw }) =>
    phases.flatMap(({ id, name }): TaskFacts[] => {
      const came = isObject(raw["tasks"]) ? raw["tasks"][id] : undefined;
      if (!isObject(came)) return [];
      const failed = came["status"] === "failed";
      return [
        { phase: id, name, status: failed ? "failed" : "completed", result: textOf((failed ? came["error"] : came["result"]) ?? "") },
      ];
    }),
  );
  return all.length === 0 ? undefined : all;
}
