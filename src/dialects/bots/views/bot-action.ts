import type { JsonObject } from "../../../base/index.ts";
import type { ActionDefinition, BotDefinition, BehaviourDefinition } from "../definition/index.ts";
import { handOutId, type Action, type RunState } from "../../../kernel/index.ts";
import {
  botScope,
  combinedActions,
  findAction,
  nextAction,
  objectIn,
  placeOfItem,
  startedOf,
  type BotPlace,
  type BotScope,
  type PlacedAction,
} from "./bot-place.ts";
import type { BotViewOptions } from "./bot-view.ts";
import type { Program } from "../../../program/index.ts";
import type { Shown } from "../../../views/index.ts";

export interface ActionFacts {
  readonly notes: readonly string[];
  readonly data: JsonObject;
  readonly confirmed: "person" | "relay" | "nobody";
  readonly independent: boolean;
}

/** What follows the action, who must confirm it, and within which limits it is done. */
export function actionFacts(
  state: RunState,
  { definition, area, limits }: BotScope,
  { action, place }: { readonly action: Action; readonly place: BotPlace },
  options: BotViewOptions,
): ActionFacts {
  const found = findAction(definition, place);
  const chain = options.combined === true ? combinedActions(definition, place) : [];
  const end = chain.at(-1) ?? found;
  const independent = found?.action.workflow === false;
  const confirmed = independent || continues(end?.action) ? "nobody" : definition.doneBy;
  const parameters = objectIn(action.args["item"], "parameters");
  const again = wasTaken(state, action);
  return {
    confirmed,
    independent,
    notes: [
      ...(area === "" ? ["No project area is chosen yet: nothing is written until then."] : []),
      ...(isEmpty(limits) ? [] : [`Scope: only ${JSON.stringify(limits)}`]),
      ...(isEmpty(parameters) ? [] : [`Parameters: ${JSON.stringify(parameters)}`]),
      ...(again ? ["This action was interrupted before; look at what is already there."] : []),
      ...(action.notes ?? []).map((note) => `Note from a person: ${note}`),
    ],
    data: {
      next_action: nextName(end),
      needs_confirmation: confirmed !== "nobody",
      ...(area !== "" && { project_area: area }),
      ...(!isEmpty(limits) && { scope: limits }),
      ...(!isEmpty(parameters) && { parameters }),
      ...(chain.length > 0 && {
        combined: chain.map(({ behaviour: { name }, action: each }) => (name === place.behaviour ? each.name : `${name}.${each.name}`)),
      }),
      ...(independent && { independent: true }),
      ...(again && { interrupted_before: true }),
    },
  };
}

function continues(action: ActionDefinition | undefined): boolean {
  return action?.autoProgress === true || action?.setting === "combine";
}

/** It was begun before it was started here, or another agent held it since. */
function wasTaken(state: RunState, { strand, taken }: Action): boolean {
  const { fence, interrupted } = startedOf(state, strand);
  return taken > 0 || interrupted === true || (typeof fence === "number" && (state.strands[strand]?.fence ?? 0) > fence);
}

/** The action that follows in the sequence. */
function nextName(found: ReturnType<typeof findAction>): string | null {
  if (found?.behaviour === undefined || !found.action.workflow) return null;
  return nextAction(found.behaviour, found.action)?.name ?? null;
}

function isEmpty(held: JsonObject): boolean {
  return Object.keys(held).length === 0;
}

const doneLine = /^[ \t]*When done, proceed to .*$/gm;

/**
 * What the agent of an action reads: instructions of the bot, of the behaviour and of the action, and as the last line what comes
 * after it. That line is there once, for actions of a sequence only, whatever the instructions themselves say.
 */
export function botInstructions(scope: BotScope, place: BotPlace, options: { readonly combined?: boolean } = {}): string {
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

/** Single lines belong together; longer texts are paragraphs of their own. */
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

/** Everything else was filled in when the bot was read. Texts that all behaviours share learn only here which one is meant. */
function fill(text: string, { area, limits }: BotScope, { behaviour }: BotPlace): string {
  const values: Readonly<Record<string, string>> = {
    project_area: area === "" ? "the project area (not chosen yet)" : area,
    scope: Object.keys(limits).length === 0 ? "everything" : JSON.stringify(limits),
  };
  // Every spelling that the dialect knows of it.
  return text.replaceAll(/\{\{\s*(project_area|scope|behaviou?r(?:_name)?)\s*\}\}/g, (_written, name: string) => values[name] ?? behaviour);
}

/** What a report of an action may hold. */
export const reportHint =
  'Report an object: summary, and where there are any inputs, outputs and content ([{"path", "text"}], written below the project area).';

/** What the report of an action is asked for. */
export const botResultWanted = '{"summary": "<what was done>"}';

/** An action of a bot as a step, for tools that know nothing of bots; undefined when its place is gone. */
export function botShown({ program, state }: { readonly program: Program; readonly state: RunState }, action: Action): Shown | undefined {
  const scope = botScope(program, state, action.strand);
  const place = placeOfItem(action.args["item"]);
  const found = scope === undefined || place === undefined ? undefined : findAction(scope.definition, place);
  if (scope === undefined || place === undefined || found === undefined) return undefined;
  const { area, limits, problems, definition } = scope;
  const chooses = definition.choosesArea === place.action ? " Name the chosen folder as project_area." : "";
  const step = {
    id: handOutId(action.step, action.id),
    type: action.what,
    instructions: `${botInstructions(scope, place)}\n\n${reportHint}${chooses}`,
    definition: {
      behavior: place.behaviour,
      action: place.action,
      next_action: nextName(found),
      ...(area !== "" && { project_area: area }),
      ...(!isEmpty(limits) && { scope: limits }),
      ...(problems.length > 0 && { problems: [...problems] }),
    },
  };
  return { step, fillIn: { result: botResultWanted } };
}
