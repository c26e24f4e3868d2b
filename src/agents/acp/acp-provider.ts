import type { AgentEvent, AgentProbe, AgentProvider, AgentStop, AgentUsage, Turn } from "../../ports/index.ts";
import { TurnFailed, worse, type Failure } from "../classify-failure.ts";
import type { ProviderOptions } from "../provider-options.ts";
import { messageOf, promptOf, streamTurn, type RunningTurn } from "../stream-turn.ts";
import type { TurnEnd } from "../turn-record.ts";
import { AcpProcess, type Listener } from "./acp-process.ts";
import { choose, readChoices, type AcpSession } from "./acp-session.ts";
import { hearOpening, hearSession, noteFailure } from "./hear-session.ts";
import { canContinue, openSession } from "./open-session.ts";
import { at, reportedUsage, word } from "./read-update.ts";

const stops: Readonly<Record<string, AgentStop>> = {
  end_turn: "end",
  cancelled: "cancelled",
  refusal: "refused",
  max_tokens: "max_tokens",
  max_turn_requests: "max_turns",
};

/** Sessions after which a process is replaced by a new one. */
const mostSessions = 50;
/** Failures that are none of the process: what its account, its provider or a person has to change first, and a session that is gone. */
const notItsOwn: ReadonlySet<Failure["kind"]> = new Set(["limit", "auth", "setup", "overloaded", "lost"]);
/** How long a cancelled turn may take to end before the agent is killed. Agents take up to 160 ms; who aborts a run waits for 2 s at most. */
const cancelMs = 1000;

/**
 * An agent that speaks the Agent Client Protocol. One process serves many sessions, also at the same time; it is replaced after 50
 * sessions, when it ends or falls silent, and when a turn fails in it that another process may do, unless its sessions would be lost with it.
 */
export class AcpProvider implements AgentProvider {
  readonly id: string;
  readonly #options: ProviderOptions;
  readonly #processes = new Set<AcpProcess>();
  #openings = 0;
  /** Calls follow each other, so that two turns never start two processes. */
  #current: Promise<AcpProcess | undefined> = Promise.resolve(undefined);

  constructor(options: ProviderOptions) {
    this.id = options.spec.name;
    this.#options = options;
  }

  run(turn: Turn): AsyncGenerator<AgentEvent, void, undefined> {
    return streamTurn(turn, this.#options.time, (running) => this.#perform(running));
  }

  async close(): Promise<void> {
    const endAll = (): Promise<unknown> => Promise.all([...this.#processes].map((process) => process.end()));
    await endAll();
    // One may have been about to start.
    await this.#current;
    await endAll();
  }

  /** Starts the agent in a folder and asks what it is; a session is opened for its modes and models. */
  async probe(cwd: string): Promise<AgentProbe> {
    const none = { modes: [], models: [] };
    try {
      const process = await this.#take(() => undefined);
      const version = word(at(process.about, "agentInfo", "version"));
      const facts = { answers: true, ...(version === undefined ? {} : { version }) };
      try {
        const { modes, models } = readChoices(await process.request("session/new", { cwd, mcpServers: [] }));
        return { ...facts, modes, models };
      } catch (cause) {
        return { ...facts, ...none, problem: messageOf(cause) };
      }
    } catch (cause) {
      return { answers: false, ...none, problem: messageOf(cause) };
    }
  }

  async #perform(running: RunningTurn): Promise<TurnEnd> {
    const { turn, signal, record } = running;
    const work = this.#inProcess(running);
    const aborted = new Promise<"aborted">((done) => {
      if (signal.aborted) done("aborted");
      signal.addEventListener("abort", () => done("aborted"));
    });
    if ((await Promise.race([work.opened, aborted])) === "aborted" && !work.isPrompted()) {
      // Nothing was prompted yet, so there is nothing to cancel: what is being opened is not waited for.
      work.end.catch(() => undefined);
      return { stop: turn.signal?.aborted === true ? "cancelled" : "error", failure: record.failure };
    }
    return await work.end;
  }

  /** A turn from the start of the process to the agent's answer; `opened` settles when it is prompted, or will not be. */
  #inProcess(running: RunningTurn): { readonly opened: Promise<unknown>; isPrompted(): boolean; readonly end: Promise<TurnEnd> } {
    const { turn, signal } = running;
    const { spec, time } = this.#options;
    let isPrompted = false;
    let opened = (): void => undefined;
    const whenOpened = new Promise<void>((done) => (opened = done));
    const perform = async (): Promise<TurnEnd> => {
      const process = await this.#take((direction, message) => turn.onRaw?.(direction, message));
      process.turns += 1;
      this.#openings += 1;
      const opening = `opening ${this.#openings}`;
      process.listeners.set(opening, hearOpening(running));
      const inSession = async (): Promise<TurnEnd> => {
        running.alive();
        const { session, resumed, why } = await openSession(process, turn, { spec, time });
        if (signal.aborted) return { stop: "cancelled" };
        running.emit({ type: "session", sessionId: session?.id ?? turn.session ?? "", resumed });
        if (turn.fork === true && session !== undefined && resumed !== "forked")
          running.emit({ type: "notice", level: "warn", text: "The agent has no forks of sessions, so the session itself is continued." });
        if (session === undefined) return { stop: "error", failure: { kind: "lost", text: `The session cannot be continued: ${why}.` } };
        await choose(session, { spec, turn }, (method, params) => process.request(method, params));
        // A caller that keeps the session has kept it before the agent can do anything in it.
        await running.heard();
        if (signal.aborted) return { stop: "cancelled" };
        isPrompted = true;
        process.listeners.delete(opening);
        opened();
        return await this.#prompt(process, session, running);
      };
      try {
        const ended = await inSession();
        this.#judge(process, running, ended.failure);
        return ended;
      } catch (cause) {
        this.#judge(process, running, cause instanceof TurnFailed ? cause.failure : undefined);
        throw cause;
      } finally {
        process.listeners.delete(opening);
        process.turns -= 1;
        if (process.isBroken && process.turns === 0) await this.#drop(process);
      }
    };
    const end = perform().finally(opened);
    return { opened: whenOpened, isPrompted: () => isPrompted, end };
  }

  /** A process in which a turn failed takes no other one. */
  #judge(process: AcpProcess, { turn, record }: RunningTurn, failure: Failure | undefined): void {
    const why = worse(record.failure, failure);
    if (why === undefined || notItsOwn.has(why.kind) || turn.signal?.aborted === true) return;
    if (canContinue(process, this.#options.spec)) process.isBroken = true;
  }

  async #prompt(process: AcpProcess, session: AcpSession, running: RunningTurn): Promise<TurnEnd> {
    const { turn, signal } = running;
    const { spec, time } = this.#options;
    let reported: AgentUsage = {};
    const listener = hearSession(session, running, {
      textFilters: spec.textFilters,
      now: time.now,
      onUsage: (usage) => {
        reported = { ...reported, ...usage };
        return session.meter.soFar(reported);
      },
    });
    process.listeners.set(session.id, listener);
    let offKill = (): void => undefined;
    let cancel = (): void => undefined;
    const killed = new Promise<never>((_done, failed) => {
      cancel = () => {
        process.cancel(session.id);
        offKill = time.alarms.after(cancelMs, () => {
          process.isBroken = true;
          failed(new TurnFailed({ kind: "timeout", text: "The agent did not stop when it was asked to." }));
        });
      };
      if (signal.aborted) cancel();
      else signal.addEventListener("abort", cancel);
    });
    try {
      const answer = await Promise.race([
        process.prompt({ sessionId: session.id, prompt: [{ type: "text", text: promptOf(turn) }] }),
        killed,
      ]);
      noteFailure(answer, running, time.now());
      const usage = session.meter.turn({ ...reported, ...reportedUsage(answer) });
      if (Object.keys(usage).length > 0) running.emit({ type: "usage", usage });
      const stop = stops[word(at(answer, "stopReason")) ?? ""] ?? "end";
      return { stop, failure: stop === "refused" ? { kind: "refused", text: "The agent refused to continue." } : undefined };
    } finally {
      signal.removeEventListener("abort", cancel);
      offKill();
      process.listeners.delete(session.id);
    }
  }

  /** The process for the next turn: the current one, unless it failed or has had its share of sessions. */
  #take(raw: Listener["raw"]): Promise<AcpProcess> {
    const next = this.#current.then(async (held) => {
      const isFull = this.#options.spec.resume !== "none" && (held?.opened ?? 0) >= mostSessions;
      if (held !== undefined && !held.isBroken && !isFull) return held;
      if (held !== undefined) {
        held.isBroken = true;
        if (held.turns === 0) await this.#drop(held);
      }
      return await AcpProcess.start(this.#options, raw, (started) => this.#processes.add(started));
    });
    this.#current = next.catch(() => undefined);
    return next;
  }

  async #drop(process: AcpProcess): Promise<void> {
    this.#processes.delete(process);
    await process.end();
  }
}
