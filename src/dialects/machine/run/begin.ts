import type { JsonObject } from "../../../base/index.ts";
import { refused, type EngineContext } from "../../../engine/index.ts";
import {
  designDecision,
  gateAnswer,
  isSessionName,
  readStatus,
  sessionFiles,
  sessionName,
  type DecisionRecord,
  type SessionStatus,
} from "../definition/index.ts";
import { problemsOfAll, type SessionLook } from "./artifacts.ts";
import { projectFlags } from "./build-dispatch.ts";
import { correctorOf, gateOf, gatesBefore, gatesOf } from "./gates.ts";
import { chosenMode, emptyMemory, textIn, type MachineMemory, type MachineRun, type Tracking } from "./machine-run.ts";
import { listFiles, notWritten, sessionFilesOf, taskRows } from "./session-folder.ts";
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
  // Gates of a state are asked again in each round: what was said in the last one passes none of them.
  const others = Object.entries(run.memory.passed).filter(([gate]) => !gates.includes(gate));
  const passed = others.length < Object.keys(run.memory.passed).length ? { passed: Object.fromEntries(others) } : {};
  const memory = { ...left, ...passed, ...(run.memory.brought === name ? { brought: null } : {}) };
  return performed(job, { state: name }, { names: { ...names, ...mode }, memory });
};

/** A session that was worked on elsewhere, as a run continues it. */
interface ImportedSession {
  readonly start: string;
  readonly names: JsonObject;
  readonly memory: Partial<MachineMemory>;
}

/** States that only status files have, and where the work continues after them. */
const resumedIn: Readonly<Record<string, string>> = {
  FIX_REVIEW: "IMPLEMENT_LOOP",
  FIX_TESTS: "IMPLEMENT_LOOP",
  FIX_SECURITY: "IMPLEMENT_LOOP",
  FIX_BUILD: "INTEGRATE",
};

/**
 * Reads a status file leniently. Whatever it says of gates, no answer in it was given to Waymark: the run begins at the first gate
 * before its state, and work that is there and valid is not done again.
 */
async function importedSession(context: EngineContext, run: MachineRun): Promise<ImportedSession> {
  const files = await sessionFilesOf(context, run);
  const look = { context, run, files };
  const text = files.find(({ path }) => path === sessionFiles.status)?.text;
  const { status, problems } = readStatus(text ?? "");
  const states = Object.keys(run.definition.states);
  const first = run.definition.modes[run.mode]?.start ?? states[0] ?? "";
  if (status === undefined) {
    const copy = await keepUnreadable(context, run);
    const why = text === undefined ? "it is not text." : (problems[0]?.message ?? "it is not JSON.");
    const told = `The status file that was brought along could not be read: ${why}`;
    const kept = `${told} It is kept as ${run.folder}/${copy}; decisions and counts in it do not count.`;
    return { start: first, names: {}, memory: { assumptions: [told], known_issues: [kept] } };
  }
  const claimed = claimedState(status, states) ?? first;
  const correction = await correctionOf(look, status);
  const corrected = correction !== undefined && claimed === "APPROVE_DESIGN";
  const start = corrected ? claimed : await startOf(look, claimed, first);
  const told =
    start === claimed
      ? []
      : [
          `The session was brought along in ${claimed}. It continues at ${start}: no answer in it was given to Waymark, and what is there is looked at again.`,
        ];
  const fits = start === "APPROVE_DESIGN" ? correction : undefined;
  return {
    start,
    names: fits?.names ?? {},
    memory: {
      assumptions: [...status.assumptions, ...told],
      known_issues: status.known_issues,
      decisions: status.user_decisions.map(skippedHere),
      retry_counts: status.retry_counts,
      ci: status.last_ci_result,
      kept: status.kept,
      notes: status.notes,
      ...(claimed === start ? {} : { brought: claimed }),
      roles: workedBefore(run, start),
      ...(fits === undefined ? {} : { tracking: fits.tracking }),
    },
  };
}

/** Copies the status file as it is, byte for byte, before a new one is written; a copy that is there already is not made twice. */
async function keepUnreadable({ workspace, host }: EngineContext, { folder }: MachineRun): Promise<string> {
  const original = await workspace.read(host.workspace, `${folder}/${sessionFiles.status}`);
  if (original === undefined) return sessionFiles.status;
  const [stem = ""] = sessionFiles.status.split(".");
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? `${stem}.unreadable.json` : `${stem}.unreadable-${number}.json`;
    const held = await workspace.read(host.workspace, `${folder}/${name}`);
    if (held?.hash === original.hash) return name;
    if (held !== undefined) continue;
    const outcome = await workspace.writeFile(host.workspace, `${folder}/${name}`, original.bytes, null);
    if (outcome.status === "done") return name;
    const path = `${folder}/${name}`;
    throw notWritten(path, `\`${path}\`, a copy of the status file that cannot be read, could not be written: ${outcome.reason}`);
  }
}

/**
 * The first gate on the way to the state it says it is in. Where there is none, or what the gate is about does not pass, the run
 * begins at the beginning and skips what is there and valid.
 */
async function startOf(look: SessionLook, claimed: string, first: string): Promise<string> {
  const { run } = look;
  const state = gatesBefore(run.definition, run.mode, claimed)[0]?.state ?? claimed;
  const gate = run.definition.states[state]?.steps.find((step) => step.step === "gate");
  if (gate?.step !== "gate") return first;
  const formed = gate.gate.binds.filter((name) => run.definition.artifacts[name]?.form !== undefined);
  return (await problemsOfAll(look, formed)).length > 0 ? first : state;
}

/** Roles whose work comes before the start and is there: they are not asked for it again. */
function workedBefore({ definition }: MachineRun, start: string): Record<string, number> {
  const names = Object.keys(definition.states);
  const before = names.slice(0, names.indexOf(start)).flatMap((name) => definition.states[name]?.steps ?? []);
  const done = before.flatMap((step) => (step.step === "dispatch" && step.when === undefined && step.leaves.length > 0 ? [step.role] : []));
  return Object.fromEntries(done.map((role) => [role, 1]));
}

function claimedState(status: SessionStatus, states: readonly string[]): string | undefined {
  const { current_state: state } = status;
  const asked = status.user_decisions.findLast(({ status: kind }) => kind === "pending") ?? status.user_decisions.at(-1);
  const back = state === "ASK_USER" || state === "BLOCKED" ? (asked?.state_context ?? "") : (state ?? "");
  const name = resumedIn[back] ?? back;
  return states.includes(name) && name !== "DONE" ? name : undefined;
}

/** What is still pending there is asked again when its turn comes; until then it does not apply. */
function skippedHere(record: DecisionRecord): DecisionRecord {
  if (record.status !== "pending") return record;
  return { ...record, status: "skipped", resolved_at: record.asked_at, resolution_reason: "asked again when the session was taken up" };
}

interface Correction {
  readonly names: JsonObject;
  readonly tracking: Tracking;
}

/** A design that was sent back elsewhere: a correction that was not dispatched yet is; one that was is looked at, never repeated. */
async function correctionOf(look: SessionLook, status: SessionStatus): Promise<Correction | undefined> {
  const record = status.user_decisions.find(({ decision_id }) => decision_id === designDecision);
  if (record === undefined || gateAnswer(designDecision, record.answer) !== "changes") return undefined;
  const known = status.gate_tracking;
  const answer = record.answer ?? "";
  const agent = known?.last_correction_dispatch.agent ?? correctorOf(gateOf(look.run.definition, designDecision)?.gate, answer);
  const at = known?.last_correction_dispatch.at ?? null;
  const correction_status = known?.correction_status ?? "none";
  const tracking: Tracking = { gate: designDecision, correction_status, agent, at };
  const leaves = ["spec", "architecture"];
  const queued = (goal: string): Correction => ({
    names: { settled_gate: `correct:${agent}`, correction: { goal, leaves } },
    tracking: { ...tracking, correction_status: "queued" },
  });
  if (correction_status === "completed") return { names: {}, tracking };
  if (correction_status !== "dispatched") return queued(answer);
  const [problem] = await problemsOfAll(look, leaves);
  if (problem === undefined) return { names: {}, tracking: { ...tracking, correction_status: "completed" } };
  return queued(`${answer} What was done so far does not pass: ${problem}`);
}
