import type { ActionDefinition, BehaviourDefinition, BotDefinition } from "../definition/index.ts";
import { findAction, type BotScope, type NamedPlace } from "./bot-place.ts";

const doneLine = /^[ \t]*When done, proceed to .*$/gm;

/**
 * What the agent of an action is told: instructions of the bot, of the behaviour and of the action, and as the last line what comes
 * after it. That line stands there once, for actions of a sequence only, whatever the instructions themselves say.
 */
export function botInstructions(scope: BotScope, place: NamedPlace, options: { readonly combined?: boolean } = {}): string {
  const { definition } = scope;
  const found = findAction(definition, place);
  if (found === undefined) return "";
  const { behaviour, action } = found;
  const chain = options.combined === true ? combinedActions(definition, place) : [];
  const texts = [
    ...definition.instructions,
    ...(behaviour?.instructions ?? []),
    ...ownText(action),
    ...chain.flatMap((each, at) => chainedText(each, (chain[at - 1] ?? { behaviour }).behaviour)),
  ];
  const last = chain.at(-1) ?? { behaviour, action };
  const closing = closingLine(definition, last.behaviour, last.action);
  const filled = texts.map((text) => fill(text, scope, place).replaceAll(doneLine, "").trim()).filter((text) => text !== "");
  return [inParagraphs(filled), ...closing].filter((text) => text !== "").join("\n\n");
}

/** Single lines belong together; longer texts stand on their own. */
function inParagraphs(texts: readonly string[]): string {
  let whole = "";
  for (const [at, text] of texts.entries()) {
    const together = !text.includes("\n") && texts[at - 1]?.includes("\n") === false && !text.startsWith("#");
    whole += at === 0 ? text : `${together ? "\n" : "\n\n"}${text}`;
  }
  return whole;
}

function ownText({ instructions, description, name }: ActionDefinition): readonly string[] {
  if (instructions.length > 0) return instructions;
  return [description === "" ? `Do \`${name}\`.` : description];
}

/** What is handed out in the same go; of another behaviour, what that one says comes with it. */
function chainedText({ behaviour, action }: PlacedAction, before: BehaviourDefinition | undefined): readonly string[] {
  const other = behaviour.name !== before?.name;
  return [
    `## Then, in the same go: ${action.name}${other ? ` of ${behaviour.name}` : ""}`,
    ...(other ? behaviour.instructions : []),
    ...ownText(action),
  ];
}

/** Exactly one line for an action with a successor, a sentence for the last one, nothing for an action outside of the sequence. */
function closingLine({ behaviours }: BotDefinition, behaviour: BehaviourDefinition | undefined, action: ActionDefinition): string[] {
  if (!action.workflow || behaviour === undefined) return [];
  const upcoming = nextAction(behaviour, action);
  if (upcoming !== undefined) return [`When done, proceed to ${upcoming.name}`];
  const last = behaviours.at(-1)?.name === behaviour.name;
  const more = last ? " It is the last behaviour: the bot is complete then." : "";
  return [`This is the last action of ${behaviour.name}: when it is done, its workflow is complete.${more}`];
}

/** The action that follows; those that a setting skips are passed over. */
export function nextAction(behaviour: BehaviourDefinition, action: ActionDefinition): ActionDefinition | undefined {
  const after = behaviour.actions.slice(behaviour.actions.findIndex((each) => each.name === action.name) + 1);
  return action.next === null ? undefined : after.find((each) => each.setting !== "skip");
}

/** An action of a sequence. */
export interface PlacedAction {
  readonly behaviour: BehaviourDefinition;
  readonly action: ActionDefinition;
}

/** Actions that are handed out together with this one: up to the first that wants a word of its own. */
export function combinedActions(definition: BotDefinition, place: NamedPlace): readonly PlacedAction[] {
  const found = findAction(definition, place);
  const chain: PlacedAction[] = [];
  if (found?.behaviour === undefined || !found.action.workflow) return chain;
  for (let at: PlacedAction = { behaviour: found.behaviour, action: found.action }; at.action.setting === "combine";) {
    const upcoming = following(definition, at);
    if (upcoming === undefined || upcoming.action.calls !== undefined) break;
    chain.push(upcoming);
    at = upcoming;
  }
  return chain;
}

/** The action after this one; where behaviours are combined, the first of the next behaviour. */
function following({ behaviours }: BotDefinition, { behaviour, action }: PlacedAction): PlacedAction | undefined {
  const own = nextAction(behaviour, action);
  if (own !== undefined) return { behaviour, action: own };
  const at = behaviours.findIndex((each) => each.name === behaviour.name);
  const later = behaviour.setting === "combine" ? behaviours.slice(at + 1).find((each) => each.setting !== "skip") : undefined;
  const first = later?.actions.find((each) => each.setting !== "skip");
  return later === undefined || first === undefined ? undefined : { behaviour: later, action: first };
}

/** Everything else was filled in when the bot was read. Texts that all behaviours share learn only here which one is meant. */
function fill(text: string, { area, limits }: BotScope, { behaviour }: NamedPlace): string {
  const values: Readonly<Record<string, string>> = {
    project_area: area === "" ? "the project area (not chosen yet)" : area,
    scope: Object.keys(limits).length === 0 ? "everything" : JSON.stringify(limits),
  };
  // Every spelling that the dialect knows of it.
  return text.replaceAll(/\{\{\s*(project_area|scope|behaviou?r(?:_name)?)\s*\}\}/g, (_written, name: string) => values[name] ?? behaviour);
}
