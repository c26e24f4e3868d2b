import type { Dialect } from "../../source/index.ts";
import { checklistCodes } from "./codes.ts";
import { checklistJsonSchema, checklistReference, loadChecklist, recogniseChecklist, subWorkflowsOf } from "./definition/index.ts";

export const checklistDialect: Dialect = {
  name: "checklist",
  places: [{ endings: [".workflow.yaml", ".workflow.yml", ".yaml", ".yml"] }],
  owns: recogniseChecklist,
  references: (file) => ({ workflows: subWorkflowsOf(file), files: [] }),
  load: loadChecklist,
  lowersItsOwn: true,
  unknownCall: "CHECKLIST_BAD_CALL",
  // Its files are handed out to the agents of the run, not inside a task.
  alone: { word: "checklist", when: "in tasks" },
  // Files are each one's own by their names; findings and changes are the run's.
  sharesLists: true,
  codes: checklistCodes,
  reference: checklistReference,
  jsonSchema: checklistJsonSchema,
};
