import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
  type NodeIncomingMessageLike,
} from "@modelcontextprotocol/node";
import type { Caller } from "../engine/index.ts";
import { createStrandEndpoint, type McpServerOptions, type StrandScope } from "../mcp/index.ts";
import type { StrandAddress } from "./bridge-to-strand.ts";
import { failed, messageOf } from "./codes.ts";

export interface StrandServerOptions extends Omit<McpServerOptions, "caller" | "track" | "toolsets" | "scope"> {
  /** Where the address of the step that is being driven is kept for what its agent starts; only this user can read it. */
  readonly file?: string;
}

/** What one driven agent is given: where it reports, and the token that is good for its step alone. */
export interface StrandDoor {
  readonly url: string;
  readonly token: string;
  /** The step in the words of the tool that shows it. */
  brief(): Promise<string>;
  /** From now on the token is refused. Waits for calls under way. `session`: the conversation that was given it. */
  close(session?: string): Promise<void>;
}

/** Serves driven agents on this computer, each with a token for the open step of one strand. */
export interface StrandServer {
  /** A step that continues a conversation gets the token of its last step: its agent may have no way to take another. */
  open(caller: Caller, scope: StrandScope, continues: string | undefined): StrandDoor;
  /** The same, for one of several workers: the addresses of its steps are kept in a file of its own. */
  keptIn(file: string): Pick<StrandServer, "open">;
  close(): Promise<void>;
}

const host = "127.0.0.1";

interface Served {
  readonly handle: (request: NodeIncomingMessageLike, response: ServerResponse) => Promise<void>;
}

/** Throws `HTTP_LISTEN`. */
export async function serveStrands(options: StrandServerOptions): Promise<StrandServer> {
  const { context } = options;
  /** By the hash of their token: looking one up says nothing about the others by the time it takes. */
  const served = new Map<string, Served>();
  /** By conversation: the token of its last step. */
  const tokens = new Map<string, string>();
  const [hostIsLocal, originIsLocal] = [localhostHostValidation(), localhostOriginValidation()];
  const server = createServer((request, response) => {
    if (hostIsLocal(request, response) && originIsLocal(request, response)) void route(served, request, response);
  });
  server.listen(0, host);
  await once(server, "listening").catch((cause: unknown) => {
    throw failed("HTTP_LISTEN", { message: `The server for driven agents could not listen on ${host}: ${messageOf(cause)}.`, cause });
  });
  // An agent that forgot to end must not keep this process alive.
  server.unref();
  const url = `http://${host}:${(server.address() as AddressInfo).port}/mcp`;
  /** Files that may have an address in them. */
  const files = new Set<string>();
  const openIn =
    (file: string | undefined): StrandServer["open"] =>
    (caller, scope, continues) => {
      const kept = continues === undefined ? undefined : tokens.get(continues);
      // Two steps at once are two doors, whatever conversation they continue.
      const token = kept === undefined || served.has(hashOf(kept)) ? randomBytes(32).toString("base64url") : kept;
      const endpoint = createStrandEndpoint({ ...options, caller, scope });
      const onerror = (error: Error): void => context.host.log("debug", "A request of a driven agent failed.", { error: error.message });
      const handle = toNodeHandler(endpoint, { onerror });
      served.set(hashOf(token), { handle: (request, response) => handle(request, response) });
      if (file !== undefined) files.add(file);
      keepAddress(file, { url, token });
      return {
        url,
        token,
        brief: () => endpoint.brief(),
        close: async (session) => {
          if (session !== undefined) tokens.set(session, token);
          served.delete(hashOf(token));
          forgetAddress(file);
          await endpoint.close();
        },
      };
    };
  return {
    open: openIn(options.file),
    keptIn: (file) => ({ open: openIn(file) }),
    close: async () => {
      served.clear();
      for (const file of files) forgetAddress(file);
      const stopped = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await stopped;
    },
  };
}

function keepAddress(file: string | undefined, address: StrandAddress): void {
  if (file === undefined) return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  rmSync(file, { force: true });
  writeFileSync(file, `${JSON.stringify(address)}\n`, { mode: 0o600, flag: "wx" });
}

function forgetAddress(file: string | undefined): void {
  if (file !== undefined) rmSync(file, { force: true });
}

async function route(served: ReadonlyMap<string, Served>, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, given = ""] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "") ?? [];
  const found = served.get(hashOf(given));
  if (found === undefined) return refuse(response, 401);
  if ((request.url ?? "/").split("?")[0] !== "/mcp") return refuse(response, 404);
  // Node sets method and url on every request it hands out; its types leave that open.
  await found.handle(request as NodeIncomingMessageLike, response);
}

function refuse(response: ServerResponse, status: 401 | 404): void {
  const detail = status === 401 ? "This token is not good for any step that is being driven now." : "Only /mcp is served here.";
  response.writeHead(status, { "content-type": "application/problem+json", connection: "close" });
  response.end(`${JSON.stringify({ type: "about:blank", title: status === 401 ? "HTTP_NO_TOKEN" : "HTTP_NOT_FOUND", status, detail })}\n`);
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("base64");
}
