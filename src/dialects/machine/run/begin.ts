import { isObject, own, type JsonObject } from "../../../base/index.ts";
import { refused, type EngineContext } from "../../../engine/index.ts";
import { isSessionName, sessionFiles, sessionName } from "../definition/index.ts";
import { projectFlags } from "./build-dispatch.ts";
import { gatesOf } from "./gates.ts";
import { importedSession, type ImportedSession } from "./imported-session.ts";
import { emptyMemory, textIn, type MachineMemory, type MachineRun } from "./machine-run.ts";
import { listFiles, taskRows } from "./session-folder.ts";
import { performed, timeOf, type PerformMachine } from "./sync-session.ts";
import { skipEarlierTasks } from "./task-list.ts";
import { baseOf } from "./workspace-changes.ts";

/** Chooses mode and session, remembers what the workspace is like, and says which state comes first. */
export const begin: PerformMachine = async (job) => {
  const { context, run, handle } = job;
  const { mode, why } = chosenMode(run);
  const named = textIn(run.inputs, "session");
  const session = named === "" ? await newSession(context, run) : await existingSession(context, run, named);
  const place: MachineRun = { ...run, session, folder: `${run.definition.folder}/${session}`, mode };
  const brought: ImportedSession | undefined = named === "" ? undefined : await importedSession(context, place);
  const memory: MachineMemory = {
    ...emptyMemory,
    ...brought?.memory,
    base: await baseOf(context, run.definition.folder),
    flags: await projectFlags(context),
    assumptions: [...(brought?.memory.assumptions ?? []), ...why],
  };
  const start = brought?.start ?? run.definition.modes[mode]?.start ?? "";
  const names: JsonObject = { mode, session, start, state: start, ...brought?.names };
  const tasks = await taskRows(context, handle.id, run.tasks);
  const change = tasks.length === 0 ? undefined : skipEarlierTasks(run.tasks);
  return performed(job, { session, mode, start }, { names, memory: { ...memory } }, change);
};

/** A mode with conditions needs each of them confirmed; otherwise the run begins in the usual one and says why. */
function chosenMode({ definition, inputs }: MachineRun): { readonly mode: string; readonly why: readonly string[] } {
  const { defaultMode } = definition;
  const wanted = textIn(inputs, "mode") === "" ? defaultMode : textIn(inputs, "mode");
  const mode = own(definition.modes, wanted);
  if (mode === undefined)
    throw refused(
      "MACHINE_NO_MODE",
      `\`${definition.name}\` has no mode \`${wanted}\`.`,
      `Use one of ${Object.keys(definition.modes).join(", ")}.`,
    );
  const confirmed = isObject(inputs["confirmed"]) ? inputs["confirmed"] : {};
  const open = Object.entries(mode.onlyIf).filter(([key]) => own(confirmed, key) !== true);
  if (open.length === 0) return { mode: wanted, why: [] };
  const list = open.map(([key, sentence]) => `${key} (${sentence})`).join("; ");
  return { mode: defaultMode, why: [`The mode ${wanted} was asked for, but not confirmed: ${list}. The run is in mode ${defaultMode}.`] };
}

async function newSession(context: EngineContext, run: MachineRun): Promise<string> {
  const about = textIn(run.inputs, "slug") || textIn(run.inputs, "request") || run.definition.name;
  const name = sessionName(await timeOf(context), about, await takenNames(context, run));
  return name ?? `${(await timeOf(context)).slice(0, 10)}_${run.definition.name}`;
}

async function takenNames(context: EngineContext, { definition: { folder } }: MachineRun): Promise<ReadonlySet<string>> {
  const paths = await listFiles(context, { patterns: [`${folder}/*/*`] });
  const depth = folder.split("/").length;
  return new Set(paths.map((path) => path.split("/")[depth] ?? ""));
}

async function existingSession({ workspace, host }: EngineContext, { definition }: MachineRun, name: string): Promise<string> {
  const found = isSessionName(name)
    ? await workspace.read(host.workspace, `${definition.folder}/${name}/${sessionFiles.status}`)
    : undefined;
  if (found !== undefined) return name;
  throw refused(
    "MACHINE_NO_SESSION",
    `There is no session \`${name}\` with a \`${sessionFiles.status}\` below \`${definition.folder}\`.`,
    "Name the folder of a session, or leave `session` out to begin a new one.",
  );
}

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
  return performed(job, { state: name }, { names: { ...names, ...mode }, memory });
};

/** Gates of a state are asked again in each round: what was said in the last one passes none of them. */
function unpassed({ passed }: MachineMemory, gates: readonly string[]): Partial<MachineMemory> {
  if (!gates.some((gate) => Object.hasOwn(passed, gate))) return {};
  return { passed: Object.fromEntries(Object.entries(passed).filter(([gate]) => !gates.includes(gate))) };
}
