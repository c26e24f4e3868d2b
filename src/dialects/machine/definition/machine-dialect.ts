import type { Dialect } from "../../../source/index.ts";
import { explainMachine } from "./explain/render-machine.ts";
import { machineJsonSchema, machineReference } from "./machine-reference.ts";
import { loadMachine } from "./parse-machine.ts";
import { recogniseMachine, calledByMachine, instructionsOf } from "./references.ts";

export const machineDialect: Dialect = {
  name: "machine",
  places: [{ endings: [".yaml", ".yml"] }],
  owns: recogniseMachine,
  references: (file) => ({ workflows: calledByMachine(file), files: instructionsOf(file).map((reference) => [reference]) }),
  load: loadMachine,
  unknownCall: "MACHINE_UNKNOWN_WORKFLOW",
  // What its roles change is read from the files.
  alone: { word: "machine", when: "at once" },
  reference: machineReference,
  jsonSchema: machineJsonSchema,
  explain: explainMachine,
};
