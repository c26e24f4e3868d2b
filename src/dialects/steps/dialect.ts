import type { Dialect } from "../../source/index.ts";
import { callsOf, importsOf, loadCalling } from "./definition/index.ts";

export const stepsDialect: Dialect = {
  name: "steps",
  places: [{ endings: [".yaml", ".yml"] }],
  references: (file) => ({ workflows: callsOf(file), files: importsOf(file) }),
  load: loadCalling,
  lowersItsOwn: true,
};
