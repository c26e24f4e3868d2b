import { keysOfShape, typeWords, type DialectReference } from "../../../source/index.ts";
import { stepShapes } from "./shape/step-shapes.ts";
import { workflowShape } from "./shape/workflow-shape.ts";
import { errorKeys, resultErrorKeys } from "./shape/write-shapes.ts";
import {
  computedErrorPolicies,
  itemErrorStrategies,
  lostPolicies,
  operations,
  outputFormats,
  resumeParts,
  stepErrorPolicies,
  stepTypes,
  workflowErrorPolicies,
  type StepType,
} from "./vocabulary.ts";

export interface StepsFeatures {
  readonly stepTypes: readonly StepType[];
  readonly stepKeys: Readonly<Record<StepType, readonly string[]>>;
  readonly topLevelKeys: readonly string[];
  readonly outputFormats: readonly string[];
  readonly operations: readonly string[];
  /** Keys that any step with a result may carry, and those that only it may carry. */
  readonly errorKeys: readonly string[];
  readonly resultErrorKeys: readonly string[];
  readonly errorPolicies: readonly string[];
  readonly workflowErrorPolicies: readonly string[];
  readonly itemErrorStrategies: readonly string[];
  readonly computedErrorPolicies: readonly string[];
  readonly lostPolicies: readonly string[];
  readonly typeWords: readonly string[];
  readonly resumeParts: readonly string[];
}

/** Everything the dialect understands, by name; read from the shapes that files are checked against. */
export const stepsFeatures: StepsFeatures = {
  stepTypes,
  stepKeys: Object.fromEntries(stepTypes.map((type) => [type, Object.keys(stepShapes[type].shape)])) as unknown as Record<
    StepType,
    string[]
  >,
  topLevelKeys: Object.keys(workflowShape.shape),
  outputFormats,
  operations,
  errorKeys: Object.keys(errorKeys),
  resultErrorKeys: Object.keys(resultErrorKeys).filter((key) => !Object.hasOwn(errorKeys, key)),
  errorPolicies: stepErrorPolicies,
  workflowErrorPolicies,
  itemErrorStrategies,
  computedErrorPolicies,
  lostPolicies,
  typeWords,
  resumeParts,
};

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

export const stepsReference: DialectReference = {
  guide: "workflows.md",
  topLevelKeys: [...stepsFeatures.topLevelKeys, "workflow"],
  sectionKeys: Object.fromEntries(Object.entries(sections).map(([name, path]) => [name, keysOfShape(workflowShape, path, null)])),
  stepKeys: stepsFeatures.stepKeys,
};
