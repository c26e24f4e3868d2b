import { Busy } from "./busy.ts";
import type { Chat, ChatEngine, ChatParts } from "./chat-parts.ts";
import { refusal } from "./codes.ts";
import { stranger, type Desk, type Person } from "./desk.ts";
import { MadeThreads } from "./made-threads.ts";
import { MessageTurns } from "./message-turns.ts";
import { OpenRuns, type AskedIn } from "./open-runs.ts";
import { parseCommand } from "./parse-command.ts";
import { errorText } from "./parked-text.ts";
import { sendText } from "./place.ts";
import { longestText, tooLongText, type Incoming, type Platform } from "./platform.ts";

/** Longer ids are not kept: no platform gives them. */
const longestId = 500;
/** Messages of one conversation that may wait for their turn. */
const mostWaiting = 100;

/** Nothing is read or begun before an adapter joins. */
export function createChat(parts: ChatParts): Chat {
  return new TheChat(parts);
}

class TheChat implements Chat {
  readonly #parts: ChatParts;
  readonly #busy = new Busy();
  readonly #runs: OpenRuns;
  readonly #turns: MessageTurns;
  #isClosed = false;
  readonly #engines = new Map<string, Promise<ChatEngine>>();
  /** Messages of one place are kept in the order in which they came. */
  readonly #taking = new Map<string, Promise<unknown>>();
  readonly #threads = new MadeThreads();
  #home: Promise<string> | undefined;

  constructor(parts: ChatParts) {
    this.#parts = parts;
    const engineOf = (codebase: string): Promise<ChatEngine> => this.#engineOf(codebase);
    this.#runs = new OpenRuns({ parts, busy: this.#busy, engineOf });
    this.#turns = new MessageTurns({
      parts,
      runs: this.#runs,
      busy: this.#busy,
      engineOf,
      personOf: (platform, id) => this.#personOf(platform, id),
      said: (...given) => this.#said(...given),
    });
  }

  async join(platform: Platform): Promise<void> {
    const { conversations, log } = this.#parts;
    const type = platform.getPlatformType();
    const serves = (conversation: string): boolean => platform.serves?.(conversation) ?? true;
    const runs = (await conversations.runsToSend(type)).filter(({ platformId }) => serves(platformId));
    for (const followed of runs) {
      const place = { platform, conversation: followed.conversation, platformId: followed.platformId };
      await this.#runs
        .follow(place, followed)
        .catch((error: unknown) => log("warn", `Run ${followed.run} could not be taken up: ${String(error)}`));
    }
    if (platform.forgets === true) for (const { run } of runs) await this.#runs.remind(run);
    for (const message of await conversations.openMessages(type)) {
      const place = { platform, conversation: message.conversation, platformId: message.platformId };
      const asked = this.#runs.asked(message.conversation);
      if (serves(message.platformId) && !this.#turns.has(message.id)) void this.#turns.handle(place, message, { isAgain: true, asked });
    }
  }

  receive(platform: Platform, message: Incoming): Promise<"taken" | "repeated" | "refused"> {
    const key = `${platform.getPlatformType()}\n${message.conversation}`;
    // An answer is for what its author has seen; another question may be shown before the message is kept.
    const asked = this.#runs.shown();
    const taken = (this.#taking.get(key) ?? Promise.resolve()).catch(() => undefined).then(() => this.#take(platform, message, asked));
    this.#taking.set(key, taken);
    const forget = (): void => {
      if (this.#taking.get(key) === taken) this.#taking.delete(key);
    };
    taken.then(forget, forget);
    return taken;
  }

  concurrency(): { readonly active: number; readonly queued: number; readonly max: number } {
    const { active, queued, max } = this.#turns.turns;
    return { active, queued, max };
  }

  isBusy(): boolean {
    return !this.#busy.isIdle;
  }

  async idle(conversation?: string): Promise<void> {
    await Promise.all([...this.#taking.values()].map((taken) => taken.catch(() => undefined)));
    await this.#busy.idle(conversation);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#turns.close();
    await this.#runs.close();
    await this.idle();
  }

  async #take(platform: Platform, message: Incoming, askedIn: AskedIn): Promise<"taken" | "repeated" | "refused"> {
    const { conversations } = this.#parts;
    const { conversation: platformId, id: key, person, text } = message;
    if ([platformId, key, person].some((id) => id.length > longestId) || this.#isClosed) return "refused";
    const refuse = async (error: Error): Promise<"refused"> => {
      await this.#said(platform, platformId, errorText(error));
      return "refused";
    };
    if (this.#personOf(platform, person) === undefined) return refuse(stranger(platform, person));
    if (text.length > longestText) return refuse(refusal("CHAT_TOO_LONG", tooLongText(text)));
    const thread = await this.#threads.of(platform, message);
    const { id: conversation } = await conversations.openConversation({
      platform: platform.getPlatformType(),
      platformId: thread,
      codebase: await this.#homeCodebase(),
    });
    const asked = askedIn(conversation);
    if (this.#isFull(conversation, text, asked))
      return refuse(refusal("CHAT_FULL", `${mostWaiting} messages wait here for their turn. This one was not taken.`));
    const kept = await conversations.takeMessage({ conversation, key, person, text });
    if (kept === undefined) return "repeated";
    void this.#turns.handle({ platform, conversation, platformId: thread }, kept, { isAgain: false, asked });
    return "taken";
  }

  /** What is done at once is taken however many wait. */
  #isFull(conversation: string, text: string, asked: Desk["asked"]): boolean {
    if (this.#turns.turns.queuedIn(conversation) < mostWaiting) return false;
    return parseCommand(text) === undefined && asked.length === 0;
  }

  async #said(platform: Platform, platformId: string, text: string): Promise<void> {
    try {
      await sendText({ platform, platformId }, text);
    } catch (error) {
      this.#parts.log("warn", `A reply could not be sent to ${platform.getPlatformType()}: ${String(error)}`);
    }
  }

  #personOf(platform: Platform, id: string): Person | undefined {
    const { name, ...rights } = this.#parts.people.of(platform.getPlatformType(), id);
    return name === undefined ? undefined : { id, name, ...rights };
  }

  async #homeCodebase(): Promise<string> {
    this.#home ??= this.#parts.conversations.keepCodebase(this.#parts.home).then(({ id }) => id);
    this.#home.catch(() => {
      this.#home = undefined;
    });
    return this.#home;
  }

  async #engineOf(id: string): Promise<ChatEngine> {
    const codebase = await this.#parts.conversations.readCodebase(id);
    if (codebase === undefined) throw refusal("CHAT_NO_CODEBASE", "Codebase not found.", "");
    const { folder } = codebase;
    const opening = this.#engines.get(folder) ?? this.#parts.open(folder);
    this.#engines.set(folder, opening);
    opening.catch(() => this.#engines.delete(folder));
    return opening;
  }
}
