import type { Incoming, Platform } from "./platform.ts";

const mostKept = 1000;

/** The threads of the newest messages: one that is delivered again is found in its conversation, though the adapter would make another thread. */
export class MadeThreads {
  readonly #threads = new Map<string, string>();

  /** Asks the adapter once for a message, unless that failed. */
  async of(platform: Platform, { conversation, id }: Pick<Incoming, "conversation" | "id">): Promise<string> {
    const key = JSON.stringify([platform.getPlatformType(), conversation, id]);
    const made = this.#threads.get(key);
    if (made !== undefined) return made;
    const thread = await platform.ensureThread(conversation, { message: id });
    if (thread === conversation) return thread;
    this.#threads.set(key, thread);
    const [oldest] = this.#threads.keys();
    if (oldest !== undefined && this.#threads.size > mostKept) this.#threads.delete(oldest);
    return thread;
  }
}
