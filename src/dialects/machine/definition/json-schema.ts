import * as z from "zod";
import type { JsonObject } from "../../../base/index.ts";
import { machineShape } from "./shape/machine-shape.ts";

/** JSON Schema (draft 7) for editors, made from the shape that files are checked against. */
export function machineJsonSchema(): JsonObject {
  return z.toJSONSchema(machineShape, { io: "input", target: "draft-7" }) as JsonObject;
}
