import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import { failure } from "./codes.ts";
import { plainText } from "./output.ts";
import type { CliWorld } from "./world.ts";

/** Asks a person, one line at a time. Lines typed ahead are kept. Rejects with CLI_NO_ANSWER when the input ends. */
export class Prompter {
  readonly #world: Pick<CliWorld, "stdin" | "stdout" | "isTerminal">;
  #reading: Interface | undefined;
  #lines: AsyncIterator<string> | undefined;
  #ended = false;
  #silent = false;
  #asked = 0;

  constructor(world: Pick<CliWorld, "stdin" | "stdout" | "isTerminal">) {
    this.#world = world;
  }

  /** How many questions are behind us: what was known before the last one may be out of date. */
  get asked(): number {
    return this.#asked;
  }

  async ask(question: string, options: { readonly secret?: boolean } = {}): Promise<string> {
    this.#open();
    this.#show(plainText(question, true));
    this.#silent = options.secret === true;
    const why = this.#ended ? "The input ended before the question was answered." : "The question was left without an answer.";
    try {
      const line = await this.#lines?.next();
      if (line === undefined || line.done === true) throw failure("CLI_NO_ANSWER", why);
      return line.value;
    } finally {
      this.#asked += 1;
      if (this.#silent) this.#world.stdout.write("\n");
      this.#silent = false;
    }
  }

  /** True only for a clear yes. */
  async confirm(question: string): Promise<boolean> {
    return /^(?:y|yes)$/i.test((await this.ask(`${question} [y/N] `)).trim());
  }

  close(): void {
    this.#reading?.close();
    this.#reading = undefined;
  }

  /** The last line is the reader's own prompt, so that it stays when the person edits what they type. */
  #show(question: string): void {
    const at = question.lastIndexOf("\n") + 1;
    this.#world.stdout.write(question.slice(0, at));
    if (this.#ended || this.#reading === undefined) this.#world.stdout.write(question.slice(at));
    else {
      this.#reading.setPrompt(question.slice(at));
      this.#reading.prompt();
    }
  }

  #open(): void {
    if (this.#reading !== undefined || this.#ended) return;
    const { stdin, stdout, isTerminal } = this.#world;
    const echo = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        // Done at once: a prompt that waited for its turn would be lost when the echo is switched off behind it.
        if (!this.#silent) stdout.write(chunk);
        done();
      },
    });
    const terminal = isTerminal && (stdin as { isTTY?: boolean }).isTTY === true;
    const reading = createInterface({ input: stdin, output: echo, terminal });
    reading.on("SIGINT", () => reading.close());
    reading.on("close", () => {
      this.#ended = true;
    });
    this.#reading = reading;
    this.#lines = reading[Symbol.asyncIterator]();
  }
}
