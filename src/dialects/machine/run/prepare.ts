import type { JsonObject } from "../../../base/index.ts";
import type { Performed } from "../../../engine/index.ts";
import { bindsOf, problemsOfAll, withReported } from "./artifacts.ts";
import { buildDispatch, type DispatchRequest } from "./build-dispatch.ts";
import { doneAhead } from "./ahead/done-ahead.ts";
import { gateOf, gatesAbove, gatesBefore, isSealed, stateAround } from "./gates.ts";
import { taskOf, textIn, textsOf, withReport } from "./machine-run.ts";
import { wantedCommands } from "./run-checks.ts";
import { hashesIn, sessionFilesOf, type SessionFile } from "./session-folder.ts";
import { foundEdits, performed, plannedTasks, timeOf, type Changes, type MachineJob, type PerformMachine } from "./sync-session.ts";
import { labelMoves } from "./task-list.ts";
import { watchedFiles } from "./watched-files.ts";
import { changedBetween, contentsOf, inspectWorkspace } from "./workspace-changes.ts";

/** Looks whether everything still is as it was decided, and gathers what the next step needs. What must be asked first is asked. */
export const prepare: PerformMachine = async (job) => {
  const { context, run, effect } = job;
  const files = await sessionFilesOf(context, run);
  const first = await askedFirst(job, files);
  if (first !== undefined) return first;
  if (effect.args["for"] === "task") return performed(job, { kind: "go" }, {});
  if (effect.args["of"] !== undefined) return prepareChecks(job, files);
  return prepareRole(job, files);
};

/**
 * What a person must decide before the run continues or ends: files that only Waymark writes and someone else changed, gates without
 * an answer, approvals of content that has changed.
 */
export async function askedFirst(job: MachineJob, files: readonly SessionFile[]): Promise<Performed | undefined> {
  const { memory } = job.run;
  const about = await askedFirstAbout(job, files);
  if (about?.["unanswered"] !== true) return about && asked(job, about);
  const unasked = textIn(about, "gate");
  const { [unasked]: _gone, ...passed } = memory.passed;
  const told = `${unasked}: the run passed it without an answer from a person.`;
  return asked(job, about, { memory: { passed, known_issues: [...new Set([...memory.known_issues, told])] } });
}

/** What that question is about; undefined where there is none. */
export async function askedFirstAbout(job: MachineJob, files: readonly SessionFile[]): Promise<JsonObject | undefined> {
  const { memory } = job.run;
  const [edited] = Object.keys(await foundEdits(job.context, job.run, memory));
  if (edited !== undefined) return { kind: "edited", file: edited };
  const unasked = await unansweredGate(job);
  if (unasked !== undefined) return { kind: "gate", gate: unasked, void: true, unanswered: true };
  const voided = await voidedGate(job, files);
  return voided === undefined ? undefined : { kind: "gate", gate: voided, void: true };
}

async function asked(job: MachineJob, about: JsonObject, changes: Changes = {}): Promise<Performed> {
  return performed(job, { kind: "ask", about }, changes);
}

/** A gate that comes before this place, or counts as passed, without a person's own answer. Only a forged record leads here. */
async function unansweredGate({ context, run, handle, effect }: MachineJob): Promise<string | undefined> {
  const { passed } = run.memory;
  const { state, step } = stateAround(handle, run, effect.block);
  const before = gatesBefore(run.definition, run.mode, state).map(({ id }) => id);
  const needed = [...before, ...gatesAbove(run.definition, state, step)];
  for (const id of new Set([...needed, ...Object.keys(passed)])) {
    const held = passed[id];
    if (held === undefined || !(await isSealed(context, handle, { decision: id, ...held }))) return id;
  }
  return undefined;
}

/** A gate whose answer was bound to content that has changed. */
async function voidedGate({ context, run }: MachineJob, files: readonly SessionFile[]): Promise<string | undefined> {
  for (const [id, passed] of Object.entries(run.memory.passed)) {
    const { gate } = gateOf(run.definition, id) ?? {};
    if (gate === undefined) continue;
    const now = await bindsOf({ context, run, files }, gate.binds);
    if (changedBetween(passed.binds, now).length > 0) return id;
  }
  return undefined;
}

/** Commands were written by an agent: a person allows exactly these, and those that came later are asked about. */
async function prepareChecks(job: MachineJob, files: readonly SessionFile[]): Promise<Performed> {
  const { run, effect } = job;
  const commands = wantedCommands(effect.args["of"], effect.args["task"], files);
  const known = new Set([...run.memory.allowed, ...run.memory.denied]);
  const open = commands.filter((command) => !known.has(command));
  if (open.length > 0) return asked(job, { kind: "commands", commands: open });
  return performed(job, { kind: "go" }, {});
}

async function prepareRole(job: MachineJob, files: readonly SessionFile[]): Promise<Performed> {
  const { context, run } = job;
  const request = requestOf(job);
  if (await isDoneElsewhere(job, request, files))
    return performed(
      job,
      { kind: "skip" },
      {
        names: { output: { status: "OK", route: "go", role: request.role } },
        memory: { roles: withReport(run, request.role) },
      },
    );
  const ahead = doneAhead(run, request);
  if (ahead !== undefined) return performed(job, { kind: "skip" }, ahead);
  const look = await inspectWorkspace(context, run.memory.base, run.definition.folder);
  const { changes, branch } = look;
  const rows = await plannedTasks(job);
  const built = await buildDispatch({ ...job, files }, request, { changes, branch, taskIds: rows.map(({ task }) => task.id) });
  if ("problems" in built) return asked(job, { kind: "halt", code: "dispatch_not_ready", detail: built.problems.join(" ") });
  const { task } = request;
  const begun = task !== undefined && rows.some((row) => row.task.id === task.id && row.label === "not-started");
  const labels = begun ? { [task.id]: "in-progress" } : {};
  const memory = {
    before: { ...(await watchedFiles(context, run, look)), ...contentsOf(changes), ...hashesIn(run, files) },
    adopted: withReported(run, files),
    ...(request.correction === undefined ? {} : { tracking: await dispatched(job, request) }),
  };
  const settled_gate = request.correction === undefined ? textIn(run.raw, "settled_gate") : "";
  const names = { dispatch: built.dispatch, output: null, changed_files: changes.length, settled_gate };
  const change = begun ? labelMoves(run.tasks, task.id, "in-progress") : undefined;
  return performed(job, { kind: "go" }, { names, memory, labels }, change);
}

async function dispatched({ context, run }: MachineJob, { role, correction = "" }: DispatchRequest) {
  const known = run.memory.tracking;
  return { gate: known?.gate ?? correction, correction_status: "dispatched" as const, agent: role, at: await timeOf(context) };
}

/** Until the state that a session had reached elsewhere is entered, valid work is taken as it is. */
async function isDoneElsewhere({ context, run }: MachineJob, request: DispatchRequest, files: readonly SessionFile[]): Promise<boolean> {
  if (run.memory.brought === null || request.leaves.length === 0 || request.correction !== undefined) return false;
  return (await problemsOfAll({ context, run, files }, request.leaves)).length === 0;
}

function requestOf({ effect: { args } }: MachineJob): DispatchRequest {
  const text = (key: string): string | undefined => (typeof args[key] === "string" ? args[key] : undefined);
  return {
    role: text("role") ?? "",
    task: taskOf(args["task"]),
    goal: text("goal"),
    leaves: textsOf(args["leaves"]),
    handles: textsOf(args["handles"]),
    repair: text("repair"),
    correction: text("correction"),
  };
}
