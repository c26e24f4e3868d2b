import * as z from "zod";
import { isObject, type JsonObject } from "../../../base/index.ts";
import { workflowShape } from "./shape/workflow-shape.ts";

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
  return {
    ...rest,
    properties: { ...keys, workflow },
    anyOf: [
      { required: required ?? [] },
      { required: ["workflow"] },
      { required: ["sub_agent_tasks"] },
      { required: ["state_schema"] },
      { required: ["default_state"] },
      { required: ["config"] },
    ],
    definitions: definitions ?? {},
  };
}
