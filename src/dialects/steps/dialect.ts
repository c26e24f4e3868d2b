import type { DialectEntry } from "../dialect-entry.ts";
import { stepsCommands } from "./commands/index.ts";

export const steps: DialectEntry = {
  name: "steps",
  definition: async () => (await import("./definition/index.ts")).stepsDialect,
  codes: async () => (await import("./codes.ts")).stepsCodes,
  commands: stepsCommands,
};
