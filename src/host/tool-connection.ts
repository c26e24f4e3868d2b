import { resolve } from "node:path";
import type { CallToolResult, Client, Tool } from "@modelcontextprotocol/client";
import type { JsonObject } from "../base/index.ts";
import type { GroupRecords } from "./group-records.ts";
import type { ServerConfig } from "./settings.ts";
import { NotSent, StdioTransport } from "./stdio-transport.ts";
import { childEnvironment, type Environment } from "./user-folders.ts";

export interface ConnectionOptions {
  readonly server: ServerConfig;
  readonly workspace: string;
  readonly env: Environment;
  readonly groups: GroupRecords;
  /** Ends an attempt that is under way. */
  readonly stop: AbortSignal;
}

export interface CallLimits {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** How long a server may take to start and to list its tools. */
const connectMs = 30_000;
const modernRevision = "2026-07-28";

/**
 * How a call ended. `late`: no answer in time. `lost`: the connection is gone; `performed` says whether the call may have
 * taken effect.
 */
export type CallEnd =
  | { readonly kind: "answer"; readonly result: CallToolResult }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "late" }
  | { readonly kind: "lost"; readonly performed: "no" | "unknown" };

/** One live connection to a tool server, with the tools it offered when it was made. */
export class ToolConnection {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly #client: Client;
  alive = true;

  constructor(client: Client, tools: readonly Tool[]) {
    this.#client = client;
    this.tools = new Map(tools.map((tool) => [tool.name, tool]));
    client.onclose = () => {
      this.alive = false;
    };
  }

  /** Never rejects. */
  async call(name: string, params: JsonObject, limits: CallLimits): Promise<CallEnd> {
    const options = { timeout: limits.timeoutMs, ...(limits.signal === undefined ? {} : { signal: limits.signal }) };
    try {
      return { kind: "answer", result: await this.#client.callTool({ name, arguments: params }, options) };
    } catch (cause) {
      const end = endOf(cause);
      if (end.kind === "lost") await this.close();
      return end;
    }
  }

  async close(): Promise<void> {
    this.alive = false;
    await this.#client.close().catch(() => undefined);
  }
}

function endOf(cause: unknown): CallEnd {
  const {
    code,
    status,
    cause: deeper,
    message,
  } = cause as Partial<Record<"code" | "status" | "message", unknown>> & { cause?: { code?: unknown } };
  if (code === "REQUEST_TIMEOUT") return { kind: "late" };
  // A status of 4xx is a refusal before the tool: most often a server that was restarted and does not know this client any more.
  const notTaken = typeof status === "number" && status >= 400 && status < 500;
  if (cause instanceof NotSent || code === "NOT_CONNECTED" || notTaken || deeper?.code === "ECONNREFUSED")
    return { kind: "lost", performed: "no" };
  if (code === "CONNECTION_CLOSED" || typeof status === "number" || cause instanceof TypeError)
    return { kind: "lost", performed: "unknown" };
  return { kind: "refused", reason: typeof message === "string" ? message : String(cause) };
}

/** Starts or reaches the server; rejects with the reason in one sentence, and nothing is left running then. */
export async function openConnection(options: ConnectionOptions): Promise<ToolConnection> {
  try {
    return await connect(options, "legacy");
  } catch (cause) {
    // A server that speaks only the newest revision says so; every other refusal is final.
    if ((cause as { refusedProtocol?: unknown }).refusedProtocol !== true) throw cause;
    return await connect(options, { pin: modernRevision });
  }
}

async function connect(
  { server, workspace, env, groups, stop }: ConnectionOptions,
  mode: "legacy" | { pin: string },
): Promise<ToolConnection> {
  const sdk = await import("@modelcontextprotocol/client");
  const client = new sdk.Client({ name: "waymark", version: "1" }, { versionNegotiation: { mode } });
  const transport =
    "url" in server
      ? new sdk.StreamableHTTPClientTransport(new URL(server.url))
      : new StdioTransport({ ...server, env: childEnvironment(env, server.env), cwd: resolve(workspace, server.cwd ?? "") }, groups, sdk);
  try {
    await client.connect(transport, { timeout: connectMs, signal: stop });
    const { tools } = await client.listTools(undefined, { timeout: connectMs, signal: stop });
    return new ToolConnection(client, tools);
  } catch (cause) {
    const last = transport instanceof StdioTransport ? transport.lastError() : undefined;
    await client.close().catch(() => undefined);
    await transport.close().catch(() => undefined);
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = last === undefined ? reason : `${reason} (its last words: ${last})`;
    throw Object.assign(new Error(message, { cause }), { refusedProtocol: cause instanceof sdk.ProtocolError });
  }
}
