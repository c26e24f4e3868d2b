import { botsRuntime } from "./bots/runtime.ts";
import { checklistRuntime } from "./checklist/runtime.ts";
import { machineRuntime } from "./machine/runtime.ts";
import type { Runtime } from "./runtime.ts";

/** What each dialect teaches the engine. Steps need nothing but the core leaves. */
export const runtimes: Readonly<Record<string, Runtime<unknown>>> = {
  checklist: checklistRuntime,
  bots: botsRuntime,
  machine: machineRuntime,
};
