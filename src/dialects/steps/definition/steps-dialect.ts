import * as z from "zod";
import { keysOfShape, typeWords, type Dialect, type DialectReference } from "../../../source/index.ts";
import { callsOf, importsOf, loadCalling } from "./load-steps.ts";
import { explainSteps } from "./plan/render-plan.ts";
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
import { isObject, type JsonObject } from "../../../base/index.ts";

/** Paths to maps with keys of their own; `*` is any name. */
const sections = [
  "inputs.*",
  "inputs.*.validation",
  "default_state",
  "state_schema",
  "state_schema.computed.*",
  "sub_agent_tasks.*",
  "sub_agent_tasks.*.error_handling",
  "error_handling",
  "error_handling.error_collection",
  "on_resume",
  "on_high_context_usage",
  "budget",
];

/** Everything the dialect understands, by name; read from the shapes that files are checked against. */
export const stepsReference: DialectReference = {
  guide: "workflows.md",
  topLevelKeys: [...Object.keys(workflowShape.shape), "workflow"],
  sectionKeys: Object.fromEntries(sections.map((path) => [path, keysOfShape(workflowShape, path.split("."), null)])),
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

/**
 * JSON Schema (draft 7) for editors, made from the shapes that files are checked against. A file is a workflow, a shared
 * file without steps, or either of them below `workflow:`; what must be present differs, so `required` moves into `anyOf`.
 */
export function stepsJsonSchema(): JsonObject {
  const made = z.toJSONSchema(workflowShape, { io: "input", target: "draft-7" }) as JsonObject;
  const { required, properties, definitions, ...rest } = made;
  const keys = isObject(properties) ? properties : {};
  const workflow: JsonObject = {
    type: "object",
    description: "Wraps a whole shared file; nothing else is beside it.",
    properties: keys,
    additionalProperties: false,
  };
  const others = ["workflow", "sub_agent_tasks", "state_schema", "default_state", "config"].map((key) => ({ required: [key] }));
  return {
    ...rest,
    properties: { ...keys, workflow },
    anyOf: [{ required: required ?? [] }, ...others],
    definitions: definitions ?? {},
  };
}

export const stepsDialect: Dialect = {
  name: "steps",
  places: [{ endings: [".yaml", ".yml"] }],
  references: (file) => ({ workflows: callsOf(file), files: importsOf(file).map((reference) => [reference]) }),
  load: loadCalling,
  lowersItsOwn: true,
  reference: stepsReference,
  jsonSchema: stepsJsonSchema,
  explain: explainSteps,
};
