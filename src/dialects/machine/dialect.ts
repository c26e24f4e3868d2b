import type { DialectEntry } from "../dialect-entry.ts";
import { machineCommands } from "./commands/index.ts";

export const machine: DialectEntry = {
  name: "machine",
  definition: async () => (await import("./definition/index.ts")).machineDialect,
  codes: async () => (await import("./codes.ts")).machineCodes,
  runtime: async () => (await import("./run/index.ts")).machineRuntime,
  commands: machineCommands,
};
