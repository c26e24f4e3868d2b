import { isList, type JsonObject } from "../base/index.ts";
import type { Action } from "../kernel/index.ts";
import type { Standing } from "./standing.ts";
import type { AtomicStep } from "./atomic-step.ts";
import type { CallSpec } from "./following.ts";

/** An open action in the words of its leaf. */
export interface Shown {
  readonly step: AtomicStep;
  /** Fields that the report must bring, with what belongs there; absent when it asks for nothing. */
  readonly fillIn?: JsonObject;
  /** The call that does it, where no report does. */
  readonly call?: CallSpec;
  /** What a client is told instead that does not offer the tool which the step names. */
  readonly without?: { readonly tool: string; readonly instructions: string };
  /** It may be left out with a reason. */
  readonly skippable?: true;
  /** What the leaf gathered, for surfaces that know the dialect. */
  readonly facts?: unknown;
}

/** What a step says whose writes are all made. */
export const storedInstructions = "What this step brings is stored already. Do not do it again: only report it.";

/** The step with the writes that are left. When there are none, only the report is left. */
export function withWritesLeft(shown: Shown, { what, left }: Action): Shown {
  if (left === undefined) return shown;
  const { step, fillIn, ...rest } = shown;
  const { updates, ...definition } = step.definition;
  const those = what === "state_update" && isList(updates) ? updates.filter((_, at) => left.includes(at)) : [];
  const shownStep = { ...step, definition: those.length === 0 ? definition : { ...definition, updates: those } };
  if (left.length > 0) return what === "state_update" ? { ...shown, step: shownStep } : shown;
  const { result: _result, ...wanted } = fillIn ?? {};
  const fill = Object.keys(wanted).length === 0 ? {} : { fillIn: wanted };
  return { ...rest, step: { ...shownStep, instructions: storedInstructions }, ...fill };
}

type ActionStanding = Extract<Standing, { readonly kind: "action" }>;

/** Where a strand stands, with what is open as its leaf shows it. */
export type ShownStanding = Exclude<Standing, ActionStanding> | (ActionStanding & { readonly shown: Shown });

/** The step for a client that offers the tools which `offers` knows. */
export function stepFor({ step, without }: Shown, offers: (tool: string) => boolean): AtomicStep {
  return without === undefined || offers(without.tool) ? step : { ...step, instructions: without.instructions };
}
