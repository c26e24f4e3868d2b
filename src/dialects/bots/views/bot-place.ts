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
    problems: isList(problems) ? problems.map(textOf) : [],
  };
}

/** What the record of the start of the strand's action left behind. */
export function startedOf(state: RunState, strand: string): JsonObject {
  const held = state.strands[strand]?.frames.findLast((frame) => frame.locals?.["started"] !== undefined)?.locals?.["started"];
  return isObject(held) ? held : {};
}

/** What of the last report of the strand's action could not be done. */
export function leftUndone(state: RunState, strand: string): readonly string[] {
  const held = state.strands[strand]?.frames.findLast((frame) => frame.locals?.["submitted"] !== undefined)?.locals?.["submitted"];
  const problems = isObject(held) ? held["problems"] : undefined;
  return isList(problems) ? problems.map(textOf) : [];
}

/** A behaviour and an action, as items, questions and steps name them. */
export interface NamedPlace {
  readonly behaviour: string;
  readonly action: string;
}

export function placeOfItem(item: Json | undefined): NamedPlace | undefined {
  if (!isObject(item) || typeof item["behaviour"] !== "string" || typeof item["action"] !== "string") return undefined;
  return { behaviour: item["behaviour"], action: item["action"] };
}

/** The place a step id names; undefined for steps that are no actions. */
export function placeOfStep({ behaviours, independent }: BotDefinition, step: string): NamedPlace | undefined {
  const behaviour = behaviours.find((each) => step.startsWith(`${each.name}.`));
  const action = behaviour === undefined ? "" : step.slice(behaviour.name.length + 1);
  const known = [...(behaviour?.actions ?? []), ...independent].some((each) => each.name === action);
  return behaviour === undefined || !known ? undefined : { behaviour: behaviour.name, action };
}

/** Where the main strand is: the item of its innermost work that lies below a behaviour. */
export function currentPlaceOf(state: RunState): NamedPlace | undefined {
  const frames = state.strands["main"]?.frames ?? [];
  const frame = frames.findLast((each) => each.kind === "work" && each.item?.parent !== undefined);
  return frame?.kind === "work" ? placeOfItem(frame.item?.data) : undefined;
}

export interface FoundAction {
  readonly behaviour: BehaviourDefinition | undefined;
  readonly action: ActionDefinition;
}

/** An action at a place: one of the behaviour's own, else an independent one. */
export function findAction(definition: BotDefinition, place: NamedPlace): FoundAction | undefined {
  const behaviour = definition.behaviours.find((each) => each.name === place.behaviour);
  const action =
    behaviour?.actions.find((each) => each.name === place.action) ?? definition.independent.find((each) => each.name === place.action);
  return action === undefined ? undefined : { behaviour, action };
}
