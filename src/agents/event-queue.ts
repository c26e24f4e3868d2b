/** Values that one side puts in and the other takes out as they come. */
export class EventQueue<T> implements AsyncIterable<T> {
  readonly #held: T[] = [];
  #isClosed = false;
  #wake: () => void = () => undefined;
  #waiting: (() => void)[] = [];

  put(value: T): void {
    if (this.#isClosed) return;
    this.#held.push(value);
    this.#wake();
  }

  /** What was put in before is still taken out. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** Resolves when the other side has taken out all that was put in, and asks for more. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#wake();
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (;;) {
      while (this.#held.length > 0) yield this.#held.shift()!;
      for (const resolve of this.#waiting.splice(0)) resolve();
      if (this.#isClosed) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
