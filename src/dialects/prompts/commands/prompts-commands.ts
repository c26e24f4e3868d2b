import type { DialectCommands } from "../../../cli/index.ts";

export const promptsCommands: DialectCommands = {
  dialect: "prompts",
  schema: true,
  share: async () => (await import("./prompts-share.ts")).promptsShare,
};
