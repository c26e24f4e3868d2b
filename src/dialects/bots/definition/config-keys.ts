import { isList, isObject, own, textOf, type Json } from "../../../base/index.ts";
import { child, entriesOf, formatDocumentPath, kindOf, membersOf, routingKeys, type SourceNode } from "../../../source/index.ts";
import type { BotReading } from "./read/bot-reading.ts";

const isText = (value: Json): boolean => typeof value === "string";
const isTexts = (value: Json): boolean => isList(value) && value.every(isText);

/** What the value of a key may be, in words that end up in messages. */
const fits = {
  "a text": (value: Json): boolean => isText(value),
  "a text or null": (value: Json): boolean => isText(value) || value === null,
  "a number": (value: Json): boolean => typeof value === "number",
  "a number or null": (value: Json): boolean => typeof value === "number" || value === null,
  "true or false": (value: Json): boolean => typeof value === "boolean",
  "a text or a list of texts": (value: Json): boolean => isText(value) || isTexts(value),
  "a list of texts": (value: Json): boolean => isTexts(value),
  "a map": (value: Json): boolean => isObject(value),
  "a list of maps": (value: Json): boolean => isList(value) && value.every(isObject),
  anything: (): boolean => true,
};
type KeyForm = keyof typeof fits;

/**
 * Compares a map with what may be in it: reports missing keys and wrong types, and remembers keys that have no meaning here.
 * Answers whether it is a map at all.
 */
export function checkKeys(reading: BotReading, node: SourceNode, shape: MapShape, owner: string): boolean {
  if (!isObject(node.value)) {
    reading.complain(node, {
      code: "BOTS_WRONG_TYPE",
      message: `${owner} must be a map, but is ${kindOf(node.value)}.`,
      fix: "Write a JSON object: `{ ... }`.",
    });
    return false;
  }
  for (const [key, { required }] of Object.entries(shape))
    if (required === true && child(node, key) === undefined)
      reading.complain(node, { code: "BOTS_MISSING_KEY", message: `${owner} needs \`${key}\`.`, fix: `Add \`"${key}"\`.` });
  for (const [key, value] of entriesOf(node)) {
    const known = own(shape, key);
    if (known === undefined || known.foreign === true) {
      reading.keptKeys.push({ node: value, key, foreign: known !== undefined, known: Object.keys(shape) });
    } else if (!fits[known.form](value.value)) {
      complainOfType(reading, value, known.form);
    } else if ((key === "name" || key === "behaviorName") && textOf(value.value).trim() === "") {
      reading.complain(value, {
        code: "BOTS_BAD_NAME",
        message: `\`${formatDocumentPath(value.path)}\` is empty.`,
        fix: "Give it a name.",
      });
    }
  }
  return true;
}

function complainOfType(reading: BotReading, node: SourceNode, form: KeyForm): void {
  const wrong =
    form.includes("list") && isList(node.value)
      ? membersOf(node).find(({ value }) => !(form === "a list of maps" ? isObject : isText)(value))
      : undefined;
  const at = wrong ?? node;
  const expected = wrong === undefined ? form : form === "a list of maps" ? "a map" : "a text";
  reading.complain(at, {
    code: "BOTS_WRONG_TYPE",
    message: `\`${formatDocumentPath(at.path)}\` must be ${expected}, but is ${kindOf(at.value)}.`,
    fix: form.startsWith("a number") ? "Write a number without quotes." : `Write ${expected}.`,
  });
}

interface KeyShape {
  readonly form: KeyForm;
  readonly about: string;
  readonly required?: true;
  /** Known from other engines, kept, and not acted on. */
  readonly foreign?: true;
}

/** Keys of one kind of map in a bot's files. */
export type MapShape = Readonly<Record<string, KeyShape>>;

const instructions: KeyShape = {
  form: "a text or a list of texts",
  about: "Lines for the agent, with `{{placeholders}}`; a line `@file` takes in a file.",
};
const triggers: KeyShape = {
  form: "anything",
  about: "Regular expressions for sentences that mean this: a list, `{patterns, priority}`, or such maps by label.",
};

export const botShape: MapShape = {
  name: { form: "a text", about: "Name of the bot; its tools and its run are called by it.", required: true },
  behaviors: { form: "a list of texts", about: "Names of the behaviours, in order; without it the folders below `behaviors/` count." },
  description: { form: "a text", about: "One sentence on what the bot is for." },
  triggers: { form: "a list of texts", about: routingKeys.triggers },
  examples: { form: "a list of texts", about: routingKeys.examples },
  not_for: { form: "a list of texts", about: routingKeys.not_for },
  version: { form: "a text", about: "Version of the definition; default 1.0.0." },
  instructions,
  done_by: {
    form: "a text",
    about:
      "Who says that an action is done: `person` (default), only a person's own surface counts; `relay`, the agent may pass on a person's word.",
  },
  mcp: { form: "anything", about: "Settings of another engine's server.", foreign: true },
};

const sequence: MapShape = {
  order: { form: "a number or null", about: "Place in the sequence; need not be contiguous. null for an independent action." },
  next_action: { form: "a text or null", about: "Action that follows; null for the last one and for an independent action." },
  auto_progress: { form: "true or false", about: "The bot continues without a person's word; default false." },
  auto_confirm: { form: "true or false", about: "Later name of `auto_progress`." },
  description: { form: "a text", about: "One sentence on what the action does; shown with its tool." },
  instructions,
  calls: { form: "a text", about: "A workflow that runs as this action." },
  inputs: { form: "a map", about: "Inputs of the called workflow." },
  chooses_project_area: { form: "true or false", about: "This action chooses the project area." },
  trigger_words: triggers,
  skip_confirm: { form: "anything", about: "A setting of another engine.", foreign: true },
  action_class: { form: "anything", about: "The code that another engine runs.", foreign: true },
  wait_until_complete: { form: "anything", about: "A setting of another engine.", foreign: true },
};

export const actionShape: MapShape = {
  name: { form: "a text", about: "Name of the action.", required: true },
  workflow: { form: "true or false", about: "Whether it is part of the sequence; false for an independent action.", required: true },
  ...sequence,
};

/** What a behaviour changes of an action; and a member of its own list of actions, which also needs its name. */
export const overrideShape: MapShape = {
  name: { form: "a text", about: "Name of the action; default that of the folder." },
  workflow: { form: "true or false", about: "Whether it is part of this behaviour's sequence." },
  ...sequence,
};
export const listedActionShape: MapShape = { ...overrideShape, name: { form: "a text", about: "Name of the action.", required: true } };

export const behaviourShape: MapShape = {
  behaviorName: { form: "a text", about: "Name of the behaviour; default that of the folder." },
  order: { form: "a number", about: "Place among the behaviours when `bot_config.json` lists them alphabetically or not at all." },
  description: { form: "a text", about: "One sentence on what the behaviour does; shown with its tool." },
  goal: { form: "a text or a list of texts", about: "What the behaviour is to reach; shown to the agent." },
  inputs: { form: "anything", about: "What the behaviour works from; shown to the agent." },
  outputs: { form: "anything", about: "What the behaviour produces; shown to the agent." },
  baseActionsPath: { form: "a text", about: "Folder of the actions that this behaviour uses instead of the common one." },
  instructions,
  actions_workflow: { form: "a map", about: "The behaviour's own sequence, in place of the common one." },
  trigger_words: triggers,
};

export const actionsWorkflowShape: MapShape = {
  actions: { form: "a list of maps", about: "Actions of this behaviour.", required: true },
};

export const instructionsShape: MapShape = {
  actionName: { form: "a text", about: "Action that the lines are for." },
  behaviorName: { form: "a text", about: "Behaviour that the lines are for." },
  instructions: { ...instructions, required: true },
};

export const triggerShape: MapShape = {
  patterns: { form: "a list of texts", about: "Regular expressions; letter case does not count.", required: true },
  priority: { form: "a number", about: "The higher one wins when several match; default 0." },
};
