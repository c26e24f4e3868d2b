import { isObject, type JsonObject } from "../../../base/index.ts";
import type { ActionDefinition, BotDefinition } from "../definition/index.ts";
import type { Action, RunState } from "../../../kernel/index.ts";
import { combinedActions, nextAction, type PlacedAction } from "./bot-instructions.ts";
import { findAction, startedOf, type BotScope, type NamedPlace } from "./bot-place.ts";
import type { BotViewOptions } from "./bot-view.ts";

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
  { action, place }: { readonly action: Action; readonly place: NamedPlace },
  options: BotViewOptions,
): ActionFacts {
  const { chain, upcoming, independent, confirmed } = whatFollows(definition, place, options);
  const parameters = parametersOf(action);
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
      next_action: upcoming?.name ?? null,
      needs_confirmation: confirmed !== "nobody",
      ...(area === "" ? {} : { project_area: area }),
      ...(isEmpty(limits) ? {} : { scope: limits }),
      ...(isEmpty(parameters) ? {} : { parameters }),
      ...(chain.length === 0 ? {} : { combined: chain.map((each) => nameOf(each, place)) }),
      ...(independent ? { independent: true } : {}),
      ...(again ? { interrupted_before: true } : {}),
    },
  };
}

interface Following extends Pick<ActionFacts, "confirmed" | "independent"> {
  readonly chain: readonly PlacedAction[];
  readonly upcoming: ActionDefinition | undefined;
}

function whatFollows(definition: BotDefinition, place: NamedPlace, options: BotViewOptions): Following {
  const found = findAction(definition, place);
  const chain = options.combined === true ? combinedActions(definition, place) : [];
  const end = chain.at(-1) ?? found;
  const last = end?.action;
  const sequence = last?.workflow === true ? end?.behaviour : undefined;
  const independent = found?.action.workflow === false;
  const byItself = independent || last?.autoProgress === true || last?.setting === "combine";
  return {
    chain,
    independent,
    upcoming: last === undefined || sequence === undefined ? undefined : nextAction(sequence, last),
    confirmed: byItself ? "nobody" : definition.doneBy,
  };
}

/** Of another behaviour, its name stands before it. */
function nameOf({ behaviour, action }: PlacedAction, place: NamedPlace): string {
  return behaviour.name === place.behaviour ? action.name : `${behaviour.name}.${action.name}`;
}

function parametersOf({ args }: Action): JsonObject {
  const held = isObject(args["item"]) ? args["item"]["parameters"] : undefined;
  return isObject(held) ? held : {};
}

function isEmpty(held: JsonObject): boolean {
  return Object.keys(held).length === 0;
}

/** Somebody else held the action since it was started. */
function wasTaken(state: RunState, { strand, taken }: Action): boolean {
  const { fence } = startedOf(state, strand);
  return taken > 0 || (typeof fence === "number" && (state.strands[strand]?.fence ?? 0) > fence);
}
