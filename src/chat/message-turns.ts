import { nearest } from "../base/index.ts";
import type { Message } from "../ports/index.ts";
import type { Busy } from "./busy.ts";
import type { ChatEngine, ChatParts } from "./chat-parts.ts";
import { refusal } from "./codes.ts";
import { commands } from "./commands/commands.ts";
import { answerByText, chosenBy, requireDecide } from "./decide-question.ts";
import { stranger, workplaceOf, type Desk, type Person } from "./desk.ts";
import { handleText, startNamed } from "./handle-text.ts";
import type { OpenRuns } from "./open-runs.ts";
import { parseCommand } from "./parse-command.ts";
import { errorText } from "./parked-text.ts";
import type { Place } from "./place.ts";
import type { Platform } from "./platform.ts";
import { beginRun, StartLeft } from "./start-run.ts";
import { TurnQueue } from "./turn-queue.ts";

/** Between two tries while a store does not answer, in milliseconds. */
const leastPauseMs = 1000;
const longestPauseMs = 60_000;

export interface TurnsParts {
  readonly parts: ChatParts;
  readonly runs: OpenRuns;
  readonly busy: Busy;
  readonly engineOf: (codebase: string) => Promise<ChatEngine>;
  readonly personOf: (platform: Platform, id: string) => Person | undefined;
  /** What the platform does not take is logged. */
  readonly said: (platform: Platform, platformId: string, text: string) => Promise<void>;
}

/** How things were when a message came. */
export type Came = Pick<Desk, "isAgain" | "asked">;

/** What is done for a message, and what it waits for. */
interface Work {
  readonly work: () => Promise<void>;
  readonly when: "turn" | "command" | "answer";
  /** The person knows that it is left. */
  readonly isTold?: true;
}

/** Does the messages that are kept: at once or in the turn of their conversation, and settles them then. */
export class MessageTurns {
  readonly #parts: TurnsParts;
  readonly #queue = new TurnQueue();
  /** Commands and answers wait for no turn, only for commands, and for answers, before them. */
  readonly #commands = new TurnQueue(Number.POSITIVE_INFINITY);
  readonly #answers = new TurnQueue(Number.POSITIVE_INFINITY);
  /** Messages that are kept and not done: an adapter that joins finds only those of earlier processes. */
  readonly #open = new Set<string>();
  readonly #closing = new AbortController();

  constructor(parts: TurnsParts) {
    this.#parts = parts;
  }

  /** Conversations whose turn it is, and messages that wait for it. */
  get turns(): Pick<TurnQueue, "active" | "queued" | "max" | "queuedIn"> {
    return this.#queue;
  }

  /** It is being done here, or waits to be. */
  has(message: string): boolean {
    return this.#open.has(message);
  }

  /** What is under way comes to its end, what waits is left for the next process. */
  close(): void {
    this.#closing.abort();
    this.#queue.close();
    this.#commands.close();
    this.#answers.close();
  }

  /** Does a message at once or in its turn, and settles it then. Never rejects. */
  async handle(place: Place, message: Message, came: Came): Promise<void> {
    const { busy, parts } = this.#parts;
    this.#open.add(message.id);
    const during = <T>(work: () => Promise<T>): Promise<T> => busy.during(place.platformId, work);
    try {
      const desk = this.#deskFor(place, message, came);
      if (desk === undefined) return await during(() => this.#refused(place, message));
      let left = await during(() => this.#settled(desk, workFor(desk)));
      // Nothing is being done while a store does not answer.
      for (let pauseMs = leastPauseMs; left !== undefined; pauseMs = Math.min(longestPauseMs, 2 * pauseMs)) {
        await parts.alarms.wait(pauseMs, this.#closing.signal);
        const { start } = left;
        left = await during(() => this.#settled(desk, { work: () => beginRun(desk, start), when: "turn", isTold: true }));
      }
    } catch (error) {
      if (parts.cancel?.aborted === true) parts.log("info", `Message ${message.id} is left for the next chat: ${String(error)}`);
      else parts.log("warn", `A message could not be settled: ${String(error)}`);
    } finally {
      this.#open.delete(message.id);
    }
  }

  /** undefined where the person is not known any more. */
  #deskFor(place: Place, message: Message, came: Came): Desk | undefined {
    const { parts, runs, engineOf, personOf, said } = this.#parts;
    const { platform, platformId } = place;
    const person = personOf(platform, message.person);
    return person && { parts, runs, engineOf, place, message, person, ...came, say: (text) => said(platform, platformId, text) };
  }

  async #refused({ platform, platformId }: Place, { id, person }: Message): Promise<void> {
    const { parts, said } = this.#parts;
    await said(platform, platformId, errorText(stranger(platform, person)));
    await parts.conversations.settleMessage(id);
  }

  /** Settles the message when its work is done, unless the chat is closed before that or a start is left. */
  async #settled(desk: Desk, work: Work): Promise<StartLeft | undefined> {
    const { when } = work;
    const { conversation } = desk.place;
    // What a command changed by then, such as the folder, counts for what was written after it.
    const before = when === "turn" ? this.#commands.settled(conversation) : undefined;
    const queue = when === "turn" ? this.#queue : when === "command" ? this.#commands : this.#answers;
    let left: StartLeft | undefined;
    const isDone = await queue.add(conversation, async () => {
      await before;
      left = await this.#guarded(desk, work);
    });
    if (isDone && left === undefined) await desk.parts.conversations.settleMessage(desk.message.id);
    return left;
  }

  /** What goes wrong is said to the person. What was cancelled is left for the next process. */
  async #guarded(desk: Desk, { work, isTold }: Work): Promise<StartLeft | undefined> {
    const { home, lines, cancel, log } = desk.parts;
    try {
      await work();
      return undefined;
    } catch (error) {
      if (cancel?.aborted === true) throw error;
      const left = error instanceof StartLeft ? error : undefined;
      if (left !== undefined) log("warn", `Message ${desk.message.id} is left for now: ${left.message}`);
      else if (errorText(error) === errorText(undefined))
        log("warn", `Message ${desk.message.id} failed: ${String((error as Error).stack ?? error)}`);
      if (isTold === true && left !== undefined) return left;
      const at = await workplaceOf(desk).catch(() => undefined);
      await desk.say(lines.placed(at?.codebase.folder ?? home.folder, errorText(left?.said ?? error)));
      return left;
    }
  }
}

/** Decided as the message comes: an answer is for the questions that its author has seen by then. */
function workFor(desk: Desk): Work {
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

async function namedOrUnknown(desk: Desk, name: string): Promise<void> {
  if (await startNamed(desk)) return;
  const known = commands.map((each) => each.name);
  const [near] = nearest(name, known, 1);
  const hint = near === undefined ? "Write `/help` for the commands." : `Did you mean \`/${near}\`? Write \`/help\` for all commands.`;
  throw refusal("CHAT_NO_COMMAND", `There is no command \`/${name.slice(0, 100)}\`. Nothing was done.`, hint);
}
