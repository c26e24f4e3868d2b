import { isList, isObject, textOf, type Json, type JsonObject } from "../../../base/index.ts";
import type { ActionDefinition, BehaviourDefinition, BotDefinition } from "../definition/index.ts";
import type { RunState } from "../../../kernel/index.ts";
import type { Program } from "../../../program/index.ts";

/** What the scope of a bot holds, as views need it. */
export interface BotScope {
  readonly definition: BotDefinition;
  /** Folder of the state and the log; empty until one is chosen. */
  readonly area: string;
  /** Limits of the work; empty when there are none. */
  readonly limits: JsonObject;
  /** What was found in the place of the two files when they were written last. */
  readonly problems: readonly string[];
}

/** undefined when the strand is in a part of another dialect. */
export function botScope(program: Program, state: RunState, strandId: string): BotScope | undefined {
  const strand = state.strands[strandId];
  const scope = state.scopes[strand?.scope ?? "run"];
  const definition = program.parts[scope?.part ?? program.main]?.config["bot"];
  if (scope === undefined || definition === undefined) return undefined;
  const { project_area: area, bot_problems: problems } = scope.raw;
  const limits = startedOf(state, strandId)["scope"] ?? scope.inputs["scope"];
  return {
    definition: definition as unknown as BotDefinition,
    area: typeof area === "string" ? area : "",
    limits: isObject(limits) ? limits : {},
    problems: textsIn(problems),
  };
}

/** What the record of the start of the strand's action left behind. */
export function startedOf(state: RunState, strand: string): JsonObject {
  return localOf(state, strand, "started");
}

/** What of the last report of the strand's action could not be done. */
export function leftUndone(state: RunState, strand: string): readonly string[] {
  return textsIn(localOf(state, strand, "submitted")["problems"]);
}

function localOf(state: RunState, strand: string, name: string): JsonObject {
  return objectIn(state.strands[strand]?.frames.findLast((frame) => frame.locals?.[name] !== undefined)?.locals, name);
}

/** The map that a value holds under a name; an empty one when it holds none. */
export function objectIn(value: Json | undefined, name: string): JsonObject {
  const held = isObject(value) ? value[name] : undefined;
  return isObject(held) ? held : {};
}

export function textsIn(value: Json | undefined): readonly string[] {
  return isList(value) ? value.map(textOf) : [];
}

/** A behaviour and an action, as items, questions and steps name them. */
export interface BotPlace {
  readonly behaviour: string;
  readonly action: string;
}

/** A place as the id of its row, and as the step of its question. */
export function idOf({ behaviour, action }: BotPlace): string {
  return `${behaviour}.${action}`;
}

export function isSame(a: BotPlace, b: BotPlace): boolean {
  return a.behaviour === b.behaviour && a.action === b.action;
}

export function placeOf(item: Json | undefined): BotPlace {
  return placeOfItem(item) ?? { behaviour: "", action: "" };
}

export function placeOfItem(item: Json | undefined): BotPlace | undefined {
  if (!isObject(item) || typeof item["behaviour"] !== "string" || typeof item["action"] !== "string") return undefined;
  return { behaviour: item["behaviour"], action: item["action"] };
}

/** The place a step id names; undefined for steps that are not actions. */
export function placeOfStep({ behaviours, independent }: BotDefinition, step: string): BotPlace | undefined {
  const behaviour = behaviours.find((each) => step.startsWith(`${each.name}.`));
  const action = behaviour === undefined ? "" : step.slice(behaviour.name.length + 1);
  const known = [...(behaviour?.actions ?? []), ...independent].some((each) => each.name === action);
  return behaviour === undefined || !known ? undefined : { behaviour: behaviour.name, action };
}

/** Where the bot is: the behaviour and action of its main strand, whatever that waits for. */
export function currentPlace({ state }: { readonly state: RunState }): BotPlace | undefined {
  const frames = state.strands["main"]?.frames ?? [];
  const frame = frames.findLast((each) => each.kind === "work" && each.item?.parent !== undefined);
  return frame?.kind === "work" ? placeOfItem(frame.item?.data) : undefined;
}

/** An action at a place: one of the behaviour's own, else an independent one. */
export function findAction(
  definition: BotDefinition,
  place: BotPlace,
): { readonly behaviour: BehaviourDefinition | undefined; readonly action: ActionDefinition } | undefined {
  const behaviour = definition.behaviours.find((each) => each.name === place.behaviour);
  const action = [...(behaviour?.actions ?? []), ...definition.independent].find((each) => each.name === place.action);
  return action === undefined ? undefined : { behaviour, action };
}

/** An action of a sequence. */
export interface PlacedAction {
  readonly behaviour: BehaviourDefinition;
  readonly action: ActionDefinition;
}

/** The action that follows; those that a setting skips are passed over. */
export function nextAction(behaviour: BehaviourDefinition, action: ActionDefinition): ActionDefinition | undefined {
  const after = behaviour.actions.slice(behaviour.actions.findIndex((each) => each.name === action.name) + 1);
  return action.next === null ? undefined : after.find((each) => each.setting !== "skip");
}

/** The first action of the behaviours after this one; what a setting skips is passed over. */
export function firstAfter({ behaviours }: BotDefinition, behaviour: string): PlacedAction | undefined {
  const at = behaviours.findIndex((each) => each.name === behaviour);
  const later = behaviours.slice(at + 1).find((each) => each.setting !== "skip");
  const action = later?.actions.find((each) => each.setting !== "skip");
  return later === undefined || action === undefined ? undefined : { behaviour: later, action };
}

/** Actions that are handed out together with this one: up to the first that wants a word of its own. */
export function combinedActions(definition: BotDefinition, place: BotPlace): readonly PlacedAction[] {
  const found = findAction(definition, place);
  const chain: PlacedAction[] = [];
  if (found?.behaviour === undefined || !found.action.workflow) return chain;
  for (let at: PlacedAction = { behaviour: found.behaviour, action: found.action }; at.action.setting === "combine";) {
    const own = nextAction(at.behaviour, at.action);
    const across = at.behaviour.setting === "combine" ? firstAfter(definition, at.behaviour.name) : undefined;
    const upcoming = own === undefined ? across : { behaviour: at.behaviour, action: own };
    if (upcoming === undefined || upcoming.action.calls !== undefined) break;
    chain.push(upcoming);
    at = upcoming;
  }
  return chain;
}

export function combinedAfter(definition: BotDefinition, first: BotPlace): readonly BotPlace[] {
  return combinedActions(definition, first).map(({ behaviour, action }) => ({ behaviour: behaviour.name, action: action.name }));
}

/** Actions that were handed out together with the last one, ahead of it. */
export function combinedBefore(definition: BotDefinition, last: BotPlace): readonly BotPlace[] {
  return definition.behaviours
    .flatMap(({ name: behaviour, actions }) => actions.map(({ name: action }) => ({ behaviour, action })))
    .filter((place) => combinedAfter(definition, place).some((each) => isSame(each, last)));
}
