/** Values that one side puts in and the other takes out as they come. */
export class EventQueue<T> implements AsyncIterable<T> {
  readonly #held: T[] = [];
  #isClosed = false;
  #wake: () => void = () => undefined;

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

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (;;) {
      while (this.#held.length > 0) yield this.#held.shift()!;
      if (this.#isClosed) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
