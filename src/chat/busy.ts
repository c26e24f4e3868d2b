/** What is under way, by conversation, for who waits until nothing is. */
export class Busy {
  readonly #open = new Map<string, number>();
  readonly #waiting = new Set<() => void>();

  get isIdle(): boolean {
    return this.#open.size === 0;
  }

  /** Counts the work until it ends, however it ends. */
  async during<T>(conversation: string, work: () => Promise<T>): Promise<T> {
    this.#open.set(conversation, (this.#open.get(conversation) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (this.#open.get(conversation) ?? 1) - 1;
      if (left === 0) this.#open.delete(conversation);
      else this.#open.set(conversation, left);
      for (const look of this.#waiting) look();
    }
  }

  /** Resolves when nothing is under way in the conversation, or in any. */
  async idle(conversation?: string): Promise<void> {
    const isIdle = (): boolean => (conversation === undefined ? this.isIdle : !this.#open.has(conversation));
    // What ends may have begun something else in the same turn of the event loop.
    for (await Promise.resolve(); !isIdle(); await Promise.resolve())
      await new Promise<void>((resolve) => {
        const look = (): void => {
          if (!isIdle()) return;
          this.#waiting.delete(look);
          resolve();
        };
        this.#waiting.add(look);
      });
  }
}
