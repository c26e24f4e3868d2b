import type { Readable, Writable } from "node:stream";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Caller, EngineContext } from "../engine/index.ts";
import { briefStep, createMcpServer, type McpServerOptions } from "./create-mcp-server.ts";
import type { StrandScope } from "./strand-scope.ts";
import { toolsOf } from "./tool-registry.ts";

interface StdioOptions extends Omit<McpServerOptions, "caller" | "track"> {
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
  toolsOf(options.dialects, options.toolsets);
  const gone = goneAway(stdin, stdout, signal);
  const handle = serveStdio(() => createMcpServer({ ...options, ...connection }), {
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

interface McpEndpoint {
  fetch(request: Request): Promise<Response>;
  /** Ends open streams, waits for calls under way and gives back what HTTP clients held. */
  close(): Promise<void>;
}

/**
 * The protocol over HTTP requests, without any check of who asks: that is the listener's duty. The protocol has no sessions there, so
 * all clients of one name are one holder; another name gets what is free. Throws `MCP_UNKNOWN_TOOLSET`.
 */
export function createMcpEndpoint(options: Omit<McpServerOptions, "caller" | "track">): McpEndpoint {
  const { context } = options;
  const connection = createConnection(context, "mcp-http");
  toolsOf(options.dialects, options.toolsets);
  const handler = createMcpHandler(() => createMcpServer({ ...options, ...connection }), {
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

interface StrandOptions extends Omit<McpServerOptions, "caller" | "track" | "toolsets"> {
  /** Who drives the agent: what the agent reports, its driver has reported. */
  readonly caller: Caller;
  readonly scope: StrandScope;
}

/** The protocol for one driven agent, limited to its step. What its driver holds stays held when it is closed. */
export function createStrandEndpoint({ caller, ...options }: StrandOptions): McpEndpoint & { brief(): Promise<string> } {
  const { context } = options;
  const working = new Set<Promise<unknown>>();
  const served: McpServerOptions = {
    ...options,
    toolsets: [],
    caller: () => caller,
    track: (work) => {
      working.add(work);
      void work.finally(() => working.delete(work));
    },
  };
  const handler = createMcpHandler(() => createMcpServer(served), {
    onerror: (error) => context.host.log("debug", "An MCP request of a driven agent was refused.", { error: error.message }),
  });
  return {
    fetch: (request) => handler.fetch(request),
    brief: () => briefStep(served, options.scope),
    close: async () => {
      await handler.close();
      await Promise.allSettled(working);
    },
  };
}

/** One client, or all of an HTTP endpoint: their identity towards the engine, the calls they have under way, and what they hold. */
interface Connection extends Required<Pick<McpServerOptions, "caller" | "track">> {
  /** Waits for the calls under way, then gives back what the clients held. */
  close(): Promise<void>;
}

let connections = 0;

/**
 * The session of a connection is unique in the store, so that two windows of one client are two holders. Each name has leases of its own:
 * a client that calls keeps no other one alive.
 */
function createConnection(context: EngineContext, surface: "mcp-stdio" | "mcp-http"): Connection {
  connections += 1;
  const session = `${context.host.processId}-${connections}`;
  const working = new Set<Promise<unknown>>();
  const owners = new Set<string>();
  let holds = false;
  return {
    caller: ({ name, version }) => {
      const holder = {
        kind: "agent" as const,
        name: version === "" ? name : `${name}/${version}`,
        session,
        computer: context.host.computer,
      };
      const leaseOwner = `${session}-${context.host.sha256(holder.name).slice(0, 8)}`;
      owners.add(leaseOwner);
      return { holder, surface, leaseOwner };
    },
    track: (work, mayHold) => {
      holds ||= mayHold;
      working.add(work);
      void work.finally(() => working.delete(work));
    },
    close: async () => {
      await Promise.allSettled(working);
      // A client that only looked leaves a workspace without a store as it was.
      if (holds) for (const owner of owners) await context.holding.release(owner);
    },
  };
}
