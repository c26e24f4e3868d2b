/**
 * The engine for agents, over the Model Context Protocol: tools, prompts and resources for both protocol eras, on stdio or behind
 * an HTTP listener. Translates calls into engine commands and positions into replies; decides nothing, keeps nothing, writes nothing
 * to standard output by itself. Begin with `create-mcp-server.ts`, then one file of `tools/`. What a dialect adds comes in by
 * `DialectTools` of `tool.ts`; the lower half of this list is what dialects make their tools and replies from.
 */
export { badArgument, mcpCodes, notAnswered, unknownArgument, withDetails } from "./codes.ts";
export { type McpServerOptions, createMcpServer } from "./create-mcp-server.ts";
export { againFor, openAction, pageReply } from "./page-reply.ts";
export { keysOf } from "./page-value.ts";
export { around, askHint, dialectAt, nothingAround, standingReply } from "./position-reply.ts";
export { joinLines, plainText } from "./reply-text.ts";
export { asManyAsFit, followingRun, isDrivenElsewhere, listReply, nextLines } from "./reply.ts";
export { createMcpEndpoint, createStrandEndpoint, serveStdioMcp } from "./serve-clients.ts";
export type { StrandScope } from "./strand-scope.ts";
export { allTools, describeTool, toolsets } from "./tool-registry.ts";
export { askTool } from "./tools/ask-tool.ts";
export {
  type ArgumentShape,
  type Arguments,
  type DialectTools,
  type ExplainPlan,
  type NextCall,
  type ReplyPart,
  type Reply,
  type Surrounding,
  type Tool,
  type ToolCall,
  type ToolPart,
  type ToolResult,
  anyObject,
  defineTool,
  runId,
} from "./tool.ts";
export { asWorker, nextForWorker, startRequest, startedReply, timeOf } from "./tools/drive-tools.ts";
export { aroundOpened, finalReply } from "./tools/run-tools.ts";
export { overviewOf, runStatus } from "./tools/status-tool.ts";
