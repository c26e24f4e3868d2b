import type { Dialect } from "../../source/index.ts";
import { machineCodes } from "./codes.ts";
import {
  calledByMachine,
  explainMachine,
  instructionsOf,
  loadMachine,
  machineJsonSchema,
  machineReference,
  recogniseMachine,
} from "./definition/index.ts";

export const machineDialect: Dialect = {
  name: "machine",
  places: [{ endings: [".yaml", ".yml"] }],
  owns: recogniseMachine,
  references: (file) => ({ workflows: calledByMachine(file), files: instructionsOf(file).map((reference) => [reference]) }),
  load: loadMachine,
  unknownCall: "MACHINE_UNKNOWN_WORKFLOW",
  // What its roles change is read from the files.
  alone: { word: "machine", when: "at once" },
  codes: machineCodes,
  reference: machineReference,
  jsonSchema: machineJsonSchema,
  explain: explainMachine,
};
