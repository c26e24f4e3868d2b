/** MCP clients of both protocol eras for tests: in this process over memory or the HTTP endpoint, or against a child over stdio. */
import { Client, InMemoryTransport, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { JsonObject } from "../../src/base/index.ts";
import { openTestEngine, type TestEngine } from "../support/test-engine.ts";
import { dialectTools } from "../support/all-dialects.ts";
import { explainPlan } from "../../src/dialects/steps/definition/index.ts";
import { createMcpEndpoint, createMcpServer, type McpServerOptions } from "../../src/mcp/index.ts";

export type Mode = "legacy" | "auto" | "modern";

/** What the user of the client does when asked; without it the client cannot ask. */
export type User = (
  message: string,
  schema: unknown,
) => { readonly action: "accept" | "decline" | "cancel"; readonly content?: Record<string, string> };

/** What every test server is made with unless a test says otherwise. */
export const serverParts: Pick<McpServerOptions, "toolsets" | "version" | "explainPlan" | "dialects"> = {
  toolsets: [],
  version: "0.0.0",
  explainPlan: async (program, inputs) => explainPlan(program, inputs) as unknown as JsonObject,
  dialects: dialectTools,
};

export interface TestClient {
  readonly client: Client;
  /** Calls a tool; both parts of the reply, and whether it is an error. */
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<ToolReply>;
  close(): Promise<void>;
}

export interface ToolReply {
  readonly text: string;
  // Replies are looked into freely by tests.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
  readonly isError: boolean;
  readonly raw: JsonObject;
}

export function makeClient(mode: Mode, user?: User): Client {
  const client = new Client(
    { name: "test-client", version: "1.2.3" },
    {
      capabilities: user === undefined ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode: mode === "modern" ? { pin: "2026-07-28" } : mode },
    },
  );
  if (user !== undefined) {
    client.setRequestHandler("elicitation/create", (request) => {
      const { message, requestedSchema } = request.params as { message: string; requestedSchema?: unknown };
      const { action, content } = user(message, requestedSchema);
      return { action, ...(content === undefined ? {} : { content }) };
    });
  }
  return client;
}

export async function connect(
  client: Client,
  transport: Transport,
  after: () => Promise<void> = async () => undefined,
): Promise<TestClient> {
  await client.connect(transport);
  return {
    client,
    call: async (name, args = {}) => {
      const raw = (await client.callTool({ name, arguments: args })) as unknown as JsonObject;
      const [first] = (raw["content"] ?? []) as readonly { readonly text?: string }[];
      return { text: first?.text ?? "", data: raw["structuredContent"], isError: raw["isError"] === true, raw };
    },
    close: async () => {
      await client.close();
      await after();
    },
  };
}

/** Legacy over memory; modern over the HTTP endpoint, without a socket. */
export async function openClient(
  options: Omit<McpServerOptions, "caller" | "track"> & Partial<Pick<McpServerOptions, "caller">>,
  mode: "legacy" | "modern" = "legacy",
  user?: User,
): Promise<TestClient> {
  const client = makeClient(mode, user);
  if (mode === "modern") {
    const endpoint = createMcpEndpoint(options);
    const fetch = (url: string | URL, init?: RequestInit) => endpoint.fetch(new Request(url, init));
    return connect(client, new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch }), () => endpoint.close());
  }
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  const session = options.context.host.uuid();
  const server = createMcpServer({
    caller: ({ name, version }) => ({
      holder: { kind: "agent", name: `${name}/${version}`, session },
      surface: "mcp-stdio",
      leaseOwner: session,
    }),
    ...options,
  });
  await server.connect(theirs);
  return connect(client, mine, async () => {
    await server.close();
    await options.context.holding.release(session);
  });
}

export interface McpWorld {
  readonly engine: TestEngine;
  client(options?: Partial<McpServerOptions>, mode?: "legacy" | "modern", user?: User): Promise<TestClient>;
  close(): Promise<void>;
}

/** A real engine with these workflows, all of them allowed, and as many clients as a test wants. */
export async function openWorld(
  workflows: Readonly<Record<string, string>>,
  settings: Parameters<typeof openTestEngine>[1] = {},
): Promise<McpWorld> {
  const files = Object.entries(workflows).map(([name, text]) => [
    `.waymark/workflows/${name.replaceAll(":", "__")}.yaml`,
    `name: ${name}\ndescription: For a test.\nversion: "1.0.0"\n${text}`,
  ]);
  const engine = await openTestEngine(Object.fromEntries(files), settings);
  for (const name of Object.keys(workflows)) await engine.allow(name);
  const clients: TestClient[] = [];
  return {
    engine,
    client: async (options = {}, mode = "legacy", user) => {
      const opened = await openClient({ context: engine.context, ...serverParts, ...options }, mode, user);
      clients.push(opened);
      return opened;
    },
    close: async () => {
      for (const client of clients) await client.close();
      await engine.close();
    },
  };
}

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
}

export async function spawnClient(
  command: Command,
  mode: Mode,
  user?: User,
): Promise<TestClient & { readonly stderr: () => string; readonly pid: number }> {
  const transport = new StdioClientTransport({ ...command, args: [...command.args], stderr: "pipe" });
  let stderr = "";
  transport.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const opened = await connect(makeClient(mode, user), transport);
  return { ...opened, stderr: () => stderr, pid: transport.pid ?? 0 };
}
