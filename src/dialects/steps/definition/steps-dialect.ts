import type { Dialect } from "../../../source/index.ts";
import { stepsJsonSchema } from "./json-schema.ts";
import { loadCalling } from "./load-calling.ts";
import { explainSteps } from "./plan/render-plan.ts";
import { callsOf, importsOf } from "./references.ts";
import { stepsReference } from "./steps-reference.ts";

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
