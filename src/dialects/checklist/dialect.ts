import type { DialectEntry } from "../dialect-entry.ts";
import { checklistCommands } from "./commands/index.ts";

export const checklist: DialectEntry = {
  name: "checklist",
  definition: async () => (await import("./definition/index.ts")).checklistDialect,
  codes: async () => (await import("./codes.ts")).checklistCodes,
  runtime: async () => (await import("./run/index.ts")).checklistRuntime,
  tools: async () => (await import("./tools/index.ts")).checklistTools,
  commands: checklistCommands,
};
