import * as z from "zod";
import type { JsonObject } from "../../../base/index.ts";
import { keysOfShape, type Dialect, type DialectReference } from "../../../source/index.ts";
import { explainMachine } from "./explain-machine.ts";
import { machineNames } from "./lower.ts";
import { artifactForms } from "./machine-definition.ts";
import { loadMachine } from "./parse-machine.ts";
import { recogniseMachine, calledByMachine, instructionsOf } from "./references.ts";
import { machineShape } from "./shape/machine-shape.ts";
import { stepShapes } from "./shape/state-shape.ts";
import { addedInputs, answerWords, engineNames, outputKinds, stepWords } from "./vocabulary.ts";

const state = ["states", "X"] as const;
const sections: Readonly<Record<string, readonly (string | number)[]>> = {
  "modes.*": ["modes", "X"],
  "artifacts.*": ["artifacts", "X"],
  "roles.*": ["roles", "X"],
  "inputs.*": ["inputs", "X"],
  "states.*": state,
  "states.*.on[]": [...state, "on", 0],
  "states.*.repair": [...state, "repair"],
  "states.*.states.*": [...state, "states", "X"],
  done: ["done"],
  "done.rules[]": ["done", "rules", 0],
};

/** Everything the dialect understands, by name; read from the shape that files are checked against. */
const machineReference: DialectReference = {
  guide: "machines.md",
  topLevelKeys: Object.keys(machineShape.shape),
  sectionKeys: Object.fromEntries(Object.entries(sections).map(([name, path]) => [name, keysOfShape(machineShape, path, null)])),
  stepKeys: Object.fromEntries(stepWords.map((word) => [word, Object.keys(stepShapes[word].shape)])),
  words: {
    "`artifacts.*.form`": artifactForms,
    "`roles.*.output`": outputKinds,
    "`roles.*.answers`": answerWords,
    "names in conditions": [...machineNames, ...engineNames],
    "inputs of every machine": Object.keys(addedInputs([], "")),
  },
};

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
  jsonSchema: () => z.toJSONSchema(machineShape, { io: "input", target: "draft-7" }) as JsonObject,
  explain: explainMachine,
};
