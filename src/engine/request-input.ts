import type { JsonObject } from "../base/index.ts";
import type { InputSpec } from "../program/index.ts";

/** Inputs that take a request by their name, in whatever dialect. */
const byName = ["user_message", "request"] as const;

/** The input that takes what a person wants, in their words; else the only text that has to be given and was not. */
export function requestInput(inputs: Readonly<Record<string, InputSpec>>, given: JsonObject = {}): string | undefined {
  const named = byName.find((name) => Object.hasOwn(inputs, name) && inputs[name]?.type === "string");
  if (named !== undefined) return named;
  const [only, other] = neededInputs(inputs, given).filter((name) => inputs[name]?.type === "string");
  return other === undefined ? only : undefined;
}

/** Inputs without which a run does not start. */
export function neededInputs(inputs: Readonly<Record<string, InputSpec>>, given: JsonObject = {}): readonly string[] {
  return Object.keys(inputs).filter(
    (name) => inputs[name]?.required === true && inputs[name].default === undefined && !Object.hasOwn(given, name),
  );
}
