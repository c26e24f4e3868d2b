import type { DialectEntry } from "../dialect-entry.ts";

export const machine: DialectEntry = {
  name: "machine",
  definition: async () => (await import("./definition/index.ts")).machineDialect,
  codes: async () => (await import("./codes.ts")).machineCodes,
  runtime: async () => (await import("./run/index.ts")).machineRuntime,
  commands: async () => (await import("./commands/index.ts")).machineCommands,
};
