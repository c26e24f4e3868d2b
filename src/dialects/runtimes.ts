import type { EngineParts } from "../engine/index.ts";
import { botsRuntime } from "./bots/run/index.ts";
import { checklistRuntime } from "./checklist/run/index.ts";
import { dialects } from "./load-workflow.ts";
import { machineRuntime } from "./machine/run/index.ts";

/** What each dialect teaches the engine. Steps need nothing but the core leaves. */
export const runtimes: EngineParts["runtimes"] = {
  checklist: checklistRuntime,
  bots: botsRuntime,
  machine: machineRuntime,
};

/** All dialects, as the engine takes them. */
export const engineDialects: Pick<EngineParts, "dialects" | "runtimes"> = { dialects: async () => dialects, runtimes };
