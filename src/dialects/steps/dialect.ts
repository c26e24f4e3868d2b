import type { Dialect } from "../../source/index.ts";
import { loadCalling } from "./load-calling.ts";
import { callsOf, importsOf } from "./references.ts";

export const stepsDialect: Dialect = {
  name: "steps",
  references: (file) => ({ workflows: callsOf(file), files: importsOf(file) }),
  load: loadCalling,
  lowersItsOwn: true,
};
