import { randomUUID } from "node:crypto";
import { createInterface, type Interface } from "node:readline";
import type { Platform, Receive, StreamingMode } from "../../chat/index.ts";
import type { Output } from "../output.ts";
import type { CliWorld } from "../world.ts";

export interface TerminalParts {
  readonly world: Pick<CliWorld, "stdin" | "stdout" | "isTerminal">;
  readonly out: Output;
  readonly conversation: string;
  /** The user of this computer. */
  readonly person: string;
  readonly mode: StreamingMode;
  readonly receive: Receive;
  /** Without a terminal the next line waits for it, so that a script may answer what its last line led to. */
  readonly idle: () => Promise<void>;
}

const prompt = "> ";

/**
 * The terminal as a place to chat: lines come in, messages go out. At a terminal, lines that come at once were pasted and are one message;
 * without one each line is a message, and the input's end is the end of the chat.
 */
export class TerminalPlatform implements Platform {
  readonly #parts: TerminalParts;
  /** Resolves when the input ended and all of it was taken; rejects when a message could not be kept. */
  readonly ended: Promise<void>;
  #end: (failure?: Error) => void = () => undefined;
  #reading: Interface | undefined;
  #pasted: string[] = [];
  #taking: Promise<void> = Promise.resolve();
  #showing: Promise<void> = Promise.resolve();

  constructor(parts: TerminalParts) {
    this.#parts = parts;
    this.ended = new Promise((resolve, reject) => {
      this.#end = (failure) => (failure === undefined ? resolve() : reject(failure));
    });
  }

  /** For programs nothing is shown but messages. */
  get #hasPrompt(): boolean {
    return this.#parts.world.isTerminal && !this.#parts.out.json;
  }

  /** Programs keep what they were sent. */
  get forgets(): boolean {
    return this.#hasPrompt;
  }

  getPlatformType(): string {
    return "terminal";
  }

  getStreamingMode(): StreamingMode {
    return this.#parts.mode;
  }

  /** Two terminals may have a conversation each. */
  serves(conversation: string): boolean {
    return conversation === this.#parts.conversation;
  }

  ensureThread(conversation: string): Promise<string> {
    return Promise.resolve(conversation);
  }

  start(): Promise<void> {
    const { stdin, stdout, isTerminal } = this.#parts.world;
    const shown = this.#hasPrompt ? { output: stdout, terminal: true } : { terminal: false };
    const reading = createInterface({ input: stdin, ...shown, prompt });
    this.#reading = reading;
    reading.on("line", (line) => (isTerminal ? this.#gather(line) : this.#take(line)));
    // The reader has the keyboard, so the system does not see Ctrl-C.
    reading.on("SIGINT", () => void process.emit("SIGINT"));
    reading.on("close", () => {
      this.#flush();
      // A reader that is closed would read again, and wait, when it is to show its prompt.
      this.#reading = undefined;
      // What follows does not begin behind the prompt.
      if (this.#hasPrompt) this.#parts.out.line();
      void this.#taking.then(() => this.#end());
    });
    this.#prompt();
    return Promise.resolve();
  }

  /** Nothing more is read; what is being shown is shown. */
  async stop(): Promise<void> {
    this.#reading?.close();
    await this.#showing;
  }

  send(conversation: string, text: string | AsyncIterable<string>): Promise<void> {
    const shown = this.#showing.then(() => this.#show(conversation, text));
    this.#showing = shown.catch(() => undefined);
    return shown;
  }

  #gather(line: string): void {
    if (this.#pasted.push(line) === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const lines = this.#pasted.splice(0);
    if (lines.length > 0) this.#take(lines.join("\n"));
  }

  #take(text: string): void {
    const { conversation, person, receive, idle, world } = this.#parts;
    if (text.trim() === "") return this.#prompt();
    const give = (): Promise<unknown> => receive({ conversation, id: randomUUID(), person, text });
    // A person answers what is shown at this moment.
    const given = world.isTerminal ? give() : undefined;
    given?.catch(() => undefined);
    this.#taking = this.#taking
      .then(async () => {
        await (given ?? give());
        if (world.isTerminal) this.#prompt();
        else await idle();
      })
      .catch((error: unknown) => this.#end(error instanceof Error ? error : new Error(String(error))));
  }

  async #show(conversation: string, text: string | AsyncIterable<string>): Promise<void> {
    const { out } = this.#parts;
    if (out.json) return out.entry({ conversationId: conversation, message: await wholeText(text) });
    this.#clearPrompt();
    try {
      for await (const piece of typeof text === "string" ? [text] : inWholeCharacters(text)) out.raw(out.plain(piece));
    } finally {
      out.line();
      this.#prompt();
    }
  }

  /** What is being typed is shown again below the message. */
  #prompt(): void {
    if (this.#hasPrompt) this.#reading?.prompt(true);
  }

  #clearPrompt(): void {
    if (!this.#hasPrompt || this.#reading === undefined) return;
    const { rows } = this.#reading.getCursorPos();
    this.#parts.out.raw(`${rows === 0 ? "" : `\u001b[${rows}A`}\r\u001b[J`);
  }
}

async function wholeText(text: string | AsyncIterable<string>): Promise<string> {
  if (typeof text === "string") return text;
  let all = "";
  for await (const piece of text) all += piece;
  return all;
}

/** Pieces that end neither within a character nor within a line's end: each is made safe to show by itself. */
async function* inWholeCharacters(pieces: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let held = "";
  for await (const piece of pieces) {
    const text = held + piece;
    held = /[\r\uD800-\uDBFF]$/.exec(text)?.[0] ?? "";
    const whole = text.slice(0, text.length - held.length);
    if (whole !== "") yield whole;
  }
  if (held !== "") yield held;
}
