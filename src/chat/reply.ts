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
const leastForCode = 100;

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
  /** White space that counts only if something follows. */
  #space = "";
  #before: Promise<void> = Promise.resolve();

  constructor(place: Place) {
    this.#place = place;
    this.#isStream = place.platform.getStreamingMode() === "stream";
    this.#longest = place.platform.longestMessage ?? Number.POSITIVE_INFINITY;
  }

  add(text: string): void {
    this.#said.push(text);
    if (!this.#isStream) return;
    const [said = ""] = /^[^]*\S/.exec(`${this.#space}${text}`) ?? [];
    this.#space = `${this.#space}${text}`.slice(said.length);
    // A message begins with something to read.
    const begun = this.#growing === undefined ? said.trimStart() : said;
    for (let rest = begun; rest !== "";) rest = this.#grow(rest);
  }

  tool(line: string): void {
    if (!this.#isStream) return;
    this.#space = "";
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
    const isFirst = growing.text === "";
    const end = text.length <= room ? text.length : room > 0 ? cutAt(text, room) : isFirst ? cutAt(text, this.#longest) : 0;
    growing.text += text.slice(0, end);
    if (end > 0) growing.channel.push(text.slice(0, end));
    if (end === text.length) return "";
    // Where hardly more than the marks would fit, the text counts more than how it looks.
    const fence = this.#longest < leastForCode ? undefined : openFence(growing.text);
    if (fence !== undefined) growing.channel.push(`\n${fence.mark}`);
    this.#close();
    const rest = text.slice(end).replace(/^\r?\n/, "");
    return fence === undefined ? rest.trimStart() : `${fence.opened}\n${rest}`;
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
