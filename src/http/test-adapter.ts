import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { localhostHostValidation } from "@modelcontextprotocol/node";
import type { JsonObject } from "../base/index.ts";
import type { Chat, Platform, Receive, StreamingMode } from "../chat/index.ts";
import { badBody, failed, messageOf } from "./codes.ts";
import { readBody } from "./read-body.ts";
import { sendJson, sendProblem } from "./send-reply.ts";
import { SentMessages } from "./sent-messages.ts";

export interface TestAdapterParts {
  /** 0 takes a free one. */
  readonly port: number;
  readonly receive: Receive;
  readonly concurrency: Chat["concurrency"];
  /** Rejects when the store cannot be read and written. */
  readonly check: () => Promise<void>;
  /** How long the answer may take; ten seconds if not given. */
  readonly checkMs?: number;
  readonly log: (text: string, error: unknown) => void;
}

export interface TestAdapter extends Platform {
  /** Where it listens; empty before `start`. */
  url(): string;
}

const host = "127.0.0.1";
/** Who writes there: nobody proves who they are, so they are all the same person. */
const person = "local";
const longestId = 200;
const usualCheckMs = 10_000;

/**
 * A platform for trying out a chat with `curl`: messages come by HTTP from this computer, and what is sent is kept to be read. It needs no
 * token, so web pages are refused, and the person `test:local` can never decide. `start` throws `HTTP_LISTEN`.
 */
export function createTestAdapter(parts: TestAdapterParts): TestAdapter {
  const sent = new SentMessages();
  let mode: StreamingMode = "stream";
  let url = "";
  const answers = routes({ ...parts, sent, setMode: (given) => void (mode = given) });
  // It answers 403 by itself when a name that was pointed here is behind the request.
  const hostIsLocal = localhostHostValidation();
  const server = createServer((request, response) => {
    if (hostIsLocal(request, response)) void answer(request, response);
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      refuseBrowsers(request);
      sendJson(response, 200, await answers(request));
    } catch (error) {
      sendProblem(response, error, (cause) => parts.log("A request to the test adapter failed unexpectedly.", cause));
    }
  }
  return {
    url: () => url,
    getPlatformType: () => "test",
    // What was sent is kept by this process alone.
    forgets: true,
    getStreamingMode: () => mode,
    send: async (conversation, text) => sent.keep(conversation, typeof text === "string" ? text : await whole(text)),
    ensureThread: (conversation) => Promise.resolve(conversation),
    start: async () => {
      server.listen(parts.port, host);
      await once(server, "listening").catch((cause: unknown) => {
        throw failed("HTTP_LISTEN", { message: `The test adapter could not listen on ${host}:${parts.port}: ${messageOf(cause)}.`, cause });
      });
      url = `http://${host}:${(server.address() as AddressInfo).port}`;
    },
    stop: async () => {
      const stopped = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await stopped;
    },
  };
}

/** Pages of other sites, of this computer and without a site: browsers name the page in one of these headers. */
function refuseBrowsers({ headers }: IncomingMessage): void {
  const site = headers["sec-fetch-site"];
  if (headers.origin !== undefined || (site !== undefined && site !== "none")) throw failed("HTTP_BROWSER");
}

interface Routes extends TestAdapterParts {
  readonly sent: SentMessages;
  readonly setMode: (mode: StreamingMode) => void;
}

function routes({
  receive,
  concurrency,
  check,
  checkMs = usualCheckMs,
  sent,
  setMode,
}: Routes): (request: IncomingMessage) => Promise<JsonObject> {
  return async (request) => {
    const path = (request.url ?? "/").split("?")[0] ?? "/";
    const [, id] = /^\/test\/messages\/([^/]+)$/.exec(path) ?? [];
    if (id !== undefined) {
      const method = requireMethod(request, "GET", "DELETE");
      const conversationId = decoded(id);
      if (method === "GET") return { conversationId, messages: sent.of(conversationId) };
      sent.forget(conversationId);
      return { success: true, conversationId };
    }
    switch (path) {
      case "/test/message":
        requireMethod(request, "POST");
        return takeMessage(receive, await readBody(request, "HTTP_TOO_LONG"));
      case "/test/mode": {
        requireMethod(request, "PUT");
        const { mode } = await readBody(request);
        if (mode !== "stream" && mode !== "batch") throw badBody('has neither "stream" nor "batch" under `mode`');
        setMode(mode);
        return { success: true, mode };
      }
      case "/health":
        requireMethod(request, "GET");
        return { status: "ok" };
      case "/health/db":
        requireMethod(request, "GET");
        await answered(check(), checkMs);
        return { status: "ok", database: "connected" };
      case "/health/concurrency": {
        requireMethod(request, "GET");
        const { active, queued, max } = concurrency();
        return { status: "ok", active, queuedTotal: queued, maxConcurrent: max };
      }
      default:
        throw failed("HTTP_NOT_FOUND", { message: `There is nothing at \`${path.slice(0, 200)}\`.`, fix: there });
    }
  };
}

/** A store is waited for longer than who asks whether it is there. */
async function answered(check: Promise<void>, ms: number): Promise<void> {
  const over = new AbortController();
  const late = sleep(ms, undefined, { signal: over.signal }).then(() => {
    throw failed("HTTP_STORE_SILENT", { message: `The store has not answered for ${Math.round(ms / 1000)} s.` });
  });
  await Promise.race([check, late]).finally(() => over.abort());
}

const there = "Use `POST /test/message`, `GET` or `DELETE /test/messages/<id>`, `PUT /test/mode`, or `GET /health`.";

/** Answers before the message is done. A client that is not sure whether it was taken sends it again with the same `messageId`. */
async function takeMessage(receive: Receive, body: JsonObject): Promise<JsonObject> {
  const { conversationId, message, messageId = randomUUID() } = body;
  if (!isId(conversationId)) throw badBody(`has no text of 1 to ${longestId} plain characters under \`conversationId\``);
  if (!isId(messageId)) throw badBody(`has no text of 1 to ${longestId} plain characters under \`messageId\``);
  if (typeof message !== "string" || message.trim() === "") throw badBody("has no text under `message`");
  const taken = await receive({ conversation: conversationId, id: messageId, person, text: message });
  if (taken === "refused") throw await refusalOf(message);
  return { success: true, conversationId, message, ...(taken === "repeated" ? { repeated: true } : {}) };
}

async function refusalOf(message: string): Promise<Error> {
  const { longestText, tooLongText } = await import("../chat/index.ts");
  return message.length > longestText ? failed("HTTP_TOO_LONG", { message: tooLongText(message) }) : failed("HTTP_MESSAGE_REFUSED");
}

function isId(value: unknown): value is string {
  return typeof value === "string" && value.length <= longestId && /^[^\p{C}]+$/u.test(value);
}

function requireMethod(request: IncomingMessage, ...allowed: readonly string[]): string {
  const method = request.method ?? "GET";
  if (allowed.includes(method)) return method;
  const fix = `Use ${allowed.join(" or ")}.`;
  throw failed("HTTP_METHOD", { message: `This path does not take ${method}.`, fix, details: { allowed: allowed.join(", ") } });
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw failed("HTTP_NOT_FOUND", { message: `\`${part.slice(0, 200)}\` is not a conversation.`, fix: there });
  }
}

async function whole(pieces: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += piece;
  return text;
}
