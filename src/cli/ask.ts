import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import { failure } from "./codes.ts";
import { plainText } from "./output.ts";
import type { CliWorld } from "./world.ts";

interface AskOptions {
  readonly secret?: boolean;
  /** Nobody need answer any more. */
  readonly signal?: AbortSignal | undefined;
}

/** Asks a person, one line at a time. Lines typed ahead are kept. Rejects with CLI_NO_ANSWER when the input ends, or the signal says so. */
export class Prompter {
  readonly #world: Pick<CliWorld, "stdin" | "stdout" | "isTerminal">;
  #reading: Interface | undefined;
  readonly #lines: string[] = [];
  /** Lets the question that waits look whether it has its answer. */
  #look: () => void = () => undefined;
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

  async ask(question: string, { secret, signal }: AskOptions = {}): Promise<string> {
    this.#open();
    this.#show(plainText(question, true));
    this.#silent = secret === true;
    const why = this.#ended ? "The input ended before the question was answered." : "The question was left without an answer.";
    try {
      const line = await this.#line(signal);
      if (line === undefined) throw failure("CLI_NO_ANSWER", why);
      return line;
    } finally {
      this.#asked += 1;
      if (this.#silent || signal?.aborted === true) this.#world.stdout.write("\n");
      this.#silent = false;
    }
  }

  /** True only for a clear yes. */
  async confirm(question: string): Promise<boolean> {
    return /^(?:y|yes)$/i.test((await this.ask(`${question} [y/N] `)).trim());
  }

  /** Leaves a terminal to others until the next question: what is typed there meanwhile does not answer it, and Ctrl-C is a signal again. */
  rest(): void {
    const reading = this.#reading;
    if (reading?.terminal !== true || this.#ended) return;
    this.#reading = undefined;
    reading.close();
  }

  close(): void {
    this.#reading?.close();
  }

  /** The next line that is typed; undefined when there is none, or the signal was first. */
  #line(signal: AbortSignal | undefined): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.#look = () => {
        const isOver = signal?.aborted === true;
        if (!isOver && !this.#ended && this.#lines.length === 0) return;
        signal?.removeEventListener("abort", this.#look);
        this.#look = () => undefined;
        resolve(isOver ? undefined : this.#lines.shift());
      };
      signal?.addEventListener("abort", this.#look);
      this.#look();
    });
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
    reading.on("line", (line) => {
      this.#lines.push(line);
      this.#look();
    });
    reading.on("SIGINT", () => reading.close());
    reading.on("close", () => {
      // Closed by `rest`, it is opened again for the next question.
      if (this.#reading !== reading) return;
      this.#ended = true;
      this.#look();
    });
    this.#reading = reading;
  }
}
