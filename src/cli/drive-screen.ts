import { maskSecrets, type EngineContext, type RunHandle } from "../engine/index.ts";
import type { TranscriptEntry } from "../ports/index.ts";
import type { DriveEvent, DriveRequest } from "../runner/index.ts";
import { follow, messageLine } from "./commands/watch.ts";
import { createLiveWriter } from "./live-writer.ts";
import type { SaidLine } from "./order-lines.ts";
import type { Session } from "./session.ts";

/** Shows a run while it is driven, as `waymark watch` does, with what only its driver knows. */
export class DriveScreen {
  readonly #session: Session;
  readonly #context: EngineContext;
  readonly #handle: RunHandle;
  #live: ReturnType<typeof createLiveWriter> | undefined;
  /** What the driver said since the run was last looked at. */
  readonly #said: SaidLine[] = [];
  /** Whose agents this driver hears. */
  readonly #actions = new Set<string>();
  /** Steps whose turn is under way. */
  readonly #turns = new Set<string>();
  /** Strands whose step is to continue in the conversation that it was interrupted in. */
  readonly #interrupted = new Set<string>();
  /** False when the run is over: what is said then has no place to wait for. */
  #isFollowed = false;
  #stop = new AbortController();
  #watching: Promise<void> = Promise.resolve();
  /** What happens while a person is asked is shown afterwards. */
  #shown: Awaited<ReturnType<typeof follow>> | undefined;

  constructor(session: Session, context: EngineContext, handle: RunHandle) {
    this.#session = session;
    this.#context = context;
    this.#handle = handle;
  }

  start(): void {
    const live = createLiveWriter(this.#session, this.#context.host.alarms);
    this.#live = live;
    this.#isFollowed = true;
    this.#stop = new AbortController();
    const driver = { said: () => this.#said.splice(0), says: ({ action }: TranscriptEntry) => this.#actions.has(action) };
    const parts = { context: this.#context, handle: this.#handle, live };
    const following = follow(parts, this.#stop.signal, driver, this.#shown).then((shown) => void (this.#shown = shown));
    this.#watching = following.finally(() => {
      this.#isFollowed = false;
      for (const { text } of this.#said.splice(0)) live.line(text);
      live.close();
    });
  }

  show(event: DriveEvent): void {
    if (event.type === "told" || event.type === "notice") this.#say(event.text);
    if (event.type === "reported" && event.how === "lost") this.#say(`\`${event.step}\`: ${event.why ?? ""}`);
    if (event.type === "agent") {
      this.#actions.add(event.entry.action);
      if (event.entry.event.type === "prompt") this.#turns.add(event.entry.action);
      if (event.entry.event.type === "result") this.#turns.delete(event.entry.action);
      this.#tellSession(event.entry);
      const line = messageLine(this.#context, this.#handle, event.entry);
      if (line !== undefined) this.#say(maskSecrets(line, this.#handle.program, this.#handle.state));
    }
    if (event.type === "step" && event.resumed) this.#interrupted.add(event.position.strand);
  }

  /** Says what Ctrl-C leads to. What the run starts with may be under way already then. */
  tellStops({ finish, cancel, workers }: Pick<DriveRequest, "finish" | "cancel" | "workers">): void {
    const [open, them] = workers === 1 ? ["turn or command", "it"] : ["turns and commands", "them"];
    const isOpen = (): boolean => this.#turns.size > 0 || this.#context.effects.running.size > 0;
    const tellAt = (signal: AbortSignal, text: string, without?: string): void => {
      const tell = (): void => {
        const said = isOpen() ? text : without;
        if (said !== undefined) this.#say(said);
      };
      if (signal.aborted) tell();
      else signal.addEventListener("abort", tell, { once: true });
    };
    tellAt(finish, `Waymark stops after the open ${open}. Press Ctrl-C again to cancel ${them}.`, "Waymark stops.");
    tellAt(cancel, `The open ${open} ${them === "it" ? "is" : "are"} cancelled.`);
  }

  /** Whether a conversation continues is known only when the agent has taken it up. */
  #tellSession({ strand, step, agent, event }: TranscriptEntry): void {
    if (event.type !== "session" || !this.#interrupted.delete(strand)) return;
    if (event.resumed !== "new" && event.resumed !== "lost") this.#say(`\`${step}\` continues in its conversation with ${agent}.`);
  }

  /** Shown in its place among what the run and its agents did, which is not looked at all the time. */
  #say(text: string): void {
    if (this.#isFollowed || this.#live === undefined) this.#said.push({ at: Date.now(), head: this.#handle.head, text });
    else this.#live?.line(text);
  }

  /** Shows what is left, and leaves the terminal to others. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#watching;
    this.#live = undefined;
  }
}
