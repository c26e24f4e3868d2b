import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { isObject } from "../base/index.ts";

/** Where a driven agent reports, as its driver keeps it in a file that only its user can read. It changes with every step. */
export interface StrandAddress {
  readonly url: string;
  readonly token: string;
}

interface BridgeOptions {
  readonly file: string;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly signal: AbortSignal;
}

/**
 * Serves the protocol on stdio by handing every message to the door of the step that is being driven now: what a driven agent starts by
 * itself reaches no further than the agent. Resolves when the client has gone and every call is answered.
 */
export async function bridgeToStrand({ file, stdin, stdout, signal }: BridgeOptions): Promise<void> {
  const lines = createInterface({ input: stdin, crlfDelay: Infinity, signal });
  const working = new Set<Promise<void>>();
  try {
    for await (const line of lines) {
      if (line.trim() === "") continue;
      const work = forward(file, line).then((messages) => {
        for (const message of messages) stdout.write(`${message}\n`);
      });
      working.add(work);
      void work.finally(() => working.delete(work));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  await Promise.allSettled(working);
}

/** The messages that a message is answered with: none for a notification. */
async function forward(file: string, line: string): Promise<readonly string[]> {
  const id = idOf(line);
  try {
    const { url, token } = JSON.parse(await readFile(file, "utf8")) as StrandAddress;
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", authorization: `Bearer ${token}` },
      body: line,
    });
    const text = await response.text();
    if (response.ok) return messagesIn(text);
    return refused(id, response.status === 401 ? "No step is being driven now." : `The driver answered with HTTP ${response.status}.`);
  } catch {
    return refused(id, "The driver of this agent is gone.");
  }
}

function idOf(line: string): string | number | undefined {
  try {
    const message: unknown = JSON.parse(line);
    const id = isObject(message) ? message["id"] : undefined;
    return typeof id === "string" || typeof id === "number" ? id : undefined;
  } catch {
    return undefined;
  }
}

function refused(id: string | number | undefined, message: string): readonly string[] {
  return id === undefined ? [] : [JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32000, message } })];
}

/** One JSON message, or the data of an event stream. */
function messagesIn(text: string): readonly string[] {
  if (text.trim() === "") return [];
  return text.startsWith("{") || text.startsWith("[") ? [text.trim()] : [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => data);
}
