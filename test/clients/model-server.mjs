// @ts-check
import { createServer } from "node:http";
import { nextMove } from "./scripted-agent.mjs";
import { chatCompletions } from "./wires/chat-completions.mjs";
import { generateContent } from "./wires/generate-content.mjs";
import { messages } from "./wires/messages.mjs";
import { responses } from "./wires/responses.mjs";

const wires = [chatCompletions, responses, messages, generateContent];

/**
 * A scripted agent behind the interfaces of model vendors, on the loopback only. Requests without tools (titles, summaries) get one
 * word. `last` is the longest conversation seen: what the client showed of the whole run.
 *
 * @typedef {import("./scripted-agent.mjs").Conversation} Conversation
 * @typedef {import("./scripted-agent.mjs").Move} Move
 * @typedef {(conversation: Conversation) => Move & { status?: number, hang?: (closed: Promise<void>) => void }} Decide `status` refuses the
 *   request; `hang` leaves it open until the client closes it
 * @typedef {{ last?: Conversation, wire?: string, said: string[], requests: number, unknown: string[] }} Seen
 * @param {Decide} [decide]
 * @returns {Promise<{ url: string, seen: Seen, close: () => Promise<void> }>}
 */
export async function openModelServer(decide = nextMove) {
  /** @type {Seen} */
  const seen = { said: [], requests: 0, unknown: [] };
  const server = createServer((request, response) => {
    serve(request, response, { seen, decide }).catch((error) => {
      seen.unknown.push(String(error));
      if (!response.headersSent) sendJson(response, 500, { error: { message: String(error) } });
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @param {{ seen: Seen, decide: Decide }} script
 */
async function serve(request, response, script) {
  const [path = ""] = (request.url ?? "").split("?");
  const body = await readBody(request);
  const wire = request.method === "POST" ? wires.find((entry) => entry.serves(path)) : undefined;
  if (wire !== undefined) return converse(wire, { path, body, response }, script);
  const known = sideAnswer(path);
  if (known === undefined) script.seen.unknown.push(`${request.method} ${path}`);
  sendJson(response, known === undefined ? 404 : 200, known ?? { error: { message: `There is nothing at ${path}.` } });
}

/**
 * @param {import("./wires/wire.mjs").Wire} wire
 * @param {{ path: string, body: any, response: import("node:http").ServerResponse }} exchange
 * @param {{ seen: Seen, decide: Decide }} script
 */
function converse(wire, { path, body, response }, { seen, decide }) {
  const conversation = wire.read(body);
  const hasTools = conversation.tools.length > 0;
  /** @type {ReturnType<Decide>} */
  const move = hasTools ? decide(conversation) : { say: "Tour" };
  seen.requests += 1;
  if (hasTools && conversation.turns.length >= (seen.last?.turns.length ?? 0)) {
    seen.last = conversation;
    seen.wire = wire.name;
    if (move.say !== undefined) seen.said.push(move.say);
  }
  if (move.status !== undefined) return sendJson(response, move.status, { error: { code: move.status, message: move.say } });
  if (move.hang !== undefined) {
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    return move.hang(new Promise((resolve) => response.once("close", resolve)));
  }
  const { whole, chunks } = wire.answer(body, move);
  if (!wire.streams(path, body)) return sendJson(response, 200, whole);
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const { event, data } of chunks) {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    response.write(`${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`);
  }
  response.end();
}

/** What clients ask for beside conversations. @param {string} path */
function sideAnswer(path) {
  if (path.endsWith("/count_tokens")) return { input_tokens: 1 };
  if (path.endsWith(":countTokens")) return { totalTokens: 1 };
  if (path.endsWith("/models")) {
    const [id, name] = ["scripted", "models/scripted"];
    return { object: "list", data: [{ id, object: "model", created: 0, owned_by: "test" }], models: [{ slug: id, name }] };
  }
  return undefined;
}

/** @param {import("node:http").IncomingMessage} request @returns {Promise<any>} */
async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  return text === "" ? {} : JSON.parse(text);
}

/** @param {import("node:http").ServerResponse} response @param {number} status @param {unknown} body */
function sendJson(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
