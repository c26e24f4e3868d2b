import { sendText, type Place } from "./place.ts";
import { cutAt, openFence } from "./split-message.ts";
import { TextChannel } from "./text-channel.ts";

interface Growing {
  readonly channel: TextChannel;
  readonly sent: Promise<void>;
  text: string;
}

/** Room for the line that closes a block of code. */
const closingRoom = 8;

/**
 * What an agent says in a conversation: in stream mode messages that grow, with a line for each tool between them; in batch mode one text at the
 * end. A message that becomes too long is continued in the next one.
 */
export class Reply {
  readonly #place: Place;
  readonly #isStream: boolean;
  readonly #longest: number;
  readonly #said: string[] = [];
  #growing: Growing | undefined;
  #before: Promise<void> = Promise.resolve();

  constructor(place: Place) {
    this.#place = place;
    this.#isStream = place.platform.getStreamingMode() === "stream";
    this.#longest = place.platform.longestMessage ?? Number.POSITIVE_INFINITY;
  }

  add(text: string): void {
    this.#said.push(text);
    if (!this.#isStream) return;
    // A message begins with something to read.
    const begun = this.#growing === undefined ? text.trimStart() : text;
    for (let rest = begun; rest !== "";) rest = this.#grow(rest);
  }

  tool(line: string): void {
    if (!this.#isStream) return;
    this.#close();
    this.#then(() => sendText(this.#place, line));
  }

  /** Resolves when the platform has everything; rejects with what it refused first. */
  async end(): Promise<void> {
    this.#close();
    const text = this.#said.join("").trim();
    if (!this.#isStream && text !== "") this.#then(() => sendText(this.#place, text));
    await this.#before;
  }

  /** Adds to the message that grows, as much as it takes; answers the rest. */
  #grow(text: string): string {
    const { platform, platformId } = this.#place;
    if (this.#growing === undefined) {
      const channel = new TextChannel();
      const sent = this.#before.then(() => platform.send(platformId, channel));
      // Who ends the reply hears of it.
      this.#before = sent;
      sent.catch(() => undefined);
      this.#growing = { channel, sent, text: "" };
    }
    const growing = this.#growing;
    const room = this.#longest - growing.text.length - closingRoom;
    if (this.#longest === Number.POSITIVE_INFINITY || text.length <= room) return this.#push(growing, text, "");
    const end = room <= 0 ? 0 : cutAt(text, room);
    this.#push(growing, text.slice(0, end), "");
    const fence = openFence(growing.text);
    if (fence !== undefined) growing.channel.push(`\n${fence.mark}`);
    this.#close();
    const rest = text.slice(end).replace(/^\r?\n/, "");
    return fence === undefined ? rest.trimStart() : `${fence.opened}\n${rest}`;
  }

  #push(growing: Growing, text: string, rest: string): string {
    growing.text += text;
    if (text !== "") growing.channel.push(text);
    return rest;
  }

  #close(): void {
    this.#growing?.channel.close();
    this.#growing = undefined;
  }

  #then(send: () => Promise<void>): void {
    this.#before = this.#before.then(send);
    this.#before.catch(() => undefined);
  }
}
