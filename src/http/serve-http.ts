import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
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
import { placeFile } from "../disk/index.ts";
import { createMcpEndpoint, type McpServerOptions } from "../mcp/index.ts";
import { answerPeople, type Bearer } from "./people-api.ts";
import { readFile, rm, writeFile } from "node:fs/promises";
import { failed, messageOf } from "./codes.ts";
import { sendJson, sendProblem } from "./send-reply.ts";

export interface HttpOptions extends Omit<McpServerOptions, "caller" | "track"> {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** Where the file with the address and the tokens is written: a folder of the user, never of the workspace. */
  readonly folder: string;
}

export interface HttpService {
  readonly url: string;
  /** The file with address and tokens; removed by `close`. */
  readonly file: string;
  close(): Promise<void>;
}

const host = "127.0.0.1";

/**
 * Serves agents (`/mcp`) and people (`/api`) on this computer. Every request needs a token, a Host and an Origin of this computer.
 * Throws `HTTP_LISTEN`, `HTTP_ADDRESS_FILE` or `MCP_UNKNOWN_TOOLSET`; then nothing is left open.
 */
export async function serveHttp(options: HttpOptions): Promise<HttpService> {
  const { context, port = 0 } = options;
  const tokens = { agent: newToken(), person: newToken() };
  const endpoint = createMcpEndpoint(options);
  const mcp = toNodeHandler(endpoint, { onerror: (error) => context.host.log("warn", "An MCP request failed.", { error: error.message }) });
  // They answer 403 by themselves when a page of another site, or a name that was pointed here, is behind the request.
  const [hostIsLocal, originIsLocal] = [localhostHostValidation(), localhostOriginValidation()];
  const server = createServer((request, response) => {
    if (hostIsLocal(request, response) && originIsLocal(request, response)) void route({ options, tokens, mcp }, request, response);
  });
  await listen(server, port).catch(async (cause: unknown) => {
    await endpoint.close();
    throw failed("HTTP_LISTEN", { message: `The server could not listen on ${host}:${port}: ${messageOf(cause)}.`, cause });
  });
  const url = `http://${host}:${(server.address() as AddressInfo).port}`;
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
    await Promise.allSettled([removeAddress(file, address), stop()]);
    throw error;
  });
  return { url, file, close: async () => void (await Promise.all([removeAddress(file, address), stop()])) };
}

function newToken(): string {
  return randomBytes(32).toString("base64url");
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, host);
  await once(server, "listening");
}

interface Routes {
  readonly options: HttpOptions;
  readonly tokens: { readonly agent: string; readonly person: string };
  readonly mcp: NodeMcpRequestHandler;
}

async function route({ options, tokens, mcp }: Routes, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const bearer = bearerOf(request, tokens);
    if (bearer === undefined) throw failed("HTTP_NO_TOKEN");
    const path = (request.url ?? "/").split("?")[0];
    // Node sets method and url on every request it hands out; its types leave that open.
    if (path === "/mcp") return await mcp(request as NodeIncomingMessageLike, response);
    sendJson(response, 200, await answerPeople(options.context, request, bearer));
  } catch (error) {
    sendProblem(response, error, (cause) =>
      options.context.host.log("error", "An HTTP request failed unexpectedly.", { error: String(cause) }),
    );
  }
}

function bearerOf(request: IncomingMessage, tokens: Routes["tokens"]): Bearer | undefined {
  const [, given = ""] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "") ?? [];
  // Both are compared, so that the time says nothing about which one was tried.
  const [isAgent, isPerson] = [sameSecret(given, tokens.agent), sameSecret(given, tokens.person)];
  return isPerson ? "person" : isAgent ? "agent" : undefined;
}

/** Whether two secrets are equal, in a time that does not depend on where they differ. */
function sameSecret(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** What the server's user needs to reach it; only they can read the file. */
interface Address {
  readonly url: string;
  readonly mcp_url: string;
  readonly pid: number;
  readonly workspace: string;
  /** For agents: the protocol, and reading. */
  readonly agent_token: string;
  /** For people: their answers count as a person's. Never give it to an agent. */
  readonly person_token: string;
}

async function writeAddress(file: string, address: Address): Promise<void> {
  const text = `${JSON.stringify(address, null, 2)}\n`;
  try {
    await placeFile(file, (beside) => writeFile(beside, text, { flag: "wx", mode: 0o600, flush: true }), 0o700);
  } catch (cause) {
    const message = `\`${file}\` could not be written: ${messageOf(cause)}. The server was not started.`;
    throw failed("HTTP_ADDRESS_FILE", { message, cause });
  }
}

/** Removes the file unless another server has taken its place. */
async function removeAddress(file: string, address: Address): Promise<void> {
  try {
    const held = JSON.parse(await readFile(file, "utf8")) as Partial<Address>;
    if (held.agent_token === address.agent_token) await rm(file, { force: true });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") await rm(file, { force: true });
  }
}
