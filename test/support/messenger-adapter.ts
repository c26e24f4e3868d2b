import { growMessage, type Incoming, type Platform, type StreamingMode } from "../../src/chat/index.ts";
import type { Alarms } from "../../src/ports/index.ts";

/** The service of a messenger, as its library offers it: channels, threads in them, and messages that can be edited. */
export interface Messenger {
  /** The thread that belongs to a message of a channel; the same one each time. */
  openThread(channel: string, message: string): Promise<string>;
  post(thread: string, text: string): Promise<string>;
  edit(thread: string, message: string, text: string): Promise<void>;
  /** Calls back for each message that someone writes; at least once. */
  listen(take: (written: Written) => Promise<void>): () => void;
}

export interface Written {
  /** A channel, or a thread that was opened before. */
  readonly where: string;
  readonly message: string;
  readonly author: string;
  readonly text: string;
}

/** A sample of an adapter: all that another platform needs is this file. */
export class MessengerAdapter implements Platform {
  readonly longestMessage = 200;
  readonly #service: Messenger;
  readonly #alarms: Alarms;
  readonly #receive: (message: Incoming) => Promise<unknown>;
  readonly #mode: StreamingMode;
  #stopListening: () => void = () => undefined;

  constructor(service: Messenger, alarms: Alarms, receive: (message: Incoming) => Promise<unknown>, mode: StreamingMode = "stream") {
    this.#service = service;
    this.#alarms = alarms;
    this.#receive = receive;
    this.#mode = mode;
  }

  getPlatformType(): string {
    return "messenger";
  }

  getStreamingMode(): StreamingMode {
    return this.#mode;
  }

  async send(thread: string, text: string | AsyncIterable<string>): Promise<void> {
    if (typeof text === "string") return void (await this.#service.post(thread, text));
    const post = (first: string): Promise<string> => this.#service.post(thread, first);
    const edit = (message: string, whole: string): Promise<void> => this.#service.edit(thread, message, whole);
    await growMessage(text, { post, edit }, this.#alarms);
  }

  /** A message in a channel begins a thread of its own; one in a thread continues there. */
  ensureThread(where: string, context?: unknown): Promise<string> {
    if (!where.startsWith("#")) return Promise.resolve(where);
    const { message } = context as { readonly message: string };
    return this.#service.openThread(where, message);
  }

  start(): Promise<void> {
    this.#stopListening = this.#service.listen(async ({ where, message, author, text }) => {
      await this.#receive({ conversation: where, id: message, person: author, text });
    });
    return Promise.resolve();
  }

  stop(): Promise<void> {
    this.#stopListening();
    return Promise.resolve();
  }
}
