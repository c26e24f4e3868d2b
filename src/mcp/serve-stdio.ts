import type { Readable, Writable } from "node:stream";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { createConnection } from "./connection.ts";
import { createMcpServer, type McpServerOptions } from "./create-mcp-server.ts";
import { toolsOf } from "./tool-registry.ts";

export interface StdioOptions extends Omit<McpServerOptions, "caller" | "track"> {
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  /** Ends the service, for example when the process is asked to stop. */
  readonly signal?: AbortSignal;
}

/**
 * Serves one client over standard input and output. Resolves when the client has gone, every call that was under way has ended and
 * what the client held is given back; the process can then exit. Nothing else may write to standard output.
 */
export async function serveStdioMcp(options: StdioOptions): Promise<void> {
  const { stdin = process.stdin, stdout = process.stdout, context, signal } = options;
  const connection = createConnection(context, "mcp-stdio");
  // A wrong toolset is refused before the first message, not in the middle of the handshake.
  toolsOf(options.dialects, options.toolsets, options.readonly === true);
  const gone = goneAway(stdin, stdout, signal);
  const handle = serveStdio(() => createMcpServer({ ...options, caller: connection.caller, track: connection.track }), {
    transport: new StdioServerTransport(stdin, stdout),
    onerror: (error) => context.host.log("debug", "The MCP connection reports a problem.", { error: error.message }),
  });
  await gone;
  await handle.close();
  await connection.close();
}

function goneAway(stdin: Readable, stdout: Writable, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => resolve();
    if (stdin.readableEnded || stdin.destroyed || signal?.aborted === true) return done();
    stdin.once("end", done);
    stdin.once("close", done);
    stdout.once("error", done);
    stdout.once("close", done);
    signal?.addEventListener("abort", done, { once: true });
  });
}
