import { createMcpHandler } from "@modelcontextprotocol/server";
import { createConnection } from "./connection.ts";
import { createMcpServer, type McpServerOptions } from "./create-mcp-server.ts";
import { toolsOf } from "./tool-registry.ts";

export interface McpEndpoint {
  fetch(request: Request): Promise<Response>;
  /** Ends open streams, waits for calls under way and gives back what HTTP clients held. */
  close(): Promise<void>;
}

/**
 * The protocol over HTTP requests, without any check of who asks: that is the listener's duty. The protocol has no sessions there, so
 * all clients of one name are one holder; another name takes over by resuming. Throws `MCP_UNKNOWN_TOOLSET`.
 */
export function createMcpEndpoint(options: Omit<McpServerOptions, "caller" | "track">): McpEndpoint {
  const { context } = options;
  const connection = createConnection(context, "mcp-http");
  const make = (): ReturnType<typeof createMcpServer> =>
    createMcpServer({ ...options, caller: connection.caller, track: connection.track });
  toolsOf(options.dialects, options.toolsets, options.readonly === true);
  const handler = createMcpHandler(make, {
    onerror: (error) => context.host.log("debug", "An MCP request was refused.", { error: error.message }),
  });
  return {
    fetch: (request) => handler.fetch(request),
    close: async () => {
      await handler.close();
      await connection.close();
    },
  };
}
