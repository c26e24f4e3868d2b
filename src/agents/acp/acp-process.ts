import { endOf, isObject, type Json, type JsonObject } from "../../base/index.ts";
import type { Child } from "../../ports/index.ts";
import { agentEnvironment } from "../agent-environment.ts";
import { classifyFailure, TurnFailed, type Failure } from "../classify-failure.ts";
import type { ProviderOptions } from "../provider-options.ts";
import { messageOf } from "../stream-turn.ts";
import { AcpConnection, agentError } from "./acp-connection.ts";
import type { AcpSession } from "./acp-session.ts";
import { word } from "./read-update.ts";

/** Who hears what the agent says about one session. */
export interface Listener {
  update(update: JsonObject, params: JsonObject): void;
  permission(params: JsonObject): Json;
  garbage(line: string): void;
  raw(direction: "in" | "out", message: unknown): void;
}

/** How long the agent may take to answer what should be quick. */
const answerMs = 60_000;
/** How long the end of the output may be ahead of the exit of the process. */
const exitMs = 100;

/** One process of an agent, with the sessions that are open in it. */
export class AcpProcess {
  readonly sessions: Map<string, AcpSession> = new Map();
  readonly listeners: Map<string, Listener> = new Map();
  /** Turns that run now. */
  turns = 0;
  /** Sessions that were opened so far. */
  opened = 0;
  /** Takes no further turn. */
  isBroken = false;
  /** What the agent said of itself. */
  about: Json = null;
  readonly #options: ProviderOptions;
  readonly #child: Child;
  readonly #connection: AcpConnection;

  private constructor(options: ProviderOptions, child: Child, raw: Listener["raw"]) {
    this.#options = options;
    this.#child = child;
    const heard = (params: Json): Listener | undefined =>
      isObject(params) ? this.listeners.get(word(params["sessionId"]) ?? "") : undefined;
    this.#connection = new AcpConnection(child, {
      // What is about a session that nobody listens to is a replay, or not ours.
      update: (params) => {
        const update = isObject(params) ? params["update"] : undefined;
        if (isObject(params) && isObject(update)) heard(params)?.update(update, params);
      },
      permission: (params) => (isObject(params) ? heard(params)?.permission(params) : undefined) ?? { outcome: { outcome: "cancelled" } },
      garbage: (line) => this.listeners.forEach((listener) => listener.garbage(line)),
      raw: (direction, message) => {
        if (this.listeners.size === 0) raw(direction, message);
        this.listeners.forEach((listener) => listener.raw(direction, message));
      },
    });
    this.#connection.signal.addEventListener("abort", () => (this.isBroken = true));
  }

  /** Starts the agent, calls `onStart`, and greets it. Rejects with `TurnFailed`; then nothing is left running. */
  static async start(options: ProviderOptions, raw: Listener["raw"], onStart: (process: AcpProcess) => void): Promise<AcpProcess> {
    const { spec, children, env, more, version, workspace: cwd } = options;
    const [command = "", ...args] = spec.command;
    const request = { command, args, cwd, env: agentEnvironment(env, spec.env, more) };
    const child = await children.start(request).catch((cause: unknown) => {
      throw new TurnFailed({ kind: "crash", text: `The agent \`${spec.name}\` could not be started: ${messageOf(cause)}.` });
    });
    const process = new AcpProcess(options, child, raw);
    onStart(process);
    try {
      process.about = await process.within("initialize", process.#connection.initialize(version, spec.clientMeta));
      if (spec.auth !== undefined) await process.request("authenticate", { methodId: spec.auth });
      return process;
    } catch (cause) {
      await process.end();
      throw cause;
    }
  }

  /** Asks for something that should be quick. */
  request(method: string, params: unknown): Promise<Json> {
    return this.within(method, this.#connection.request(method, params));
  }

  /** The answer to a prompt, however long it takes. */
  async prompt(params: unknown): Promise<Json> {
    return await this.#connection.request("session/prompt", params).catch((cause: unknown) => this.#fail(cause));
  }

  cancel(sessionId: string): void {
    this.#connection.notify("session/cancel", { sessionId });
  }

  /** Ends the agent with everything it started. */
  async end(): Promise<void> {
    this.isBroken = true;
    this.#connection.close();
    await this.#child.end();
  }

  async within(method: string, answer: Promise<Json>): Promise<Json> {
    let off = (): void => undefined;
    const late = new Promise<never>((_done, failed) => {
      off = this.#options.time.alarms.after(answerMs, () => {
        this.isBroken = true;
        failed(new TurnFailed({ kind: "timeout", text: `The agent did not answer \`${method}\` within ${answerMs / 1000} seconds.` }));
      });
    });
    try {
      return await Promise.race([answer.catch((cause: unknown) => this.#fail(cause)), late]);
    } finally {
      off();
    }
  }

  async #fail(cause: unknown): Promise<never> {
    const { time } = this.#options;
    const said = agentError(cause);
    if (said === undefined) throw new TurnFailed(await this.#crash());
    const failure = classifyFailure(said.text, time.now(), said.code === -32_000 ? "auth" : undefined);
    throw new TurnFailed(failure);
  }

  /** Why the connection ended: the exit of the process, where it comes soon enough, and its last words. */
  async #crash(): Promise<Failure> {
    const { spec, time } = this.#options;
    this.isBroken = true;
    const waiting = new AbortController();
    const exit = await Promise.race([this.#child.exited, time.alarms.wait(exitMs, waiting.signal)]);
    waiting.abort();
    const how =
      exit === undefined ? "closed its output" : `ended with ${exit.code === null ? `the signal ${exit.signal}` : `code ${exit.code}`}`;
    const words = this.#child.errors().trim();
    const text = `The agent \`${spec.name}\` ${how}.${words === "" ? "" : ` Its last words: ${endOf(words, 600)}`}`;
    const { kind, resetAt } = classifyFailure(words, time.now());
    const isKnown = kind === "limit" || kind === "auth";
    return isKnown ? { kind, text, ...(resetAt === undefined ? {} : { resetAt }) } : { kind: "crash", text };
  }
}
