import { isObject, type Json, type JsonObject } from "../../../base/index.ts";
import { noResult, type At, type EngineContext, type Taken } from "../../../engine/index.ts";
import type { Action } from "../../../kernel/index.ts";
import { checkRoleOutput, type RoleDefinition, type RoleOutput } from "../definition/index.ts";
import { problemsOfAll, sentences } from "./artifacts.ts";
import { isSessionRole } from "./build-dispatch.ts";
import {
  machineAt,
  objectIn,
  textIn,
  textsOf,
  withReport,
  type MachineConfig,
  type MachineMemory,
  type MachineRun,
} from "./machine-run.ts";
import { hashesIn, sessionFilesOf, type SessionFile } from "./session-folder.ts";
import { setInput } from "./sync-session.ts";
import { watchedFiles, watchedSince } from "./watched-files.ts";
import { changedBetween, contentsOf, hashOfChanges, inspectWorkspace, type WorkspaceChange } from "./workspace-changes.ts";

/** A role's report counts only if its form, its files and its artifacts are as they should be. What changed is read from the files. */
export async function judgeReport(at: At<MachineConfig>, action: Action, given: Json): Promise<Taken | undefined> {
  const { engine: context } = at;
  const run = machineAt(at);
  if (isEmptyReport(given)) throw noResult(action, { result: "your report, one JSON object" });
  const dispatch = objectIn(action.args, "dispatch");
  const name = textIn(dispatch, "role");
  const role = run.definition.roles[name];
  if (role === undefined) return undefined;
  const { output, status, problems } = checkRoleOutput(isSessionRole(role.output) ? role.output : "SpecAgent", given, {
    answers: role.answers,
    roles: Object.keys(run.definition.roles),
  });
  const files = await sessionFilesOf(context, run);
  const look = await inspectWorkspace(context, run.memory.base, run.definition.folder);
  const { changes } = look;
  const watched = await watchedFiles(context, run, look);
  // A dispatch ahead of its turn has its own moment to compare with: others are open beside it.
  const ahead = isObject(action.args["before"]);
  const before = ahead ? (action.args["before"] as MachineMemory["before"]) : run.memory.before;
  const after = {
    ...(await watchedSince(context, before, watched, run.definition.folder)),
    ...contentsOf(changes),
    ...hashesIn(run, files),
  };
  const changed = changedBetween(before, after).filter((path) => !isWrittenByEngine(run, path, after));
  const outside = await outsideFiles(context, run, role, changed);
  const known = new Set([...Object.keys(before), ...Object.keys(run.memory.base.dirty)]);
  const missing = status === "OK" ? await problemsOfAll({ context, run, files }, textsOf(dispatch["leaves"])) : [];
  const unfit = [
    ...sentences(problems),
    ...outside.map((path) => {
      const isNew = changes.some((change) => change.path === path && change.change_type === "added") && !known.has(path);
      return `\`${path}\` was changed, and ${name} may not change it. ${isNew ? "It is new: remove it." : "Put it back as it was."}`;
    }),
    ...missing,
  ];
  if (output === undefined && unfit.length === 0) unfit.push("The report is not a JSON object.");
  // A failed try; what a person said with it comes with the next one.
  if (output === undefined || unfit.length > 0)
    return { outcome: { ok: false, code: "MACHINE_REPORT_REFUSED", message: unfit.join(" ") }, problems: unfit };
  if (ahead) return countedAhead(output, name, changed);
  return counted(context, run, { name, dispatch, output, changed, changes, files, notes: action.notes ?? [] });
}

/** Nothing was said about the work: there is nothing to judge, and no try is spent. */
function isEmptyReport(result: Json): boolean {
  if (typeof result === "string") return /^\s*(?:\{\s*\}|null)?\s*$/.test(result);
  return result === null || (isObject(result) && Object.keys(result).length === 0);
}

/** Files that Waymark itself wrote are not the work of a role. */
function isWrittenByEngine({ folder, memory }: MachineRun, path: string, after: Readonly<Record<string, string>>): boolean {
  const name = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : "";
  return name !== "" && memory.written[name] !== undefined && memory.written[name] === after[path];
}

/** Changed files that the role may not change. */
async function outsideFiles({ workspace }: EngineContext, run: MachineRun, role: RoleDefinition, changed: readonly string[]) {
  const artifacts = role.artifacts.flatMap((name) => run.definition.artifacts[name]?.path ?? []);
  const inSession = await workspace.matcher(artifacts.map((path) => `${run.folder}/${path}`));
  const inProject = await workspace.matcher([...role.files]);
  const sessions = `${run.definition.folder}/`;
  return changed.filter((path) =>
    path.startsWith(sessions) ? artifacts.length === 0 || !inSession(path) : role.files.length === 0 || !inProject(path),
  );
}

interface Counted {
  readonly name: string;
  readonly dispatch: JsonObject;
  readonly output: RoleOutput;
  readonly changed: readonly string[];
  readonly changes: readonly WorkspaceChange[];
  readonly files: readonly SessionFile[];
  /** What a person said for this dispatch. */
  readonly notes: readonly string[];
}

async function counted(context: EngineContext, run: MachineRun, facts: Counted): Promise<Taken> {
  const { name, dispatch, output, changed, files } = facts;
  const { status } = output;
  const halts = status === "FAIL" || (status !== "OK" && !textsOf(dispatch["handles"]).includes(status));
  const correction = typeof dispatch["correction"] === "string" && status === "OK";
  const tracking =
    run.memory.tracking !== null && correction ? { ...run.memory.tracking, correction_status: "completed" as const } : run.memory.tracking;
  const adopted = Object.fromEntries(
    textsOf(dispatch["leaves"]).flatMap((artifact) => {
      const path = run.definition.artifacts[artifact]?.path;
      const file = files.find((each) => each.path === path);
      return file === undefined ? [] : [[file.path, file.hash] as const];
    }),
  );
  const memory = {
    ...run.memory,
    roles: withReport(run, name),
    concerns: withConcerns(run, dispatch, output),
    mended: withRepairedState(context, run, facts),
    guidance: halts ? [...run.memory.guidance, ...facts.notes] : [],
    tracking,
    adopted: { ...run.memory.adopted, ...adopted },
  };
  const value: JsonObject = {
    ...(output as unknown as JsonObject),
    role: name,
    route: halts ? "halt" : "go",
    ...(halts
      ? { ask: status === "NEEDS_INFO" ? "question" : "halt", questions: [...output.artifacts.notes] }
      : { ask: "", questions: [] }),
    changed: [...changed],
  };
  return { outcome: { ok: true, value }, with: [await setInput({ context, run }, { changed_files: facts.changes.length }, memory)] };
}

/** Nothing is remembered of it before it is brought together with the rest. What it could not do is done in its turn. */
function countedAhead(output: RoleOutput, role: string, changed: readonly string[]): Taken {
  if (output.status !== "OK") return { outcome: { ok: false, code: "MACHINE_NOT_AHEAD", message: output.summary, final: true } };
  return {
    outcome: {
      ok: true,
      value: { ...(output as unknown as JsonObject), role, route: "go", ask: "", questions: [], changed: [...changed] },
    },
  };
}

/** What a repair leaves behind is compared with what it began with. */
function withRepairedState(context: EngineContext, { memory }: MachineRun, { dispatch, changes }: Counted): MachineMemory["mended"] {
  const loop = textIn(dispatch, "repair");
  return loop === "" ? memory.mended : { ...memory.mended, [`${taskIn(dispatch) || "meta"}/${loop}`]: hashOfChanges(context, changes) };
}

function taskIn(dispatch: JsonObject): string {
  return textIn(objectIn(objectIn(dispatch, "input"), "task"), "id");
}

/** What any report about a task had to say of security stays with the task. */
function withConcerns({ memory }: MachineRun, dispatch: JsonObject, { gates }: RoleOutput): MachineMemory["concerns"] {
  const task = taskIn(dispatch);
  if (gates.security_concerns.length === 0) return memory.concerns;
  return { ...memory.concerns, [task]: [...new Set([...(memory.concerns[task] ?? []), ...gates.security_concerns])] };
}
