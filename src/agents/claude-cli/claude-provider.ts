import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { defined, endOf, isObject, jsonOrText, shorten } from "../../base/index.ts";
import type { AgentEvent, AgentProbe, AgentProvider, Child, Turn } from "../../ports/index.ts";
import type { ProviderOptions } from "../provider-options.ts";
import { agentEnvironment } from "../agent-environment.ts";
import { classifyFailure, TurnFailed } from "../classify-failure.ts";
import { makeAgentFolder } from "../make-agent-folder.ts";
import { splitLines } from "../split-lines.ts";
import { isSessionId, notASession } from "../is-session-id.ts";
import { messageOf, promptOf, streamTurn, type RunningTurn } from "../stream-turn.ts";
import { describeRequest } from "../tool-request.ts";
import type { TurnEnd } from "../turn-record.ts";
import { isSize, usualModelNotice } from "../usual-model.ts";
import { claudeArguments, serverConfig } from "./claude-arguments.ts";
import { readClaudeLine, type ClaudeEnd } from "./read-claude-line.ts";

const goneSession = /no conversation found|session .*not found/i;

/** The `claude` command without an adapter: one process for each turn, which is killed with its group when the turn ends. */
export class ClaudeProvider implements AgentProvider {
  readonly id: string;
  readonly #options: ProviderOptions;
  readonly #running = new Set<Child>();

  constructor(options: ProviderOptions) {
    this.id = options.spec.name;
    this.#options = options;
  }

  run(turn: Turn): AsyncGenerator<AgentEvent, void, undefined> {
    return streamTurn(turn, this.#options.time, (running) => this.#perform(running));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running].map((child) => child.end()));
  }

  /** Only whether it can be started: modes and models are those of its own documentation. */
  async probe(cwd: string): Promise<AgentProbe> {
    try {
      const child = await this.#start(["--version"], cwd);
      let said = "";
      for await (const line of splitLines(child.output)) said += line;
      const { code } = await child.exited;
      await this.#end(child);
      const [version] = /\d+\.\d+\.\d+\S*/.exec(said) ?? [];
      if (code !== 0) return { answers: false, modes: [], models: [], problem: shorten(child.errors().trim(), 300) };
      return { answers: true, modes: [], models: [], ...(version === undefined ? {} : { version }) };
    } catch (cause) {
      return { answers: false, modes: [], models: [], problem: messageOf(cause) };
    }
  }

  async #perform(running: RunningTurn): Promise<TurnEnd> {
    const { turn } = running;
    if (turn.session !== undefined && !isSessionId(turn.session)) return this.#lost(turn, running.emit, notASession);
    const servers = turn.mcp ?? [];
    const folder = servers.length === 0 ? undefined : await makeAgentFolder();
    try {
      const file = folder === undefined ? undefined : join(folder, "mcp.json");
      if (file !== undefined) await writeFile(file, serverConfig(servers), { mode: 0o600 });
      if (running.signal.aborted) return { stop: "cancelled" };
      const child = await this.#start(claudeArguments(turn, this.#options.spec.model, file), turn.cwd);
      const stop = (): void => void child.end();
      running.signal.addEventListener("abort", stop);
      try {
        return await this.#follow(child, running);
      } finally {
        running.signal.removeEventListener("abort", stop);
        await this.#end(child);
      }
    } finally {
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    }
  }

  async #start(args: readonly string[], cwd: string): Promise<Child> {
    const { spec, children, env, more } = this.#options;
    const [command = "", ...own] = spec.command;
    const request = { command, args: [...own, ...args], cwd, env: agentEnvironment(env, spec.env, more) };
    const child = await children.start(request).catch((cause: unknown) => {
      throw new TurnFailed({ kind: "crash", text: `The agent \`${spec.name}\` could not be started: ${messageOf(cause)}.` });
    });
    this.#running.add(child);
    return child;
  }

  async #end(child: Child): Promise<void> {
    this.#running.delete(child);
    await child.end();
  }

  async #follow(child: Child, running: RunningTurn): Promise<TurnEnd> {
    const { turn, record, emit } = running;
    if (turn.model !== undefined && isSize(turn.model)) emit(usualModelNotice(this.#options.spec, turn.model));
    const prompt = promptOf(turn);
    turn.onRaw?.("out", prompt);
    // A command that does not read ends by itself, and says why.
    await child.write(prompt).catch(() => undefined);
    child.endInput();
    let end: ClaudeEnd | undefined;
    const tools = new Map<string, string>();
    try {
      for await (const text of splitLines(child.output)) {
        const line = jsonOrText(text);
        turn.onRaw?.("in", line);
        if (!isObject(line)) {
          emit({ type: "notice", level: "warn", text: `The agent wrote a line that is not a message: ${shorten(text.trim(), 200)}` });
          continue;
        }
        const read = readClaudeLine(line);
        running.alive();
        if (read.session !== undefined && record.sessionId === "" && read.end?.error === undefined)
          emit({
            type: "session",
            sessionId: read.session,
            resumed: turn.session === undefined ? "new" : turn.fork === true ? "forked" : "resumed",
          });
        for (const event of read.events) emit(event.type === "tool" ? named(event, tools) : event);
        end = read.end ?? end;
      }
    } catch (cause) {
      // The pipe of a child that is killed breaks.
      if (!running.signal.aborted) throw cause;
    }
    return end === undefined ? this.#withoutEnd(child, running) : this.#withEnd(end, running);
  }

  #withEnd({ stop, error, usage, denied }: ClaudeEnd, { turn, record, emit }: RunningTurn): TurnEnd {
    for (const { id, ...request } of denied) record.deny(id, describeRequest({ id, files: [], ...request }));
    // The cost is that of the whole session, of which an earlier process had its part.
    const { costUsd, ...tokens } = usage;
    emit({ type: "usage", usage: turn.session === undefined && costUsd !== undefined ? usage : tokens });
    if (error === undefined) return { stop };
    return goneSession.test(error) ? this.#lost(turn, emit) : { stop, failure: classifyFailure(error, this.#options.time.now()) };
  }

  async #withoutEnd(child: Child, { turn, emit, signal }: RunningTurn): Promise<TurnEnd> {
    if (signal.aborted) return { stop: "cancelled" };
    const { code, signal: killed } = await child.exited;
    const words = child.errors().trim();
    if (turn.session !== undefined && goneSession.test(words)) return this.#lost(turn, emit);
    const { kind, resetAt } = classifyFailure(words, this.#options.time.now());
    const text = `The agent \`${this.id}\` ended with ${killed ?? `code ${code}`} and no result.${words === "" ? "" : ` Its last words: ${endOf(words, 600)}`}`;
    return { stop: "error", failure: { kind: kind === "limit" || kind === "auth" ? kind : "crash", text, ...defined({ resetAt }) } };
  }

  #lost(turn: Turn, emit: RunningTurn["emit"], why?: string): TurnEnd {
    emit({ type: "session", sessionId: turn.session ?? "", resumed: "lost" });
    const named = why === undefined ? `The session \`${turn.session}\`` : "The session";
    const text = `${named} cannot be continued: ${why ?? "the agent does not have it"}.`;
    return { stop: "error", failure: { kind: "lost", text } };
  }
}

type ToolEvent = Extract<AgentEvent, { type: "tool" }>;

/** The output of a tool names only the call, whose name came before. */
function named(event: ToolEvent, tools: Map<string, string>): ToolEvent {
  if (event.name !== "") tools.set(event.id, event.name);
  return { ...event, name: tools.get(event.id) ?? event.name };
}
