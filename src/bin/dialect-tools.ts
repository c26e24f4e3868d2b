import { botTools } from "../mcp/bots/index.ts";
import { checklistTools } from "../mcp/checklist/index.ts";
import type { DialectTools } from "../mcp/index.ts";

/** What each dialect adds to the MCP server; loaded when one is started. */
export const dialectTools: readonly DialectTools[] = [checklistTools, botTools];
