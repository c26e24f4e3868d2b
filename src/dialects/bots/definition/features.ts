import {
  actionShape,
  actionsWorkflowShape,
  behaviourShape,
  botShape,
  instructionsShape,
  listedActionShape,
  triggerShape,
  type MapShape,
} from "./shape/config-shapes.ts";
import { configFiles, doneWords, instructionFiles, placeholderNames, runPlaceholders, settingWords } from "./vocabulary.ts";

export interface KeyFeature {
  readonly key: string;
  /** What its value may be. */
  readonly form: string;
  readonly about: string;
  readonly required: boolean;
  /** Kept with a warning and not acted on. */
  readonly foreign: boolean;
}

export interface BotsFeatures {
  /** Keys by kind of file; `[]` stands for each member of a list. */
  readonly keys: Readonly<Record<string, readonly KeyFeature[]>>;
  readonly configFiles: readonly string[];
  readonly instructionFiles: readonly string[];
  readonly doneBy: readonly string[];
  /** Words of `execution_settings.json`. */
  readonly settings: readonly string[];
  readonly placeholders: readonly string[];
  /** Those that a run fills. */
  readonly runPlaceholders: readonly string[];
}

/** Everything the dialect understands, by name; read from the shapes that files are checked against. */
export const botsFeatures: BotsFeatures = {
  keys: {
    "bot_config.json": keysOf(botShape),
    "base_actions/<action>/action_config.json": keysOf(actionShape),
    "behaviors/<behavior>/behavior.json": keysOf(behaviourShape),
    "behavior.json: actions_workflow": keysOf(actionsWorkflowShape),
    "behavior.json: actions_workflow.actions[]": keysOf(listedActionShape),
    "instructions.json": keysOf(instructionsShape),
    "trigger_words.json": keysOf(triggerShape),
  },
  configFiles,
  instructionFiles,
  doneBy: doneWords,
  settings: Object.keys(settingWords),
  placeholders: Object.keys(placeholderNames),
  runPlaceholders,
};

function keysOf(shape: MapShape): KeyFeature[] {
  return Object.entries(shape).map(([key, { form, about, required, foreign }]) => ({
    key,
    form,
    about,
    required: required === true,
    foreign: foreign === true,
  }));
}
