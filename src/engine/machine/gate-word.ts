import { choiceOf, type MachineDefinition } from "../../dialects/index.ts";
import { gateOf } from "./prepare.ts";

/** The choice of a gate that an answer names in other words; undefined when the answer counts as it is. */
export function gateWord(definition: MachineDefinition, gate: string, answer: string): string | undefined {
  const asked = gateOf(definition, gate);
  return asked === undefined ? undefined : choiceOf(asked, answer);
}
