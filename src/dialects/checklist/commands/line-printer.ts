import type { Output } from "../../../cli/index.ts";

/** Characters that are collected before they are handed to stdout. */
const chunkChars = 64 * 1024;

/** JSON lines, handed on in chunks; waits for the reader, so that nothing piles up. `flush` at the end. */
export class LinePrinter {
  readonly #out: Output;
  #held = "";

  constructor(out: Output) {
    this.#out = out;
  }

  async print(value: object): Promise<void> {
    this.#held += `${JSON.stringify(value)}\n`;
    if (this.#held.length >= chunkChars) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#held === "") return;
    this.#out.raw(this.#held);
    this.#held = "";
    await this.#out.flush();
  }
}
