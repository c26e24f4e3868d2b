/** What chains of prompts add to the MCP server. */
export { promptsTools } from "./prompts-tools.ts";
