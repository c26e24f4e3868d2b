import type { Dialect } from "../../../source/index.ts";
import { callsOf, importsOf, loadCalling } from "./load-steps.ts";
import { explainSteps } from "./plan/render-plan.ts";
import { stepsJsonSchema, stepsReference } from "./steps-reference.ts";

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
