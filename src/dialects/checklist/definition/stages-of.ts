import type { PhaseDefinition } from "./checklist-definition.ts";

/** Phases that are worked on together, in order. */
export function stagesOf(phases: readonly PhaseDefinition[]): PhaseDefinition[][] {
  const stages: PhaseDefinition[][] = [];
  for (const phase of phases) {
    const current = stages.at(-1);
    const apart =
      current === undefined ||
      phase.role === "agent" ||
      current[0]?.role === "agent" ||
      phase.hardStop ||
      phase.after.some((id) => current.some((other) => other.id === id));
    if (apart) stages.push([phase]);
    else current.push(phase);
  }
  return stages;
}
