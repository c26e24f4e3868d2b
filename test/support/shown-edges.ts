import { machineEdges, type MachineDefinition } from "../../src/dialects/machine/definition/index.ts";

/** The ways of a machine as status files show them: helper states carry the name of the state that is shown, each way once. */
export function shownEdges(definition: MachineDefinition): readonly { readonly from: string; readonly to: string }[] {
  const shown = (name: string): string => {
    const [outer = "", inner] = name.split(".");
    const state = definition.states[outer];
    const around = state?.shownAs ?? outer;
    const held = inner === undefined ? undefined : state?.inner?.states[inner];
    return held === undefined ? around : (held.shownAs ?? (held.repair === undefined ? around : (inner ?? "")));
  };
  const found = new Map<string, { from: string; to: string }>();
  for (const { from, to, kind } of machineEdges(definition)) {
    const edge = { from: shown(from), to: shown(to) };
    if (edge.from !== edge.to || kind === "changes") found.set(`${edge.from} ${edge.to}`, edge);
  }
  return [...found.values()];
}
