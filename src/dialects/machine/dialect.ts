import type { Dialect } from "../../source/index.ts";
import { calledByMachine, instructionsOf, loadMachine, recogniseMachine } from "./definition/index.ts";

export const machineDialect: Dialect = {
  name: "machine",
  places: [{ endings: [".yaml", ".yml"] }],
  owns: recogniseMachine,
  references: (file) => ({ workflows: calledByMachine(file), files: instructionsOf(file) }),
  load: loadMachine,
  unknownCall: "MACHINE_UNKNOWN_WORKFLOW",
  // What its roles change is read from the files.
  alone: { word: "machine", when: "at once" },
};
