import { isObject, type JsonObject } from "../../../base/index.ts";
import type { Performed } from "../../../engine/index.ts";
import { artifactProblems, bindsOf, withReported } from "./artifacts.ts";
import { buildDispatch, type DispatchRequest } from "./build-dispatch.ts";
import { differs, gateOf, gatesAbove, gatesBefore, isSealed, stateAround } from "./gates.ts";
import { taskOf, textIn, textsOf } from "./machine-run.ts";
import { wantedCommands } from "./run-checks.ts";
import { sessionFilesOf, taskRows, type SessionFile } from "./session-folder.ts";
import { foundEdits, performed, timeOf, type Changes, type MachineJob, type PerformMachine } from "./sync-session.ts";
import { labelMoves } from "./task-list.ts";
import { watchedFiles } from "./watched-files.ts";
import { contentsOf, lookAround } from "./workspace-changes.ts";

/** Looks whether everything still is as it was decided, and gathers what the next step needs. What must be asked first is asked. */
export const prepare: PerformMachine = async (job) => {
  const { context, run, effect } = job;
  const files = await sessionFilesOf(context, run);
  const first = await askedFirst(job, files);
  if (first !== undefined) return first;
  if (effect.args["of"] !== undefined) return prepareChecks(job, files);
  return prepareRole(job, files);
};

/**
 * What a person must decide before anything goes on or ends: files of Waymark's that somebody changed, gates that nobody answered,
 * approvals of content that is another one now.
 */
export async function askedFirst(job: MachineJob, files: readonly SessionFile[]): Promise<Performed | undefined> {
  const { memory } = job.run;
  const edited = await handEdit(job);
  if (edited !== undefined) return asked(job, edited);
  const unasked = await unansweredGate(job);
  if (unasked !== undefined) {
    const { [unasked]: _gone, ...passed } = memory.passed;
    const told = `${unasked}: the run stood behind it, and no person had answered it.`;
    const known_issues = [...new Set([...memory.known_issues, told])];
    return asked(job, { kind: "gate", gate: unasked, void: true, unanswered: true }, { memory: { passed, known_issues } });
  }
  const voided = await voidedGate(job, files);
  return voided === undefined ? undefined : asked(job, { kind: "gate", gate: voided, void: true });
}

async function asked(job: MachineJob, about: JsonObject, changes: Changes = {}): Promise<Performed> {
  return performed(job, { kind: "ask", about }, changes);
}

/** A file that only Waymark writes, changed by somebody else. */
async function handEdit({ context, run }: MachineJob): Promise<JsonObject | undefined> {
  const [file] = Object.keys(await foundEdits(context, run, run.memory));
  return file === undefined ? undefined : { kind: "edited", file };
}

/** A gate that lies before this place, or counts as passed, without a person's own answer. Only a forged record leads here. */
async function unansweredGate({ context, run, handle, effect }: MachineJob): Promise<string | undefined> {
  const { passed } = run.memory;
  const { state, step } = stateAround(handle, run, effect.block);
  const before = gatesBefore(run.definition, run.mode, state).map(({ id }) => id);
  const needed = [...before, ...gatesAbove(run.definition, state, step)];
  for (const id of new Set([...needed, ...Object.keys(passed)])) {
    const held = passed[id];
    const { answer, revision, decision = id } = held ?? { answer: "", revision: 0 };
    if (held === undefined || !(await isSealed(context, handle, { decision, answer, revision }))) return id;
  }
  return undefined;
}

/** A gate whose answer was bound to content that is another one now. */
async function voidedGate({ context, run }: MachineJob, files: readonly SessionFile[]): Promise<string | undefined> {
  for (const [id, passed] of Object.entries(run.memory.passed)) {
    const gate = gateOf(run.definition, id);
    if (gate === undefined) continue;
    const now = await bindsOf(context, run, gate.binds, files);
    if (differs(passed.binds, now)) return id;
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
  const { context, run, handle } = job;
  const request = requestOf(job);
  if (await isDoneElsewhere(job, request, files))
    return performed(
      job,
      { kind: "skip" },
      {
        names: { output: { status: "OK", route: "go", role: request.role } },
        memory: { roles: { ...run.memory.roles, [request.role]: (run.memory.roles[request.role] ?? 0) + 1 } },
      },
    );
  const look = await lookAround(context, run.memory.base, run.definition.folder);
  const { changes, branch } = look;
  const rows = (await taskRows(context, handle.id, run.tasks)).filter(({ status }) => status !== "skipped");
  const built = await buildDispatch(context, run, request, { files, changes, branch, taskIds: rows.map(({ task }) => task.id) });
  if ("problems" in built) return asked(job, { kind: "halt", code: "dispatch_not_ready", detail: built.problems.join(" ") });
  const { task } = request;
  const begun = task !== undefined && rows.some((row) => row.task.id === task.id && row.label === "not-started");
  const labels = begun ? { [task.id]: "in-progress" } : {};
  const earlier = await watchedFiles(context, run, look);
  const before = {
    ...earlier,
    ...contentsOf(changes),
    ...Object.fromEntries(files.map(({ path, hash }) => [`${run.folder}/${path}`, hash])),
  };
  const memory = {
    before,
    adopted: withReported(run, files),
    ...(request.correction === undefined ? {} : { tracking: await dispatched(job, request) }),
  };
  const names = { dispatch: built.dispatch, output: null, changed_files: changes.length, settled_gate: "" };
  return performed(
    job,
    { kind: "go" },
    { names: request.correction === undefined ? { ...names, settled_gate: textIn(run.raw, "settled_gate") } : names, memory, labels },
    begun ? labelMoves(run.tasks, task.id, "in-progress") : undefined,
  );
}

async function dispatched({ context, run }: MachineJob, { role, correction = "" }: DispatchRequest) {
  const known = run.memory.tracking;
  return { gate: known?.gate ?? correction, correction_status: "dispatched" as const, agent: role, at: await timeOf(context) };
}

/** Until the state that a session had reached elsewhere is entered, valid work is taken as it is. */
async function isDoneElsewhere({ context, run }: MachineJob, request: DispatchRequest, files: readonly SessionFile[]): Promise<boolean> {
  if (run.memory.brought === null || request.leaves.length === 0 || request.correction !== undefined) return false;
  for (const name of request.leaves) if ((await artifactProblems(context, run, name, files)).length > 0) return false;
  return true;
}

function requestOf({ effect: { args } }: MachineJob): DispatchRequest {
  const text = (key: string): string | undefined => (typeof args[key] === "string" ? args[key] : undefined);
  return {
    role: text("role") ?? "",
    task: isObject(args["task"]) ? taskOf(args["task"]) : undefined,
    goal: text("goal"),
    leaves: textsOf(args["leaves"]),
    handles: textsOf(args["handles"]),
    repair: text("repair"),
    correction: text("correction"),
  };
}
