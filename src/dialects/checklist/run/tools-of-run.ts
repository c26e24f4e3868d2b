import type { ToolDefinition } from "../definition/index.ts";
import type { ChecklistRun } from "./checklist-run.ts";

/** The tools that a run uses. */
export function toolsOf({ definition }: Pick<ChecklistRun, "definition">): readonly ToolDefinition[] {
  return definition.tools ?? [];
}
