import { keysOfShape, type DialectReference } from "../../../source/index.ts";
import { artifactForms } from "./machine-definition.ts";
import { machineNames } from "./lower.ts";
import { machineShape } from "./shape/machine-shape.ts";
import { stepShapes } from "./shape/state-shape.ts";
import { addedInputs, answerWords, engineNames, outputKinds, stepWords } from "./vocabulary.ts";

export interface MachineFeatures {
  readonly topLevelKeys: readonly string[];
  /** Keys of each section, by its path; `*` stands for a name of the definition's own, `[]` for each member of a list. */
  readonly sectionKeys: Readonly<Record<string, readonly string[]>>;
  /** Keys of each kind of step. */
  readonly stepKeys: Readonly<Record<string, readonly string[]>>;
  readonly artifactForms: readonly string[];
  readonly outputKinds: readonly string[];
  readonly answers: readonly string[];
  /** Names that conditions can read, beside `task`, `inputs.<name>` and what answers are written into. */
  readonly conditionNames: readonly string[];
  /** Inputs that every machine has. */
  readonly inputs: readonly string[];
}

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
export const machineFeatures: MachineFeatures = {
  topLevelKeys: Object.keys(machineShape.shape),
  sectionKeys: Object.fromEntries(Object.entries(sections).map(([name, path]) => [name, keysOfShape(machineShape, path, null)])),
  stepKeys: Object.fromEntries(stepWords.map((word) => [word, Object.keys(stepShapes[word].shape)])),
  artifactForms,
  outputKinds,
  answers: answerWords,
  conditionNames: [...machineNames, ...engineNames],
  inputs: Object.keys(addedInputs([], "")),
};

const { topLevelKeys, sectionKeys, stepKeys, conditionNames, inputs } = machineFeatures;

export const machineReference: DialectReference = {
  guide: "machines.md",
  topLevelKeys,
  sectionKeys,
  stepKeys,
  words: {
    "`artifacts.*.form`": artifactForms,
    "`roles.*.output`": outputKinds,
    "`roles.*.answers`": answerWords,
    "names in conditions": conditionNames,
    "inputs of every machine": inputs,
  },
};
