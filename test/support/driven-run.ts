import type { AgentEvent, AgentProvider, Agents, TranscriptEntry, Turn } from "../../src/ports/index.ts";
import { serveStrands } from "../../src/http/index.ts";
import { loadDialectTools } from "../../src/bin/dialect-parts.ts";
import { driveRun, type DriveEnd, type DriveEvent, type DriveRequest } from "../../src/runner/index.ts";
import type { TestEngine } from "./test-engine.ts";

/** What a scripted agent does with one turn; the rest of the result is what an agent says that is simply done. */
export type Behaviour = (
  turn: Turn,
  door: AgentDoorClient,
) => Promise<Partial<Extract<AgentEvent, { type: "result" }>> & { readonly events?: readonly AgentEvent[] }>;

/** The door of a turn, as an agent's MCP client uses it. */
export interface AgentDoorClient {
  readonly url: string;
  readonly token: string;
  call(tool: string, args: object): Promise<{ readonly text: string; readonly data: Record<string, unknown>; readonly isError: boolean }>;
}

export interface DrivenRun {
  readonly agents: Agents;
  readonly turns: Turn[];
  readonly events: DriveEvent[];
  kept(run: string): Promise<readonly TranscriptEntry[]>;
  drive(request: Partial<DriveRequest> & { readonly run: string }): Promise<DriveEnd>;
  close(): Promise<void>;
}

/** Drives runs of a test engine with an agent that does what the test says, through the real door. */
export async function openDriven(
  engine: TestEngine,
  behave: Behaviour,
  names: readonly string[] = ["scripted"],
  accounts: Readonly<Record<string, string>> = {},
): Promise<DrivenRun> {
  const [turns, events]: [Turn[], DriveEvent[]] = [[], []];
  const doors = await serveStrands({
    context: engine.context,
    version: "0",
    explainPlan: () => Promise.resolve({}),
    dialects: await loadDialectTools(),
  });
  const agents: Agents = {
    list: () => Promise.resolve(names.map((name) => ({ name, account: name }) as never)),
    resolve: (name) =>
      names.includes(name)
        ? Promise.resolve({ name, account: accounts[name] ?? name } as never)
        : Promise.reject(new Error(`no agent ${name}`)),
    probe: () => Promise.resolve({ answers: true, modes: [], models: [] }),
    open: (id) => Promise.resolve(scripted(id, turns, behave)),
  };
  return {
    agents,
    turns,
    events,
    kept: async (run) => {
      const entries: TranscriptEntry[] = [];
      for await (const entry of engine.context.transcripts.read(run)) entries.push(entry);
      return entries;
    },
    drive: (request) =>
      driveRun(
        { context: engine.context, agents, doors },
        {
          agent: "scripted",
          permission: { level: "edit" },
          finish: new AbortController().signal,
          cancel: new AbortController().signal,
          watch: (event) => events.push(event),
          ...request,
        },
      ),
    close: () => doors.close(),
  };
}

let sessions = 0;

/** An agent whose program ends before it opens a session. */
export const broken = "broken";

const diedAtStart: AgentEvent = {
  type: "result",
  sessionId: "",
  stop: "error",
  text: "",
  usage: {},
  denied: [],
  error: "The agent `broken` ended with code 1.",
  errorKind: "crash",
};

function scripted(id: string, turns: Turn[], behave: Behaviour): AgentProvider {
  return {
    id,
    async *run(turn) {
      turns.push(turn);
      if (id === broken) return yield diedAtStart;
      const sessionId = turn.session ?? `session-${(sessions += 1)}`;
      yield { type: "session", sessionId, resumed: turn.session === undefined ? "new" : "resumed" };
      const { events = [], ...result } = await behave(turn, doorOf(turn));
      yield* events;
      const text = result.text ?? "done";
      if (text !== "") yield { type: "message", text };
      yield { type: "result", sessionId, stop: "end", usage: {}, denied: [], ...result, text };
    },
    close: () => Promise.resolve(),
  };
}

export function doorOf({ mcp = [] }: Pick<Turn, "mcp">): AgentDoorClient {
  const [server] = mcp;
  const token = (server?.headers?.["Authorization"] ?? "").replace(/^Bearer /, "");
  return { url: server?.url ?? "", token, call: (tool, args) => callDoor(server?.url ?? "", token, tool, args) };
}

/** One tool call over the wire, as a client without a handshake makes it. */
export async function callDoor(url: string, token: string, name: string, args: object): ReturnType<AgentDoorClient["call"]> {
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  if (response.status !== 200) return { text: `HTTP ${response.status}`, data: {}, isError: true };
  const text = await response.text();
  const line = text.startsWith("{") ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? "{}");
  const { result, error } = JSON.parse(line) as {
    result?: { content: { text: string }[]; structuredContent?: Record<string, unknown>; isError?: boolean };
    error?: { message: string };
  };
  if (result === undefined) return { text: error?.message ?? text, data: {}, isError: true };
  return { text: result.content[0]?.text ?? "", data: result.structuredContent ?? {}, isError: result.isError === true };
}
