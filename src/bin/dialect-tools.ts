import { botTools } from "../dialects/bots/tools/index.ts";
import { checklistTools } from "../dialects/checklist/tools/index.ts";
import type { DialectTools } from "../mcp/index.ts";

/** What each dialect adds to the MCP server; loaded when one is started. */
export const dialectTools: readonly DialectTools[] = [
  { ...checklistTools, codes: async () => (await import("../dialects/checklist/codes.ts")).checklistCodes },
  { ...botTools, codes: async () => (await import("../dialects/bots/codes.ts")).botsCodes },
  { dialect: "machine", codes: async () => (await import("../dialects/machine/codes.ts")).machineCodes },
];
