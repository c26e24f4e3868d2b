import type { JsonObject } from "../base/index.ts";

const mostMessages = 10_000;
const mostChars = 8 * 1024 * 1024;

/** What was sent to conversations, until it is forgotten; when it becomes too much, the oldest goes first. */
export class SentMessages {
  #messages: { readonly conversation: string; readonly text: string; readonly at: string }[] = [];
  #chars = 0;

  keep(conversation: string, text: string): void {
    this.#messages.push({ conversation, text, at: new Date(Date.now()).toISOString() });
    this.#chars += text.length;
    while (this.#messages.length > mostMessages || (this.#chars > mostChars && this.#messages.length > 1))
      this.#chars -= this.#messages.shift()?.text.length ?? 0;
  }

  /** Oldest first, as the test adapter answers them. */
  of(conversation: string): JsonObject[] {
    return this.#messages
      .filter((message) => message.conversation === conversation)
      .map(({ text, at }) => ({ conversationId: conversation, message: text, timestamp: at, direction: "sent" }));
  }

  forget(conversation: string): void {
    this.#messages = this.#messages.filter((message) => message.conversation !== conversation);
    this.#chars = this.#messages.reduce((sum, { text }) => sum + text.length, 0);
  }
}
