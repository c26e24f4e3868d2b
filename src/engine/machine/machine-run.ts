import { isObject, type Json, type JsonObject } from "../../base/index.ts";
import type { MachineDefinition, SessionTask } from "../../dialects/index.ts";
import { mainScope } from "../../kernel/index.ts";
import type { RunHandle } from "../run-cache.ts";
import { emptyMemory, type MachineMemory } from "./machine-memory.ts";

/** A run of a machine as effects and commands see it. */
export interface MachineRun {
  readonly definition: MachineDefinition;
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

/** The worklist of tasks; named here as well, since this file is loaded by every process. */
export const taskList = "tasks";

/** undefined when the scope belongs to another dialect. */
export function machineOf({ program, state }: Pick<RunHandle, "program" | "state">, scopeId: string = mainScope): MachineRun | undefined {
  const scope = state.scopes[scopeId];
  const definition = program.parts[scope?.part ?? program.main]?.config["machine"] as unknown as MachineDefinition | undefined;
  if (scope === undefined || definition === undefined) return undefined;
  const { raw, inputs } = scope;
  const memory = isObject(raw["machine"]) ? (raw["machine"] as unknown as Partial<MachineMemory>) : {};
  const session = textIn(raw, "session");
  return {
    definition,
    scope: scopeId,
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

/** Names that only the machine itself reads: neither agents nor people have use for them. */
const machinery: ReadonlySet<string> = new Set([
  "start",
  "dispatch",
  "output",
  "answer",
  "question",
  "checks",
  "repair",
  "finished",
  "settled_gate",
  "correction",
  "gate_note",
  "machine",
]);

/** The state of a run without what its machine keeps for itself. */
export function withoutMachinery(handle: Pick<RunHandle, "program" | "state">, flat: JsonObject): JsonObject {
  if (machineOf(handle) === undefined) return flat;
  return Object.fromEntries(Object.entries(flat).filter(([name]) => !machinery.has(name)));
}
