/** A reply's data with everything that it says is missing, as a client gets it by the calls in `truncated`. */
import { isList, isObject, splitPath, type Json, type JsonObject } from "../../src/base/index.ts";
import type { TestClient, ToolReply } from "../process/mcp-client.ts";

export interface Call {
  readonly tool: string;
  readonly arguments: JsonObject;
}

interface Truncated {
  readonly path: string;
  readonly total: number;
  readonly next: Call;
}

export function truncatedOf(data: JsonObject): readonly Truncated[] {
  return listOf(data["truncated"]) as unknown as readonly Truncated[];
}

export async function wholeData(call: TestClient["call"], reply: ToolReply): Promise<JsonObject> {
  let whole: Json = reply.data as JsonObject;
  for (const cut of truncatedOf(reply.data)) whole = put(whole, keysOf(cut.path), await restOf(call, cut));
  return whole as JsonObject;
}

async function restOf(call: TestClient["call"], { next, path, total }: Truncated): Promise<Json> {
  const { data, isError, text } = await call(next.tool, next.arguments);
  if (isError) throw new Error(text);
  const { part, value } = data as { readonly part: { readonly path: string; readonly from: number; readonly total: number }; value: Json };
  if (part.total !== total) throw new Error(`${path} has ${total} in one reply and ${part.total} in the next`);
  let whole = value;
  const cuts = truncatedOf(data);
  for (const cut of cuts.filter((entry) => entry.path !== part.path)) {
    // Places in a list count from its beginning; this part begins at `from`.
    const [first, ...below] = keysOf(cut.path.slice(part.path.length).replace(/^\./, ""));
    const local = isList(value) ? String(Number(first) - part.from) : (first ?? "");
    whole = put(whole, [local, ...below], await restOf(call, cut));
  }
  const own = cuts.find((entry) => entry.path === part.path);
  return own === undefined ? whole : joined(whole, await restOf(call, own));
}

function keysOf(path: string): readonly string[] {
  if (path === "") return [];
  const keys = splitPath(path.startsWith("[") ? `data${path}` : `data.${path}`);
  if (keys === undefined) throw new Error(`Not a path: ${path}`);
  return keys.slice(1);
}

function put(value: Json, [key, ...below]: readonly string[], more: Json): Json {
  if (key === undefined) return joined(value, more);
  if (isList(value)) return value.map((entry, at) => (String(at) === key ? put(entry, below, more) : entry));
  if (!isObject(value) || value[key] === undefined) throw new Error(`Nothing of ${key} is shown`);
  return { ...value, [key]: put(value[key], below, more) };
}

function joined(value: Json, more: Json): Json {
  if (typeof value === "string" && typeof more === "string") return `${value}${more}`;
  if (isList(value) && isList(more)) return [...value, ...more];
  if (isObject(value) && isObject(more)) return { ...value, ...more };
  throw new Error("The rest of a value is of another kind than its beginning");
}

export function listOf(value: Json | undefined): readonly Json[] {
  return value === undefined ? [] : isList(value) ? value : [value];
}
