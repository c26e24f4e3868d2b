import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { isList, isObject, type Json, type JsonObject } from "../../base/index.ts";
import type { AgentEvent, AgentProvider, Turn } from "../../ports/index.ts";
import { classifyFailure } from "../classify-failure.ts";
import { scriptUnusable } from "../codes.ts";
import { mayDo } from "../decide-permission.ts";
import { rulesFor } from "../rules-for.ts";
import { messageOf, streamTurn, type AgentTime, type RunningTurn } from "../stream-turn.ts";
import type { ToolRequest } from "../tool-request.ts";
import type { TurnEnd } from "../turn-record.ts";
import { callTool } from "./call-tool.ts";
import { parseScript, type ScriptAction, type ScriptTurn } from "./parse-script.ts";

/** Where a script is written: a file of its own, or as a value in another one. */
export type ScriptSource = { readonly file: string } | { readonly script: unknown; readonly in: string };

/** Reads the script of an agent; throws `AGENTS_SCRIPT`. */
export async function openScript(name: string, source: ScriptSource, time: AgentTime): Promise<AgentProvider> {
  try {
    const script = "file" in source ? (await import("yaml")).default.parse(await readFile(source.file, "utf8")) : source.script;
    return new ScriptProvider(name, parseScript(script), time);
  } catch (cause) {
    throw scriptUnusable("file" in source ? source.file : source.in, messageOf(cause));
  }
}

/**
 * An agent without a model: it does what a file says, in order, and nothing else. It keeps to the permission of its turns and calls the
 * MCP servers that it is given, so a dry run shows what a real agent would be allowed.
 */
class ScriptProvider implements AgentProvider {
  readonly id: string;
  readonly #turns: readonly ScriptTurn[];
  readonly #time: AgentTime;
  readonly #used = new Map<ScriptTurn, number>();
  #sessions = 0;
  #calls = 0;

  constructor(id: string, turns: readonly ScriptTurn[], time: AgentTime) {
    this.id = id;
    this.#turns = turns;
    this.#time = time;
  }

  run(turn: Turn): AsyncGenerator<AgentEvent, void, undefined> {
    return streamTurn(turn, this.#time, (running) => this.#perform(running));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #perform(running: RunningTurn): Promise<TurnEnd> {
    const { turn, signal, emit } = running;
    // A script remembers nothing, so every session can be continued, and forked.
    const own = turn.fork === true ? undefined : turn.session;
    if (own === undefined) this.#sessions += 1;
    const resumed = turn.session === undefined ? "new" : own === undefined ? "forked" : "resumed";
    emit({ type: "session", sessionId: own ?? `${this.id}-${this.#sessions}`, resumed });
    const chosen = this.#turns.find((one) => one.match.test(turn.prompt) && (this.#used.get(one) ?? 0) < (one.times ?? Infinity));
    if (chosen === undefined) return { stop: "error", failure: { kind: "unknown", text: "The script has no turn for this prompt." } };
    this.#used.set(chosen, (this.#used.get(chosen) ?? 0) + 1);
    const groups = chosen.match.exec(turn.prompt)?.groups ?? {};
    for (const action of chosen.actions) {
      if (signal.aborted) return { stop: "cancelled" };
      await this.#act(fillIn(action, groups), running);
    }
    if (chosen.error === undefined) return { stop: chosen.stop };
    const { kind, text } = chosen.error;
    const failure = classifyFailure(text, this.#time.now(), kind);
    return { stop: "error", failure: kind === undefined || kind === failure.kind ? failure : { kind, text } };
  }

  async #act(action: ScriptAction, running: RunningTurn): Promise<void> {
    const { turn, emit } = running;
    if (action.do === "say") {
      // One action is one message.
      for (const event of running.record.flush()) if (event.type === "message") emit(event);
      return emit({ type: "text", text: action.text });
    }
    this.#calls += 1;
    const id = `call-${this.#calls}`;
    const input: JsonObject = action.do === "write" ? { path: action.file, content: action.text } : action.with;
    const request: ToolRequest = {
      id,
      name: action.do === "write" ? "write" : action.tool,
      kind: action.do === "write" ? "edit" : "other",
      input,
      files: [],
    };
    const tool = {
      type: "tool",
      id,
      name: request.name ?? "",
      ...(request.kind === undefined ? {} : { kind: request.kind }),
      input,
    } as const;
    emit({ ...tool, status: "running" });
    // What it said comes before what the call does.
    await running.heard();
    if (action.do === "write" && !mayDo(request, rulesFor(request, turn))) {
      running.record.deny(id, `write: ${action.file}`);
      emit({ type: "permission", tool: `write: ${action.file}`, decision: "deny" });
      return emit({ ...tool, status: "failed" });
    }
    const { ok, output } = action.do === "write" ? await write(turn, action) : await call(turn, action, running.signal);
    emit({ ...tool, status: ok ? "done" : "failed", output });
  }
}

async function write(turn: Turn, { file, text }: Extract<ScriptAction, { do: "write" }>): Promise<{ ok: boolean; output: Json }> {
  const path = resolve(turn.cwd, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return { ok: true, output: `Wrote ${file}.` };
}

async function call(
  turn: Turn,
  action: Extract<ScriptAction, { do: "call" }>,
  signal: AbortSignal,
): Promise<{ ok: boolean; output: Json }> {
  const servers = turn.mcp ?? [];
  const server = action.server === undefined ? servers[0] : servers.find(({ name }) => name === action.server);
  if (server === undefined) return { ok: false, output: "The turn has no such MCP server." };
  return await callTool(server, action.tool, action.with, signal);
}

/** Puts what the pattern's named groups found in the place of `$<name>`, in all texts. */
function fillIn<T extends ScriptAction>(action: T, groups: Readonly<Record<string, string | undefined>>): T {
  const fill = (value: Json): Json => {
    if (typeof value === "string") return value.replace(/\$<(\w+)>/g, (mark, name: string) => groups[name] ?? mark);
    if (isList(value)) return value.map(fill);
    return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, held]) => [key, fill(held)])) : value;
  };
  return fill(action) as unknown as T;
}
