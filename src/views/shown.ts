import type { JsonObject } from "../base/index.ts";
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
  /** What the leaf gathered, for surfaces that know the dialect. */
  readonly facts?: unknown;
}

type ActionStanding = Extract<Standing, { readonly kind: "action" }>;

/** Where a strand stands, with what is open as its leaf shows it. */
export type ShownStanding = Exclude<Standing, ActionStanding> | (ActionStanding & { readonly shown: Shown });

/** The step for a client that offers the tools which `offers` knows. */
export function stepFor({ step, without }: Shown, offers: (tool: string) => boolean): AtomicStep {
  return without === undefined || offers(without.tool) ? step : { ...step, instructions: without.instructions };
}
