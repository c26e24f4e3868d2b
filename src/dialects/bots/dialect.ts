import type { DialectEntry } from "../dialect-entry.ts";
import { botsCommands } from "./commands/index.ts";

export const bots: DialectEntry = {
  name: "bots",
  definition: async () => (await import("./definition/index.ts")).botsDialect,
  codes: async () => (await import("./codes.ts")).botsCodes,
  runtime: async () => (await import("./run/index.ts")).botsRuntime,
  tools: async () => (await import("./tools/index.ts")).botTools,
  commands: botsCommands,
};
