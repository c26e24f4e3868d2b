import { gatesOf } from "./gates-before.ts";
import { syncing, type PerformMachine } from "./machine-job.ts";
import type { MachineMemory } from "./machine-memory.ts";
import { textIn } from "./machine-run.ts";
import { performed } from "./sync-session.ts";

/** A state is entered: status files show it from now on. */
export const enterState: PerformMachine = async (job) => {
  const { run, effect } = job;
  const name = textIn(effect.args, "state");
  const shown = textIn(effect.args, "shown");
  const outermost = textIn(effect.args, "within") === "";
  const gates = outermost ? gatesOf(run.definition, name) : [];
  const { tracking } = run.memory;
  const corrects = tracking?.correction_status === "queued" && tracking.gate === gates[0];
  const correcting = corrects && textIn(run.raw, "settled_gate").startsWith("correct:");
  // The last state shows only when everything holds: until then the one before it does.
  const last = outermost && run.definition.states[name]?.steps.some(({ step }) => step === "finish") === true;
  const names = { state: last && run.state !== "" ? run.state : shown, answer: null, ...(correcting ? {} : { settled_gate: "" }) };
  const otherwise = Object.values(run.definition.modes).some((mode) => mode.otherwise === name);
  const mode = outermost && otherwise && run.mode !== run.definition.defaultMode ? { mode: run.definition.defaultMode } : {};
  const left =
    Object.keys(mode).length === 0
      ? {}
      : { assumptions: [...run.memory.assumptions, `The mode ${run.mode} was left: the work is larger than it allows.`] };
  const memory = { ...left, ...unpassed(run.memory, gates), ...(run.memory.brought === name ? { brought: null } : {}) };
  return performed(syncing(job), { state: name }, { names: { ...names, ...mode }, memory });
};

/** Gates of a state are asked again in each round: what was said in the last one passes none of them. */
function unpassed({ passed }: MachineMemory, gates: readonly string[]): Partial<MachineMemory> {
  if (!gates.some((gate) => Object.hasOwn(passed, gate))) return {};
  return { passed: Object.fromEntries(Object.entries(passed).filter(([gate]) => !gates.includes(gate))) };
}
