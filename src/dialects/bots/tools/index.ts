/** Bots over MCP: the tools that are made from their folders, and how they close actions. Begin with `bot-tools.ts`. */
export { botTools } from "./bot-tools.ts";
