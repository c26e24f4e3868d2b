/** Texts that are given one after the other and read as they come, by one reader. */
export class TextChannel implements AsyncIterable<string> {
  readonly #texts: string[] = [];
  #isClosed = false;
  #wake: () => void = () => undefined;

  push(text: string): void {
    this.#texts.push(text);
    this.#wake();
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void, undefined> {
    for (;;) {
      // What came together is given together.
      if (this.#texts.length > 0) yield this.#texts.splice(0).join("");
      else if (this.#isClosed) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}
