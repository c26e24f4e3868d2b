/**
 * A small MCP server over standard input and output with the tools that the examples call. It works on the folder it is started in.
 * Waymark starts it by itself: see `mcp_servers` in an example's `.waymark/config.yaml`.
 */
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";
import { toolsFor } from "./tools.mjs";

serveStdio(() => {
  const server = new McpServer({ name: "example-tools", version: "1.0.0" });
  for (const [name, { description, shape, reads, run }] of Object.entries(toolsFor(process.cwd()))) {
    server.registerTool(name, { description, inputSchema: z.object(shape), annotations: { readOnlyHint: reads } }, async (args) => {
      try {
        return { content: [{ type: "text", text: JSON.stringify(await run(args)) }] };
      } catch (error) {
        return { isError: true, content: [{ type: "text", text: error instanceof Error ? error.message : String(error) }] };
      }
    });
  }
  return server;
});
