import { isObject, type Json, type JsonObject } from "../../../base/index.ts";
import type { MachineDefinition, SessionTask } from "../definition/index.ts";
import { mainScope } from "../../../kernel/index.ts";
import type { RunHandle, At } from "../../../engine/index.ts";
import { emptyMemory, type MachineMemory } from "./machine-memory.ts";

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
  /** The state in hand as status files show it. */
  readonly state: string;
}

/** What lowering keeps of a machine in its part. */
export type MachineConfig = Pick<MachineRun, "definition" | "tasks">;

type Of = Pick<RunHandle, "program" | "state">;

export function decodeMachine({ machine, lists }: JsonObject): MachineConfig {
  return { definition: machine as unknown as MachineDefinition, tasks: textIn(isObject(lists) ? lists : {}, "tasks") || "tasks" };
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
  const memory = isObject(raw["machine"]) ? (raw["machine"] as unknown as Partial<MachineMemory>) : {};
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
