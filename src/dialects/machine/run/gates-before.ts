import type { MachineDefinition } from "../definition/index.ts";

type StateDefinition = MachineDefinition["states"][string];

/** A gate with the state it is asked in. */
interface PlacedGate {
  readonly id: string;
  readonly state: string;
}

/** Gates that no way from the start of a mode to a state leads past, in their order; one asked in that very state is not before it. */
export function gatesBefore({ states, modes }: MachineDefinition, mode: string, state: string): readonly PlacedGate[] {
  const start = modes[mode]?.start ?? "";
  const gates = Object.entries(states).flatMap(([name, { steps }]) =>
    steps.flatMap((step) => (step.step === "gate" && step.when === undefined ? [{ id: step.gate.id, state: name }] : [])),
  );
  return gates.filter((gate) => gate.state !== state && !isReachable(states, start, { to: state, without: gate.state }));
}

/** The gates of a state, in their order. */
export function gatesOf({ states }: MachineDefinition, state: string): readonly string[] {
  return (states[state]?.steps ?? []).flatMap((step) => (step.step === "gate" ? [step.gate.id] : []));
}

/** Gates that stand in a state before one of its steps, counted from 1, and that it cannot pass by. */
export function gatesAbove({ states }: MachineDefinition, state: string, step: number): readonly string[] {
  const above = (states[state]?.steps ?? []).slice(0, Math.max(0, step - 1));
  return above.flatMap((each) => (each.step === "gate" && each.when === undefined ? [each.gate.id] : []));
}

function isReachable(
  states: MachineDefinition["states"],
  start: string,
  { to, without }: { readonly to: string; readonly without: string },
): boolean {
  const open = [start];
  const seen = new Set([without]);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name)) continue;
    if (name === to) return true;
    seen.add(name);
    const state = states[name];
    if (state !== undefined) open.push(...targetsOf(state));
  }
  return false;
}

/** Where a state, or a state of the machine inside it, may lead. */
function targetsOf({ outcomes, repair, inner }: StateDefinition): string[] {
  return [
    ...outcomes.flatMap(({ to }) => to ?? []),
    ...(repair === undefined ? [] : [repair.back, repair.accepted, ...(repair.cutScope === undefined ? [] : [repair.cutScope])]),
    ...(inner === undefined ? [] : Object.values(inner.states).flatMap(targetsOf)),
  ];
}
