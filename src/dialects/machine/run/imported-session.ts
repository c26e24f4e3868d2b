import type { JsonObject } from "../../../base/index.ts";
import { refused, type EngineContext } from "../../../engine/index.ts";
import { designDecision, gateAnswer, readStatus, sessionFiles, type DecisionRecord, type SessionStatus } from "../definition/index.ts";
import { artifactProblems } from "./artifacts.ts";
import { correctorOf, gateOf, gatesBefore } from "./gates.ts";
import type { MachineMemory, MachineRun, Tracking } from "./machine-run.ts";
import { sessionFilesOf, type SessionFile } from "./session-folder.ts";

/** A session that was worked on elsewhere, as a run goes on with it. */
export interface ImportedSession {
  readonly start: string;
  readonly names: JsonObject;
  readonly memory: Partial<MachineMemory>;
}

/** States that only status files know, and where the work goes on after them. */
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
export async function importedSession(context: EngineContext, run: MachineRun): Promise<ImportedSession> {
  const files = await sessionFilesOf(context, run);
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
  const correction = await correctionOf(context, run, status, files);
  const corrected = correction !== undefined && claimed === "APPROVE_DESIGN";
  const start = corrected ? claimed : await startOf(context, run, { claimed, first, files });
  const told =
    start === claimed
      ? []
      : [
          `The session was brought along in ${claimed}. It continues at ${start}: no answer in it was given to Waymark, and what is there is looked at again.`,
        ];
  const fits = start === "APPROVE_DESIGN" ? correction : undefined;
  return {
    start,
    names: fits === undefined ? {} : fits.names,
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
    throw refused(
      "MACHINE_NOT_PERSISTED",
      `\`${folder}/${name}\`, a copy of the status file that cannot be read, could not be written: ${outcome.reason}`,
      "Make the session's folder writable, then retry the run.",
      { file: `${folder}/${name}` },
    );
  }
}

/**
 * The first gate on the way to the state it says it is in. Where there is none, or what the gate is about does not pass, the run
 * begins at the beginning and skips what is there and valid.
 */
async function startOf(
  context: EngineContext,
  run: MachineRun,
  { claimed, first, files }: { readonly claimed: string; readonly first: string; readonly files: readonly SessionFile[] },
): Promise<string> {
  const state = gatesBefore(run.definition, run.mode, claimed)[0]?.state ?? claimed;
  const gate = run.definition.states[state]?.steps.find((step) => step.step === "gate");
  if (gate?.step !== "gate") return first;
  const formed = gate.gate.binds.filter((name) => run.definition.artifacts[name]?.form !== undefined);
  for (const name of formed) if ((await artifactProblems(context, run, name, files)).length > 0) return first;
  return state;
}

/** Roles whose work lies before the start and is there: they are not asked for it again. */
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

/** What is still pending there is asked anew when its turn comes; until then it does not apply. */
function skippedHere(record: DecisionRecord): DecisionRecord {
  if (record.status !== "pending") return record;
  return { ...record, status: "skipped", resolved_at: record.asked_at, resolution_reason: "asked again when the session was taken up" };
}

interface Correction {
  readonly names: JsonObject;
  readonly tracking: Tracking;
}

/** A design that was sent back elsewhere: a correction that was not dispatched yet is; one that was is looked at, never repeated. */
async function correctionOf(
  context: EngineContext,
  run: MachineRun,
  status: SessionStatus,
  files: readonly SessionFile[],
): Promise<Correction | undefined> {
  const record = status.user_decisions.find(({ decision_id }) => decision_id === designDecision);
  if (record === undefined || gateAnswer(designDecision, record.answer) !== "changes") return undefined;
  const known = status.gate_tracking;
  const agent = known?.last_correction_dispatch.agent ?? correctorOf(gateOf(run.definition, designDecision), record.answer ?? "");
  const at = known?.last_correction_dispatch.at ?? null;
  const tracking: Tracking = { gate: designDecision, correction_status: known?.correction_status ?? "none", agent, at };
  switch (tracking.correction_status) {
    case "none":
    case "queued": {
      const correction = { goal: record.answer ?? "", leaves: ["spec", "architecture"] };
      return { names: { settled_gate: `correct:${agent}`, correction }, tracking: { ...tracking, correction_status: "queued" } };
    }
    case "dispatched": {
      const problems = [
        ...(await artifactProblems(context, run, "spec", files)),
        ...(await artifactProblems(context, run, "architecture", files)),
      ];
      if (problems.length === 0) return { names: {}, tracking: { ...tracking, correction_status: "completed" } };
      const correction = {
        goal: `${record.answer ?? ""} What was done so far does not pass: ${problems[0] ?? ""}`,
        leaves: ["spec", "architecture"],
      };
      return { names: { settled_gate: `correct:${agent}`, correction }, tracking: { ...tracking, correction_status: "queued" } };
    }
    case "completed":
      return { names: {}, tracking };
  }
}
