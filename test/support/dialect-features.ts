/** What dialects understand, by name, for tests that hold pages and samples complete. */
import { checklistReference } from "../../src/dialects/checklist/definition/checklist-reference.ts";
import * as checklistWords from "../../src/dialects/checklist/definition/vocabulary.ts";
import { machineDialect } from "../../src/dialects/machine/definition/index.ts";
import { stepsReference } from "../../src/dialects/steps/definition/steps-dialect.ts";
import { stepKeys } from "../../src/dialects/steps/definition/shape/step-shapes.ts";
import * as stepsWords from "../../src/dialects/steps/definition/vocabulary.ts";
import { typeWords } from "../../src/source/index.ts";

export const checklistFeatures = { ...checklistReference, ...checklistWords };

const machineReference = machineDialect.reference!;

export const machineFeatures = {
  topLevelKeys: machineReference.topLevelKeys,
  sectionKeys: machineReference.sectionKeys,
  stepKeys: machineReference.stepKeys ?? {},
  conditionNames: machineReference.words?.["names in conditions"] ?? [],
  inputs: machineReference.words?.["inputs of every machine"] ?? [],
};

/** A shared file may wrap everything in `workflow`, which is not a key of the workflow itself. */
const topLevelKeys = stepsReference.topLevelKeys.filter((key) => key !== "workflow");
export const stepsFeatures = { ...stepsWords, topLevelKeys, stepKeys, typeWords, errorPolicies: stepsWords.stepErrorPolicies };
