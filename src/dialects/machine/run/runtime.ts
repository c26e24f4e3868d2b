import { textOf } from "../../../base/index.ts";
import { nothing, type ActionLeaf, type EffectLeaf, type Runtime } from "../../../engine/index.ts";
import { coreShown } from "../../../views/index.ts";
import { roleShown } from "../views/index.ts";
import { decodeMachine, machineAt, type MachineConfig } from "./machine-run.ts";

const machineEffectNames = [
  "machine_begin",
  "machine_enter",
  "machine_prepare",
  "machine_ask",
  "machine_answered",
  "machine_checks",
  "machine_take",
  "machine_promote",
  "machine_repair",
  "machine_report",
  "machine_finish",
] as const;
export type MachineEffect = (typeof machineEffectNames)[number];

/**
 * Effects are loaded with the first one that is performed: runs of other dialects never wait for them. None of them names a command:
 * roles write the commands of checks during the run, a person allows them at a gate, and only those run.
 */
const effects = machineEffectNames.map((what): [string, EffectLeaf<MachineConfig>] => [
  what,
  {
    runs: nothing,
    async perform(job) {
      const { machineEffects } = await import("./machine-effects.ts");
      return machineEffects[what]({ ...job, context: job.engine, run: machineAt(job) });
    },
  },
]);

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
const hides: ReadonlySet<string> = new Set(
  "start dispatch output answer question checks repair finished settled_gate correction gate_note machine".split(" "),
);

export const machineRuntime: Runtime<MachineConfig> = {
  decode: decodeMachine,
  leaves: { ...Object.fromEntries(effects), role },
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
  checkAudience: async (at, target) => (await import("./note-target.ts")).checkNoteTarget(at, target),
};
