import { isList, isObject, own, textOf, type Json, type JsonObject } from "../../../base/index.ts";
import { refused, type At } from "../../../engine/index.ts";
import type { DecisionRecord, MachineDefinition, RepairCounts, SessionStatus, SessionTask } from "../definition/index.ts";

/** What a machine remembers beside the names its conditions can read, as it begins. Written by its effects alone. */
export const emptyMemory = {
  /** What the workspace was when the session began: session changes are compared with it. */
  base: { commit: null, dirty: {} } as { readonly commit: string | null; readonly dirty: Texts },
  decisions: [] as readonly DecisionRecord[],
  retry_counts: {} as Readonly<Record<string, RepairCounts>>,
  /** What the session's changes and failing commands were when the last round of a repair loop began, by `task/loop`. */
  rounds: {} as Texts,
  /** What the session's changes were when the role of that round reported. */
  mended: {} as Texts,
  /** How often each role reported successfully. */
  roles: {} as Readonly<Record<string, number>>,
  /** Security concerns of all reports about a task, by task. */
  concerns: {} as Readonly<Record<string, readonly string[]>>,
  /** Gates that were passed: the answer, and the content it is bound to, by path. */
  passed: {} as Readonly<Record<string, PassedGate>>,
  /** The gate that `settled_gate` is about. */
  gate: "" as string,
  tracking: null as Tracking | null,
  /** Commands a person allowed, word for word. */
  allowed: [] as readonly string[],
  /** Commands a person does not want run; their checks count as not met. */
  denied: [] as readonly string[],
  flags: null as Omit<NonNullable<SessionStatus["runtime_flags"]>, "kept"> | null,
  assumptions: [] as readonly string[],
  known_issues: [] as readonly string[],
  ci: "unknown" as SessionStatus["last_ci_result"],
  last_failed_step: null as string | null,
  /** Hashes of files as Waymark wrote them last, by name in the session's folder; any other content was written by someone else. */
  written: {} as Texts,
  /** Hashes of what an effect is about to write there, by name, of every try that was not recorded as done: a crash may leave any of them. */
  writing: {} as Readonly<Record<string, readonly string[]>>,
  /** Texts of such files that cannot be made again: the history of a gate, the report. */
  texts: {} as Texts,
  /** What someone else wrote into such a file, until a person has decided about it. */
  edits: {} as Texts,
  /** Hashes of artifacts that were taken over from their roles. */
  adopted: {} as Texts,
  blocker: null as SessionStatus["blocker"],
  /** Criteria, tasks, roles and commands that are not held against the session, each by a decision that names it. */
  waived: [] as readonly string[],
  /** Commands that a person lets fail; the criteria they prove are not waived by that. */
  accepted: [] as readonly string[],
  /** Criteria a person said are not met, by id; false once they are to be looked at again. */
  not_met: {} as Readonly<Record<string, boolean>>,
  /** Criteria whose manual checks a person confirmed. */
  confirmed: [] as readonly string[],
  /** Last outcome of every command, by command. */
  results: {} as Readonly<Record<string, CheckResult>>,
  /** Said by a person, for the next dispatch; kept until a dispatch with it has been reported. */
  guidance: [] as readonly string[],
  /** Files as they were when the open dispatch was prepared, by path. */
  before: {} as Texts,
  /** Plan file as it was taken over: its project part and the keys of others. */
  plan: null as JsonObject | null,
  /** The state a session had reached elsewhere: until it is entered, work that is there and valid is not done again. */
  brought: null as string | null,
  /** Keys of others in a status file that was brought along. */
  kept: {} as JsonObject,
  notes: [] as readonly Json[],
};
export type MachineMemory = Readonly<typeof emptyMemory>;

type Texts = Readonly<Record<string, string>>;

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

export function decodeMachine({ machine, lists }: JsonObject): MachineConfig {
  return { definition: machine as unknown as MachineDefinition, tasks: textIn(asObject(lists), "tasks") || "tasks" };
}

export function machineAt({
  handle,
  scope,
  definition: { definition, tasks },
}: Pick<At<MachineConfig>, "handle" | "scope" | "definition">): MachineRun {
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

/** A mode with conditions needs each of them confirmed; otherwise the run begins in the usual one and says why. */
export function chosenMode({ definition, inputs }: Pick<MachineRun, "definition" | "inputs">): {
  readonly mode: string;
  readonly why: readonly string[];
} {
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
