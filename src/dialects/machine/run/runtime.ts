import { defined, isList, isObject, own, textOf, type Json, type JsonObject } from "../../../base/index.ts";
import { nothing, runOfRole, usualBinding, type ActionLeaf, type EffectLeaf, type NamedRole, type Runtime } from "../../../engine/index.ts";
import type { Action, EventOf } from "../../../kernel/index.ts";
import type { RoleBinding } from "../../../ports/index.ts";
import { coreShown } from "../../../views/index.ts";
import type { RoleDefinition } from "../definition/index.ts";
import { roleShown } from "../views/index.ts";
import { oneAtATime } from "./ahead/ahead-record.ts";
import { decodeMachine, machineAt, objectIn, textIn, type MachineConfig } from "./machine-run.ts";
import type { PerformMachine } from "./sync-session.ts";

/**
 * Each effect is loaded when it is performed for the first time: runs of other dialects never wait for them. None of them names a
 * command: roles write the commands of checks during the run, a person allows them at a gate, and only those run.
 */
const effects: Readonly<Record<string, () => Promise<PerformMachine>>> = {
  machine_begin: async () => (await import("./begin.ts")).begin,
  machine_enter: async () => (await import("./begin.ts")).enterState,
  machine_wave: async () => (await import("./ahead/choose-wave.ts")).chooseWave,
  machine_apart: async () => (await import("./ahead/open-apart.ts")).openApart,
  machine_keep: async () => (await import("./ahead/keep-work.ts")).keepWork,
  machine_bring: async () => (await import("./ahead/bring-work.ts")).bringWork,
  machine_kept: async () => (await import("./ahead/keep-work.ts")).keepRest,
  machine_prepare: async () => (await import("./prepare.ts")).prepare,
  machine_ask: async () => (await import("./pose-question.ts")).pose,
  machine_answered: async () => (await import("./settle-answer.ts")).settle,
  machine_task_done: async () => (await import("./task-done.ts")).taskDone,
  machine_checks: async () => (await import("./run-checks.ts")).runChecks,
  machine_take: async () => (await import("./task-list.ts")).takeTasks,
  machine_promote: async () => (await import("./task-list.ts")).promoteTasks,
  machine_repair: async () => (await import("./repair-rounds.ts")).countRepair,
  machine_report: async () => (await import("./finish.ts")).writeReport,
  machine_finish: async () => (await import("./finish.ts")).finish,
};

function leafOf(load: () => Promise<PerformMachine>): EffectLeaf<MachineConfig> {
  return { runs: nothing, perform: async (job) => (await load())({ ...job, context: job.engine, run: machineAt(job) }) };
}

/** Reports of roles are judged before they count; what judges them is loaded with the first. */
const role: ActionLeaf<MachineConfig> = {
  runs: ({ bound }) => (isObject(bound?.of) ? [runOfRole(textIn(bound.of, "role"), bindingOf(bound.of))] : []),
  show: (at, { action, driven }) => {
    const { handle, definition, engine } = at;
    const played = playedBy(definition, action);
    // Ahead of its turn a dispatch is all that its task is: who asks for it was started for it.
    const by = action.args["before"] === undefined ? { by: played === undefined ? {} : usualBinding(engine, played) } : {};
    const shown = roleShown(action, driven === true ? defined({ text: instructionsOf(definition, action) }) : by);
    return shown ?? coreShown(handle, action);
  },
  role: ({ definition }, action) => playedBy(definition, action),
  async take(at, action, { status, result }) {
    if (status === "failed") return undefined;
    const { judgeReport } = await import("./judge-report.ts");
    return judgeReport(at, action, result ?? null);
  },
};

/** The text of a role's instructions as the run began with it. */
function instructionsOf({ definition }: MachineConfig, { args }: Action): string | undefined {
  return own(definition.roles, textIn(objectIn(args, "dispatch"), "role"))?.text;
}

function playedBy({ definition: { roles } }: MachineConfig, { args }: Action): NamedRole | undefined {
  const name = textIn(objectIn(args, "dispatch"), "role");
  const held = own(roles, name);
  return held === undefined ? undefined : { name, ...bindingOf(held) };
}

/** Who plays a role, of its definition or of what lowering kept of it. */
function bindingOf({ agent, model, permission }: Pick<RoleDefinition, "agent" | "model" | "permission"> | JsonObject): RoleBinding {
  return defined({ agent, model, permission }) as unknown as RoleBinding;
}

/** Names that only the machine itself reads: neither agents nor people have use for them. */
const hides: ReadonlySet<string> = new Set(
  "start dispatch output answer question checks repair finished settled_gate correction gate_note machine wave ahead".split(" "),
);

/** Why tasks are not worked on at the same time, where an update says so and nothing did before. */
function reasonsIn(updates: EventOf<"wrote">["updates"], before: Json | undefined): readonly string[] {
  const written = updates.flatMap(({ keys, value }) => (keys.join(".") === "machine.assumptions" && isList(value) ? value : []));
  const known = isList(before) ? before : [];
  return written.filter((text): text is string => typeof text === "string" && text.startsWith(oneAtATime) && !known.includes(text));
}

export const machineRuntime: Runtime<MachineConfig> = {
  decode: decodeMachine,
  leaves: { ...Object.fromEntries(Object.entries(effects).map(([what, load]) => [what, leafOf(load)])), role },
  roles: ({ definition: { roles } }) => Object.fromEntries(Object.entries(roles).map(([name, held]) => [name, bindingOf(held)])),
  hides,
  // A run without a worktree says so when it begins.
  tells: ({ options, scopes }, { scope, updates }) =>
    options.folder === undefined ? [] : reasonsIn(updates, objectIn(scopes[scope]?.raw ?? {}, "machine")["assumptions"]),
  fixedState: { code: "MACHINE_STATE_FIXED", why: "what a role did is reported, never written" },
  refusal: "MACHINE_REPORT_REFUSED",
  checksSeals: true,
  async answer({ definition: { definition } }, { id, name = id }, given) {
    // Not loaded before a machine runs: servers start without it.
    const { gateOf } = await import("./gates.ts");
    const { choiceOf } = await import("../definition/index.ts");
    const { gate } = gateOf(definition, name) ?? {};
    return (gate === undefined ? undefined : choiceOf(gate, textOf(given))) ?? given;
  },
  checkAudience: async (at, target) => (await import("./note-target.ts")).checkNoteTarget(at, target),
};
