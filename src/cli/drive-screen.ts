import type { EngineContext, RunHandle } from "../engine/index.ts";
import type { DriveEvent } from "../runner/index.ts";
import { follow } from "./commands/watch.ts";
import { createLiveWriter } from "./live-writer.ts";
import type { Session } from "./session.ts";

/** Shows a run while it is driven, as `waymark watch` does, with what only its driver knows. */
export class DriveScreen {
  readonly #session: Session;
  readonly #context: EngineContext;
  readonly #handle: RunHandle;
  #live: ReturnType<typeof createLiveWriter> | undefined;
  #stop = new AbortController();
  #watching: Promise<void> = Promise.resolve();

  constructor(session: Session, context: EngineContext, handle: RunHandle) {
    this.#session = session;
    this.#context = context;
    this.#handle = handle;
  }

  start(): void {
    const live = createLiveWriter(this.#session, this.#context.host.alarms);
    this.#live = live;
    this.#stop = new AbortController();
    this.#watching = follow(this.#context, this.#handle, live, this.#stop.signal).finally(() => live.close());
  }

  show(event: DriveEvent): void {
    if (event.type === "told" || event.type === "notice") this.#live?.line(event.text);
    if (event.type === "step" && event.resumed) this.#live?.line(`\`${event.step}\` was interrupted, and continues with ${event.agent}.`);
  }

  /** Shows what is left, and leaves the terminal to others. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#watching;
    this.#live = undefined;
  }
}
