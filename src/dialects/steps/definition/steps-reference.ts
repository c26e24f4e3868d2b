import { keysOfShape, typeWords, type DialectReference } from "../../../source/index.ts";
import { stepKeys } from "./shape/step-shapes.ts";
import { workflowShape } from "./shape/workflow-shape.ts";
import {
  computedErrorPolicies,
  itemErrorStrategies,
  lostPolicies,
  operations,
  outputFormats,
  resumeParts,
  stepErrorPolicies,
  workflowErrorPolicies,
} from "./vocabulary.ts";

const task = ["sub_agent_tasks", "X"] as const;
const sections: Readonly<Record<string, readonly string[]>> = {
  "inputs.*": ["inputs", "X"],
  "inputs.*.validation": ["inputs", "X", "validation"],
  default_state: ["default_state"],
  state_schema: ["state_schema"],
  "state_schema.computed.*": ["state_schema", "computed", "X"],
  "sub_agent_tasks.*": task,
  "sub_agent_tasks.*.error_handling": [...task, "error_handling"],
  error_handling: ["error_handling"],
  "error_handling.error_collection": ["error_handling", "error_collection"],
  on_resume: ["on_resume"],
  on_high_context_usage: ["on_high_context_usage"],
  budget: ["budget"],
};

/** Everything the dialect understands, by name; read from the shapes that files are checked against. */
export const stepsReference: DialectReference = {
  guide: "workflows.md",
  topLevelKeys: [...Object.keys(workflowShape.shape), "workflow"],
  sectionKeys: Object.fromEntries(Object.entries(sections).map(([name, path]) => [name, keysOfShape(workflowShape, path, null)])),
  stepKeys,
  words: {
    "`output_format`": outputFormats,
    "`operation`": operations,
    "`on_error` of a step": stepErrorPolicies,
    "`error_handling.on_error`": workflowErrorPolicies,
    "`on_sub_agent_error.strategy`": itemErrorStrategies,
    "`state_schema.computed.*.on_error`": computedErrorPolicies,
    "`on_lost`": lostPolicies,
    "types of inputs and fields": typeWords,
    "`on_resume.load_from_checkpoint` and `on_resume.exclude`": resumeParts,
  },
};
