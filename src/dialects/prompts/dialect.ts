import type { DialectEntry } from "../dialect-entry.ts";
import { promptsCommands } from "./commands/index.ts";

export const prompts: DialectEntry = {
  name: "prompts",
  definition: async () => (await import("./definition/index.ts")).promptsDialect,
  codes: async () => (await import("./codes.ts")).promptsCodes,
  runtime: async () => (await import("./run/index.ts")).promptsRuntime,
  log: async () => (await import("./run/index.ts")).logOf,
  tools: async () => (await import("./tools/index.ts")).promptsTools,
  commands: promptsCommands,
};
