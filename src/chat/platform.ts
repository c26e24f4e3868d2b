/** `stream`: texts and tool calls are sent as they come. `batch`: the texts of a step are sent together at its end. */
export type StreamingMode = "stream" | "batch";

/**
 * A place where people write, such as a terminal or a messenger: what an adapter implements, in one file. The adapter names the person, never
 * the text.
 */
export interface Platform {
  /** `terminal`, `test` ...: the first part of every person's id. */
  getPlatformType(): string;
  getStreamingMode(): StreamingMode;
  /** Whether this adapter serves a conversation that an earlier process left open; without it, it serves all of its platform. */
  readonly serves?: (conversation: string) => boolean;
  /** What an earlier process sent is not seen here any more: questions that are open are sent again when a chat begins. */
  readonly forgets?: boolean;
  /** The longest text that one message may have, in characters; longer ones come as several. */
  readonly longestMessage?: number;
  /**
   * Sends one message to a conversation; resolves when the platform has it. The pieces of an iterable are one message that grows: a platform
   * that can edit shows it as it grows, others send it when it is whole.
   */
  send(conversation: string, text: string | AsyncIterable<string>): Promise<void>;
  /**
   * The conversation in which to continue: a thread of it where the platform has threads, else the same. `context.message` is the id of the message that
   * came: whenever it comes, also to a later process, it has the same thread. In another one it is another message, which is done again.
   */
  ensureThread(conversation: string, context?: unknown): Promise<string>;
  /** Takes messages from now on and gives them to who made the adapter. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** What a person wrote, as an adapter gives it. */
export interface Incoming {
  /** The platform's ids: of the conversation, of the message (the same message twice has the same), of who wrote it. */
  readonly conversation: string;
  readonly id: string;
  readonly person: string;
  readonly text: string;
}

/** Longer messages are not taken, in characters. */
export const longestText = 100_000;

export function tooLongText({ length }: string): string {
  return `The message has ${length} characters; at most ${longestText} are taken. Nothing was done.`;
}

/** Takes a message: resolves when it is kept, which is before it is done. `repeated`: it was here before, and nothing happens. */
export type Receive = (message: Incoming) => Promise<"taken" | "repeated" | "refused">;
