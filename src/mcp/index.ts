/**
 * The engine for agents, over the Model Context Protocol: tools, prompts and resources for both protocol eras, on stdio or behind
 * an HTTP listener. Translates calls into engine commands and positions into replies; decides nothing, keeps nothing, writes nothing
 * to standard output by itself. Begin with `create-mcp-server.ts`, then one file of `tools/`.
 */
export { mcpCodes } from "./codes.ts";
export { type McpServerOptions, createMcpServer } from "./create-mcp-server.ts";
export { createMcpEndpoint } from "./http-endpoint.ts";
export { serveStdioMcp } from "./serve-stdio.ts";
export { allTools, describeTool, toolsets } from "./tool-registry.ts";
export type { ExplainPlan } from "./tool.ts";
export { overviewOf, runStatus } from "./tools/look-tools.ts";
