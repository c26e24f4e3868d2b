import { isList, isObject, textOf, type Json, type JsonObject } from "../../../base/index.ts";
import type { At, RunHandle } from "../../../engine/index.ts";
import { mainScope } from "../../../kernel/index.ts";
import type { DecisionRecord, MachineDefinition, RepairCounts, SessionTask } from "../definition/index.ts";

/** What a machine remembers beside the names its conditions can read. Written by its effects alone. */
export interface MachineMemory {
  /** What the workspace was when the session began: session changes are compared with it. */
  readonly base: { readonly commit: string | null; readonly dirty: Readonly<Record<string, string>> };
  readonly decisions: readonly DecisionRecord[];
  readonly retry_counts: Readonly<Record<string, RepairCounts>>;
  /** What the session's changes and failing commands were when the last round of a repair loop began, by `task/loop`. */
  readonly rounds: Readonly<Record<string, string>>;
  /** What the session's changes were when the role of that round reported. */
  readonly mended: Readonly<Record<string, string>>;
  /** How often each role reported successfully. */
  readonly roles: Readonly<Record<string, number>>;
  /** Security concerns of all reports about a task, by task. */
  readonly concerns: Readonly<Record<string, readonly string[]>>;
  /** Gates that were passed: the answer, and the content it is bound to, by path. */
  readonly passed: Readonly<Record<string, PassedGate>>;
  /** The gate that `settled_gate` is about. */
  readonly gate: string;
  readonly tracking: Tracking | null;
  /** Commands a person allowed, word for word. */
  readonly allowed: readonly string[];
  /** Commands a person does not want run; their checks count as not met. */
  readonly denied: readonly string[];
  readonly flags: { readonly copilot_instructions_exists: boolean | null; readonly copilot_checked_at: string | null } | null;
  readonly assumptions: readonly string[];
  readonly known_issues: readonly string[];
  readonly ci: "unknown" | "green" | "red";
  readonly last_failed_step: string | null;
  /** Hashes of files as Waymark wrote them last, by name in the session's folder; any other content was written by someone else. */
  readonly written: Readonly<Record<string, string>>;
  /** Texts of such files that cannot be made again: the history of a gate, the report. */
  readonly texts: Readonly<Record<string, string>>;
  /** What someone else wrote into such a file, until a person has decided about it. */
  readonly edits: Readonly<Record<string, string>>;
  /** Hashes of artifacts that were taken over from their roles. */
  readonly adopted: Readonly<Record<string, string>>;
  readonly blocker: { readonly code: string; readonly detail: string; readonly since: string; readonly recovery: string } | null;
  /** Criteria, tasks, roles and commands that are not held against the session, each by a decision that names it. */
  readonly waived: readonly string[];
  /** Commands that a person lets fail; the criteria they prove are not waived by that. */
  readonly accepted: readonly string[];
  /** Criteria a person said are not met, by id; false once they are to be looked at again. */
  readonly not_met: Readonly<Record<string, boolean>>;
  /** Criteria whose manual checks a person confirmed. */
  readonly confirmed: readonly string[];
  /** Last outcome of every command, by command. */
  readonly results: Readonly<Record<string, CheckResult>>;
  /** Said by a person, for the next dispatch; kept until a dispatch with it has been reported. */
  readonly guidance: readonly string[];
  /** Files as they were when the open dispatch was prepared, by path. */
  readonly before: Readonly<Record<string, string>>;
  /** Plan file as it was taken over: its project part and the keys of others. */
  readonly plan: JsonObject | null;
  /** The state a session had reached elsewhere: until it is entered, work that is there and valid is not done again. */
  readonly brought: string | null;
  /** Keys of others in a status file that was brought along. */
  readonly kept: JsonObject;
  readonly notes: readonly Json[];
}

export interface PassedGate {
  readonly answer: string;
  readonly binds: Readonly<Record<string, string>>;
  readonly revision: number;
  /** The id of the question, where another task had the gate's own. */
  readonly decision?: string;
}

export interface Tracking {
  readonly gate: string;
  readonly correction_status: "none" | "queued" | "dispatched" | "completed";
  readonly agent: string | null;
  readonly at: string | null;
}

export interface CheckResult {
  readonly ok: boolean;
  /** End of what it printed, when it failed. */
  readonly output: string;
}

export const emptyMemory: MachineMemory = {
  base: { commit: null, dirty: {} },
  decisions: [],
  retry_counts: {},
  rounds: {},
  mended: {},
  roles: {},
  concerns: {},
  passed: {},
  gate: "",
  tracking: null,
  allowed: [],
  denied: [],
  flags: null,
  assumptions: [],
  known_issues: [],
  ci: "unknown",
  last_failed_step: null,
  written: {},
  texts: {},
  edits: {},
  adopted: {},
  blocker: null,
  waived: [],
  accepted: [],
  not_met: {},
  confirmed: [],
  results: {},
  guidance: [],
  before: {},
  plan: null,
  brought: null,
  kept: {},
  notes: [],
};

/** A run of a machine as effects and commands see it. */
export interface MachineRun {
  readonly definition: MachineDefinition;
  /** The worklist of its tasks. */
  readonly tasks: string;
  readonly scope: string;
  readonly raw: JsonObject;
  readonly inputs: JsonObject;
  readonly memory: MachineMemory;
  /** Name of the session's folder; empty before it is chosen. */
  readonly session: string;
  /** Path of that folder, relative to the workspace. */
  readonly folder: string;
  readonly mode: string;
  /** The current state as status files show it. */
  readonly state: string;
}

/** What lowering keeps of a machine in its part. */
export type MachineConfig = Pick<MachineRun, "definition" | "tasks">;

type Of = Pick<RunHandle, "program" | "state">;

export function decodeMachine({ machine, lists }: JsonObject): MachineConfig {
  return { definition: machine as unknown as MachineDefinition, tasks: textIn(asObject(lists), "tasks") || "tasks" };
}

/** undefined when the scope belongs to another dialect. */
export function machineOf(handle: Of, scopeId: string = mainScope): MachineRun | undefined {
  const { program, state } = handle;
  const part = program.parts[state.scopes[scopeId]?.part ?? program.main];
  if (state.scopes[scopeId] === undefined || part?.dialect !== "machine") return undefined;
  return machineAt({ handle, scope: scopeId, definition: decodeMachine(part.config) });
}

export function machineAt({
  handle,
  scope,
  definition: { definition, tasks },
}: Pick<At<MachineConfig>, "scope" | "definition"> & { readonly handle: Of }): MachineRun {
  const { raw = {}, inputs = {} } = handle.state.scopes[scope] ?? {};
  const memory = objectIn(raw, "machine") as unknown as Partial<MachineMemory>;
  const session = textIn(raw, "session");
  return {
    definition,
    tasks,
    scope,
    raw,
    inputs,
    memory: { ...emptyMemory, ...memory },
    session,
    folder: `${definition.folder}/${session}`,
    mode: textIn(raw, "mode"),
    state: textIn(raw, "state"),
  };
}

export function textIn(held: JsonObject, key: string): string {
  const value = held[key];
  return typeof value === "string" ? value : "";
}

/** The task an effect was given; undefined when it is about the session as a whole. */
export function taskOf(given: Json | undefined): SessionTask | undefined {
  return isObject(given) && typeof given["id"] === "string" ? (given as unknown as SessionTask) : undefined;
}

/** Key of counts: the task's id, or `meta` for the session as a whole. */
export function keyOf(task: { readonly id: string } | undefined): string {
  return task?.id ?? "meta";
}

export function textsOf(value: Json | undefined): readonly string[] {
  return isList(value) ? value.map(textOf) : [];
}

export function objectIn(held: JsonObject, key: string): JsonObject {
  return asObject(held[key]);
}

export function asObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** How often each role reported, with one more report of this one. */
export function withReport({ memory: { roles } }: MachineRun, role: string): MachineMemory["roles"] {
  return { ...roles, [role]: (roles[role] ?? 0) + 1 };
}
