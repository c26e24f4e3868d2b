import { beginningOf, isList, isObject, type Json, type JsonObject } from "../../base/index.ts";
import type { McpHttp } from "../../ports/index.ts";

const revision = "2025-06-18";

/** Calls one tool of an MCP server over HTTP, as an agent does: greets it, calls, and reads the texts of the answer. */
export async function callTool(
  server: McpHttp,
  name: string,
  given: JsonObject,
  signal: AbortSignal,
): Promise<{ ok: boolean; output: Json }> {
  let session: string | null = null;
  const post = async (id: number | undefined, method: string, params: JsonObject): Promise<Json> => {
    const response = await fetch(server.url, {
      method: "POST",
      signal,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(method === "initialize" ? {} : { "mcp-protocol-version": revision }),
        ...(session === null ? {} : { "mcp-session-id": session }),
        ...server.headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...(id === undefined ? {} : { id }), method, params }),
    });
    session = response.headers.get("mcp-session-id") ?? session;
    const text = await response.text();
    if (!response.ok) throw new Error(`The MCP server \`${server.name}\` answered ${response.status}: ${beginningOf(text, 300)}`);
    return id === undefined ? null : answerIn(text, id);
  };
  await post(1, "initialize", { protocolVersion: revision, capabilities: {}, clientInfo: { name: "waymark-script", version: "1" } });
  await post(undefined, "notifications/initialized", {});
  const answer = await post(2, "tools/call", { name, arguments: given });
  const result = isObject(answer) ? (answer["result"] ?? answer["error"] ?? null) : null;
  const isError = !isObject(answer) || answer["error"] !== undefined || (isObject(result) && result["isError"] === true);
  const content = isObject(result) && isList(result["content"]) ? result["content"] : [];
  const texts = content.flatMap((part) => (isObject(part) && typeof part["text"] === "string" ? part["text"] : []));
  return { ok: !isError, output: texts.length === 0 ? result : texts.join("\n") };
}

/** The answer with this id: the whole body, or an event of a stream. */
function answerIn(body: string, id: number): Json {
  const texts = body.trimStart().startsWith("{") ? [body] : [...body.matchAll(/^data: ?(.*)$/gm)].map(([, data = ""]) => data);
  for (const text of texts.filter((one) => one !== "")) {
    const message = JSON.parse(text) as Json;
    if (isObject(message) && message["id"] === id) return message;
  }
  throw new Error("The MCP server did not answer.");
}
