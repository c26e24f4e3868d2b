/** Checklists over MCP: what `workflow_batch` does, and how runs of checklists are reported and shown. Begin with `checklist-tools.ts`. */
export { checklistTools } from "./checklist-tools.ts";
