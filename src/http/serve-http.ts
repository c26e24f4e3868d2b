import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
  type NodeIncomingMessageLike,
  type NodeMcpRequestHandler,
} from "@modelcontextprotocol/node";
import { isWaymarkError, type WaymarkError } from "../base/index.ts";
import { createMcpEndpoint, type McpServerOptions } from "../mcp/index.ts";
import { removeAddress, writeAddress, type Address } from "./address-file.ts";
import { cannotListen, noToken, unexpected } from "./codes.ts";
import { answerPeople, type Bearer } from "./people-api.ts";
import { sameSecret } from "./same-secret.ts";

export interface HttpOptions extends Omit<McpServerOptions, "caller" | "track"> {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** A loopback address; 127.0.0.1 if not given. */
  readonly host?: string;
  /** Where the file with the address and the tokens is written: a folder of the user, never of the workspace. */
  readonly folder: string;
  /** Random ones if not given. */
  readonly agentToken?: string;
  readonly personToken?: string;
}

export interface HttpService {
  readonly url: string;
  /** The file with address and tokens; gone after `close`. */
  readonly file: string;
  close(): Promise<void>;
}

/**
 * Serves agents (`/mcp`) and people (`/api`) on this computer. Every request needs a token, a Host and an Origin of this computer.
 * Throws `HTTP_LISTEN`, `HTTP_ADDRESS_FILE` or `MCP_UNKNOWN_TOOLSET`; then nothing is left open.
 */
export async function serveHttp(options: HttpOptions): Promise<HttpService> {
  const { context, host = "127.0.0.1", port = 0 } = options;
  const tokens = { agent: options.agentToken ?? newToken(), person: options.personToken ?? newToken() };
  const endpoint = createMcpEndpoint(options);
  const mcp = toNodeHandler(endpoint, { onerror: (error) => context.host.log("warn", "An MCP request failed.", { error: error.message }) });
  const isLocal = guards();
  const server = createServer((request, response) => {
    if (!isLocal(request, response)) return;
    void route({ options, tokens, mcp }, request, response);
  });
  await listen(server, host, port).catch(async (cause: Error) => {
    await endpoint.close();
    throw cannotListen(host, port, cause);
  });
  const url = addressOf(server, host);
  const address: Address = {
    url,
    mcp_url: `${url}/mcp`,
    pid: process.pid,
    workspace: context.host.workspace,
    agent_token: tokens.agent,
    person_token: tokens.person,
  };
  const file = join(options.folder, `waymark-${new URL(url).port}.json`);
  const stop = async (): Promise<void> => {
    const stopped = new Promise<void>((resolve) => server.close(() => resolve()));
    // Cut connections cancel the calls behind them; what a call had begun to record is finished before the endpoint is closed.
    server.closeAllConnections();
    await endpoint.close();
    await stopped;
  };
  await writeAddress(file, address).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { url, file, close: async () => void (await Promise.all([removeAddress(file, address), stop()])) };
}

function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** Answers 403 by itself and says so when a page of another site, or a name that was pointed here, is behind the request. */
function guards(): (request: IncomingMessage, response: ServerResponse) => boolean {
  const [hostIsLocal, originIsLocal] = [localhostHostValidation(), localhostOriginValidation()];
  return (request, response) => hostIsLocal(request, response) && originIsLocal(request, response);
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function addressOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

interface Routes {
  readonly options: HttpOptions;
  readonly tokens: { readonly agent: string; readonly person: string };
  readonly mcp: NodeMcpRequestHandler;
}

async function route({ options, tokens, mcp }: Routes, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const bearer = bearerOf(request, tokens);
    if (bearer === undefined) throw noToken();
    const path = (request.url ?? "/").split("?")[0];
    // Node sets method and url on every request it hands out; its types leave that open.
    if (path === "/mcp") return await mcp(request as NodeIncomingMessageLike, response);
    sendJson(response, 200, await answerPeople(options.context, request, bearer));
  } catch (error) {
    if (!isWaymarkError(error)) options.context.host.log("error", "An HTTP request failed unexpectedly.", { error: String(error) });
    sendProblem(response, isWaymarkError(error) ? error : unexpected(error));
  }
}

function bearerOf(request: IncomingMessage, tokens: Routes["tokens"]): Bearer | undefined {
  const [, given = ""] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "") ?? [];
  // Both are compared, so that the time says nothing about which one was tried.
  const [isAgent, isPerson] = [sameSecret(given, tokens.agent), sameSecret(given, tokens.person)];
  return isPerson ? "person" : isAgent ? "agent" : undefined;
}

function sendJson(response: ServerResponse, status: number, body: unknown, type = "application/json"): void {
  response.writeHead(status, { "content-type": type, "cache-control": "no-store" });
  response.end(`${JSON.stringify(body)}\n`);
}

/** Problem details: the code is permanent, `detail` and `fix` are for people. */
function sendProblem(response: ServerResponse, error: WaymarkError): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const status = statusOf(error.code);
  if (status === 401) response.setHeader("www-authenticate", 'Bearer realm="waymark"');
  if (typeof error.details["allowed"] === "string") response.setHeader("allow", error.details["allowed"]);
  // Whatever of the body was not read is not worth reading.
  response.setHeader("connection", "close");
  sendJson(
    response,
    status,
    {
      type: "about:blank",
      title: error.code,
      status,
      code: error.code,
      detail: error.message,
      ...(error.fix === undefined ? {} : { fix: error.fix }),
    },
    "application/problem+json",
  );
}

const statuses: Readonly<Record<string, number>> = {
  HTTP_NO_TOKEN: 401,
  HTTP_PERSON_TOKEN: 403,
  HTTP_NOT_FOUND: 404,
  HTTP_METHOD: 405,
  HTTP_BODY: 400,
  HTTP_UNEXPECTED: 500,
  ENGINE_NO_RUN: 404,
  ENGINE_NO_DECISION: 404,
  DECISION_CLOSED: 409,
  DECISION_REVISED: 409,
  ANSWER_REFUSED: 422,
};

function statusOf(code: string): number {
  return statuses[code] ?? (code.startsWith("STORE_") ? 503 : 400);
}
