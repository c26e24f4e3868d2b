import * as z from "zod";
import type { JsonObject } from "../../../base/index.ts";
import { checklistShape } from "./shape/checklist-shape.ts";

/** JSON Schema (draft 7) for editors, made from the shape that files are checked against. */
export function checklistJsonSchema(): JsonObject {
  return z.toJSONSchema(checklistShape, { io: "input", target: "draft-7" }) as JsonObject;
}
