import { nearest } from "../base/index.ts";
import type { Message } from "../ports/index.ts";
import { Busy } from "./busy.ts";
import type { Chat, ChatEngine, ChatParts } from "./chat-parts.ts";
import { refusal } from "./codes.ts";
import { commands } from "./commands/commands.ts";
import { answerByText, chosenBy, requireDecide } from "./decide-question.ts";
import { workplaceOf, type Desk, type Person } from "./desk.ts";
import { handleText, startNamed } from "./handle-text.ts";
import { OpenRuns, type AskedIn } from "./open-runs.ts";
import { parseCommand } from "./parse-command.ts";
import { errorText } from "./parked-text.ts";
import { sendText, type Place } from "./place.ts";
import { longestText, tooLongText, type Incoming, type Platform } from "./platform.ts";
import { beginRun } from "./start-run.ts";
import { TurnQueue } from "./turn-queue.ts";

/** Longer ids are not kept: no platform gives them. */
const longestId = 500;
/** Messages of one conversation that may wait for their turn. */
const mostWaiting = 100;

/** How things were when a message came. */
type Came = Pick<Desk, "isAgain" | "asked">;

/** Nothing is read or begun before an adapter joins. */
export function createChat(parts: ChatParts): Chat {
  return new TheChat(parts);
}

class TheChat implements Chat {
  readonly #parts: ChatParts;
  readonly #queue = new TurnQueue();
  /** Commands and answers wait for no turn, only for commands, and for answers, before them. */
  readonly #commands = new TurnQueue(Number.POSITIVE_INFINITY);
  readonly #answers = new TurnQueue(Number.POSITIVE_INFINITY);
  readonly #busy = new Busy();
  readonly #runs: OpenRuns;
  /** Messages that are kept and not done: an adapter that joins finds only those of earlier processes. */
  readonly #open = new Set<string>();
  #isClosed = false;
  readonly #engines = new Map<string, Promise<ChatEngine>>();
  /** Messages of one place are kept in the order in which they came. */
  readonly #taking = new Map<string, Promise<unknown>>();
  #home: Promise<string> | undefined;

  constructor(parts: ChatParts) {
    this.#parts = parts;
    this.#runs = new OpenRuns({ parts, busy: this.#busy, engineOf: (codebase) => this.#engineOf(codebase) });
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
      if (serves(message.platformId) && !this.#open.has(message.id)) void this.#handle(place, message, { isAgain: true, asked });
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
    const { active, queued, max } = this.#queue;
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
    this.#queue.close();
    this.#commands.close();
    this.#answers.close();
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
    const thread = await platform.ensureThread(platformId, { message: key });
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
    void this.#handle({ platform, conversation, platformId: thread }, kept, { isAgain: false, asked });
    return "taken";
  }

  /** What is done at once is taken however many wait. */
  #isFull(conversation: string, text: string, asked: Desk["asked"]): boolean {
    if (this.#queue.queuedIn(conversation) < mostWaiting) return false;
    return parseCommand(text) === undefined && asked.length === 0;
  }

  /** Does a message at once or in its turn, and settles it then. Never rejects. */
  #handle(place: Place, message: Message, came: Came): Promise<void> {
    const { conversations, log } = this.#parts;
    this.#open.add(message.id);
    return this.#busy.during(place.platformId, async () => {
      try {
        if (!(await this.#done(place, message, came))) return;
        await conversations.settleMessage(message.id);
      } catch (error) {
        log("warn", `A message could not be settled: ${String(error)}`);
      } finally {
        this.#open.delete(message.id);
      }
    });
  }

  /** False when the chat was closed before it was done. */
  async #done(place: Place, message: Message, came: Came): Promise<boolean> {
    const { platform, platformId } = place;
    const person = this.#personOf(platform, message.person);
    const say = (text: string): Promise<void> => this.#said(platform, platformId, text);
    if (person === undefined) return this.#said(platform, platformId, errorText(stranger(platform, message.person))).then(() => true);
    const desk: Desk = {
      parts: this.#parts,
      runs: this.#runs,
      engineOf: (codebase) => this.#engineOf(codebase),
      place,
      message,
      person,
      ...came,
      say,
    };
    const { work, when } = this.#workFor(desk);
    const { conversation } = place;
    // What a command changed by then, such as the folder, counts for what was written after it.
    const before = when === "turn" ? this.#commands.settled(conversation) : undefined;
    const queue = when === "turn" ? this.#queue : when === "command" ? this.#commands : this.#answers;
    return queue.add(conversation, async () => {
      await before;
      await this.#guarded(desk, work);
    });
  }

  /** What is done for a message, decided as it comes: an answer is for the questions that its author has seen by then. */
  #workFor(desk: Desk): { readonly work: () => Promise<void>; readonly when: "turn" | "command" | "answer" } {
    const { message, person, asked } = desk;
    const { start } = message;
    if (start !== undefined) return { work: () => beginRun(desk, start), when: "turn" };
    const parsed = parseCommand(message.text);
    const command = parsed && commands.find(({ name }) => name === parsed.name.toLowerCase());
    if (parsed !== undefined && command !== undefined)
      return { work: () => command.run(desk, parsed), when: command.inTurn === true ? "turn" : "command" };
    if (parsed !== undefined) return { work: () => namedOrUnknown(desk, parsed.name), when: "turn" };
    if (person.may.has("decide") && asked.length > 0) return { work: () => answerByText(desk), when: "answer" };
    const chosen = chosenBy(message.text, asked);
    if (chosen.length > 0) return { work: async () => requireDecide(desk, chosen), when: "answer" };
    return { work: () => handleText(desk), when: "turn" };
  }

  /** What goes wrong is said to the person. What was cancelled is left for the next process. */
  async #guarded(desk: Desk, work: () => Promise<void>): Promise<void> {
    const { place, message } = desk;
    const { home, lines } = this.#parts;
    try {
      await work();
    } catch (error) {
      if (this.#parts.cancel?.aborted === true) throw error;
      if (errorText(error) === errorText(undefined))
        this.#parts.log("warn", `Message ${message.id} failed: ${String((error as Error).stack ?? error)}`);
      const at = await workplaceOf(desk).catch(() => undefined);
      await this.#said(place.platform, place.platformId, lines.placed(at?.codebase.folder ?? home.folder, errorText(error)));
    }
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

function stranger(platform: Platform, person: string): Error {
  const id = `${platform.getPlatformType()}:${person}`;
  return refusal(
    "CHAT_STRANGER",
    "You are not known here, so nothing was done.",
    `Who runs Waymark can add \`${id}\` under \`people\` of their configuration.`,
  );
}

async function namedOrUnknown(desk: Desk, name: string): Promise<void> {
  if (await startNamed(desk)) return;
  const known = commands.map((each) => each.name);
  const [near] = nearest(name, known, 1);
  const hint = near === undefined ? "Write `/help` for the commands." : `Did you mean \`/${near}\`? Write \`/help\` for all commands.`;
  throw refusal("CHAT_NO_COMMAND", `There is no command \`/${name.slice(0, 100)}\`. Nothing was done.`, hint);
}
