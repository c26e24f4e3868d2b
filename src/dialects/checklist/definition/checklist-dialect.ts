import type { Dialect } from "../../../source/index.ts";
import { checklistJsonSchema, checklistReference } from "./checklist-reference.ts";
import { explainChecklist } from "./explain-checklist.ts";
import { loadChecklist, recogniseChecklist, subWorkflowsOf } from "./load-checklist.ts";

export const checklistDialect: Dialect = {
  name: "checklist",
  places: [{ endings: [".workflow.yaml", ".workflow.yml", ".workflow.json", ".yaml", ".yml"] }],
  owns: recogniseChecklist,
  references: (file) => ({ workflows: subWorkflowsOf(file), files: [] }),
  load: loadChecklist,
  lowersItsOwn: true,
  unknownCall: "CHECKLIST_BAD_CALL",
  // Its files are handed out to the agents of the run, not inside a task.
  alone: { word: "checklist", when: "in tasks" },
  // Files are each one's own by their names; findings and changes are the run's.
  sharesLists: true,
  reference: checklistReference,
  jsonSchema: checklistJsonSchema,
  explain: explainChecklist,
};
