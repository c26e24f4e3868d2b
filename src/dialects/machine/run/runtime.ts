import { textOf } from "../../../base/index.ts";
import { nothing, type ActionLeaf, type EffectLeaf, type Runtime } from "../../../engine/index.ts";
import { coreShown } from "../../../views/index.ts";
import { roleShown } from "../views/index.ts";
import { decodeMachine, machineAt, type MachineConfig } from "./machine-run.ts";

export type MachineEffect =
  | "machine_begin"
  | "machine_enter"
  | "machine_prepare"
  | "machine_ask"
  | "machine_answered"
  | "machine_checks"
  | "machine_take"
  | "machine_promote"
  | "machine_repair"
  | "machine_report"
  | "machine_finish";

/** Effects are loaded with the first one that is performed: runs of other dialects never wait for them. */
function effect(what: MachineEffect, runs: EffectLeaf<MachineConfig>["runs"]): EffectLeaf<MachineConfig> {
  return {
    runs,
    async perform(job) {
      const { machineEffects } = await import("./machine-effects.ts");
      return machineEffects[what]({ ...job, context: job.engine, run: machineAt(job) });
    },
  };
}

const effects: Readonly<Record<MachineEffect, EffectLeaf<MachineConfig>>> = {
  machine_begin: effect("machine_begin", nothing),
  machine_enter: effect("machine_enter", nothing),
  machine_prepare: effect("machine_prepare", nothing),
  machine_ask: effect("machine_ask", nothing),
  machine_answered: effect("machine_answered", nothing),
  // Roles write the commands of checks during the run: a person allows them at a gate, and only those run.
  machine_checks: effect("machine_checks", nothing),
  machine_take: effect("machine_take", nothing),
  machine_promote: effect("machine_promote", nothing),
  machine_repair: effect("machine_repair", nothing),
  machine_report: effect("machine_report", nothing),
  machine_finish: effect("machine_finish", nothing),
};

/** Reports of roles are judged before they count; what judges them is loaded with the first. */
const role: ActionLeaf<MachineConfig> = {
  runs: nothing,
  show: ({ handle }, { action }) => roleShown(action) ?? coreShown(handle, action),
  async take({ engine, handle }, action, { status, result }) {
    if (status === "failed") return undefined;
    const { judgeReport } = await import("./judge-report.ts");
    return judgeReport(engine, handle, action, result ?? null);
  },
};

/** Names that only the machine itself reads: neither agents nor people have use for them. */
const hides: ReadonlySet<string> = new Set([
  "start",
  "dispatch",
  "output",
  "answer",
  "question",
  "checks",
  "repair",
  "finished",
  "settled_gate",
  "correction",
  "gate_note",
  "machine",
]);

export const machineRuntime: Runtime<MachineConfig> = {
  decode: decodeMachine,
  leaves: { ...effects, role },
  hides,
  fixedState: { code: "MACHINE_STATE_FIXED", why: "what a role did is reported, never written" },
  refusal: "MACHINE_REPORT_REFUSED",
  guarded: true,
  async answer({ definition: { definition } }, { id, name = id }, given) {
    // Not loaded before a machine runs: servers start without it.
    const { gateOf } = await import("./gates.ts");
    const { choiceOf } = await import("../definition/index.ts");
    const gate = gateOf(definition, name);
    return (gate === undefined ? undefined : choiceOf(gate, textOf(given))) ?? given;
  },
  async checkAudience(at, target) {
    await (await import("./note-target.ts")).checkNoteTarget(at, target);
  },
};
