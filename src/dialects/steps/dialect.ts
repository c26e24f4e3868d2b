import type { Dialect } from "../../source/index.ts";
import { stepsCodes } from "./codes.ts";
import { callsOf, explainSteps, importsOf, loadCalling, stepsJsonSchema, stepsReference } from "./definition/index.ts";

export const stepsDialect: Dialect = {
  name: "steps",
  places: [{ endings: [".yaml", ".yml"] }],
  references: (file) => ({ workflows: callsOf(file), files: importsOf(file).map((reference) => [reference]) }),
  load: loadCalling,
  lowersItsOwn: true,
  codes: stepsCodes,
  reference: stepsReference,
  jsonSchema: stepsJsonSchema,
  explain: explainSteps,
};
