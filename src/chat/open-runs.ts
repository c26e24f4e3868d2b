import { isWaymarkError } from "../base/index.ts";
import type { FollowedRun } from "../ports/index.ts";
import type { DriveEvent } from "../runner/index.ts";
import type { Busy } from "./busy.ts";
import type { ChatEngine, ChatParts } from "./chat-parts.ts";
import { RunFollower } from "./follow-run.ts";
import { elsewhereText, namedHow, type Question } from "./question-text.ts";
import { OpenRun } from "./open-run.ts";
import type { RunWords } from "./run-messages.ts";
import { sendText, type Place } from "./place.ts";

/** A question as a conversation was shown it. */
export interface Asked {
  readonly run: string;
  readonly workflow: string;
  readonly question: Question;
  /** Answers it in a terminal of the computer where the run is. */
  readonly line: string;
}

/** What a conversation was shown, by its id. */
export type AskedIn = (conversation: string) => readonly Asked[];

export interface RunsParts {
  readonly parts: ChatParts;
  readonly engineOf: (codebase: string) => Promise<ChatEngine>;
  readonly busy: Busy;
}

/** The runs that conversations follow and whose end was not sent. */
export class OpenRuns {
  readonly #parts: RunsParts;
  readonly #finish = new AbortController();
  readonly #open = new Map<string, OpenRun>();
  readonly #opening = new Map<string, Promise<OpenRun>>();

  constructor(parts: RunsParts) {
    this.#parts = parts;
  }

  /** Shows the run from where it was shown last, and drives it. Nothing changes where that is so already, but that it is looked at again. */
  async follow(place: Place, followed: FollowedRun): Promise<void> {
    const open = await this.#openOnce(place, followed);
    open.wake();
  }

  /** Questions that the conversation was shown and that are open, the oldest run first. */
  asked(conversation: string): readonly Asked[] {
    return this.shown()(conversation);
  }

  /** The questions of this moment, for who learns later which conversation it is about. */
  shown(): AskedIn {
    const open = [...this.#open.values()].map(({ engine, follower }) => ({ engine, follower, questions: follower.asked }));
    return (conversation) =>
      open.flatMap(({ engine, follower: { conversation: of, run, workflow }, questions }) =>
        of === conversation
          ? questions.map((question) => ({ run, workflow, question, line: this.#decideLine(engine, run, question) }))
          : [],
      );
  }

  /** Sends again what the run asked before it was opened here and still asks. */
  async remind(run: string): Promise<void> {
    await this.#open.get(run)?.follower.remind();
  }

  /** There may be something to do in the run. */
  wake(run: string): void {
    this.#open.get(run)?.wake();
  }

  isDriven(run: string): boolean {
    return this.#open.get(run)?.isDriven === true;
  }

  /** How a question is answered, where that is not by a message. */
  #how({ platform, conversation }: Place, engine: ChatEngine): RunWords["how"] {
    return (run, question, open) => {
      if (this.#parts.parts.people.deciders(platform.getPlatformType()).length === 0)
        return elsewhereText(this.#decideLine(engine, run, question));
      // What this run was shown to ask may be answered in the record that asks this.
      const isOneOfSeveral = open.some(({ id }) => id !== question.id) || this.asked(conversation).some((asked) => asked.run !== run);
      return isOneOfSeveral ? namedHow(run, question) : undefined;
    };
  }

  /** Where several runs are open in a conversation, each message says whose it is. */
  #withRun({ run, conversation }: FollowedRun, text: string): string {
    const isOther = (follower: RunFollower): boolean => follower.conversation === conversation && follower.run !== run && !follower.isOver;
    const isAlone = ![...this.#open.values()].some(({ follower }) => isOther(follower));
    return isAlone || text.includes(run) ? text : `Run \`${run}\`:\n\n${text}`;
  }

  #decideLine({ context }: ChatEngine, run: string, { id }: Question): string {
    const { lines } = this.#parts.parts;
    return lines.placed(context.host.workspace, lines.decide(run, id));
  }

  async close(): Promise<void> {
    this.#finish.abort();
    await Promise.all([...this.#opening.values()].map((open) => open.catch(() => undefined)));
    await Promise.all([...this.#open.values()].map((open) => open.ended()));
  }

  #openOnce(place: Place, followed: FollowedRun): Promise<OpenRun> {
    const { run } = followed;
    const known = this.#open.get(run);
    if (known !== undefined) return Promise.resolve(known);
    const opening = this.#opening.get(run) ?? this.#openRun(place, followed).finally(() => this.#opening.delete(run));
    this.#opening.set(run, opening);
    return opening;
  }

  async #openRun(place: Place, followed: FollowedRun): Promise<OpenRun> {
    const { engineOf, busy, parts } = this.#parts;
    const engine = await engineOf(followed.codebase);
    const handle = await engine.context.runs.open(followed.run).catch(async (error: unknown) => {
      // It was removed: there is nothing to show any more.
      if (isWaymarkError(error) && error.code === "ENGINE_NO_RUN") await parts.conversations.sentRun(followed.run, { over: true });
      throw error;
    });
    const follower = await RunFollower.open({
      context: engine.context,
      conversations: parts.conversations,
      handle,
      followed,
      mode: () => place.platform.getStreamingMode(),
      send: (text) => sendText(place, this.#withRun(followed, text)),
      how: this.#how(place, engine),
    });
    const heard = (run: string, event: DriveEvent): void => this.#heard(place, followed, run, event);
    const { platformId } = place;
    const open = new OpenRun({
      engine,
      follower,
      platformId,
      alarms: parts.alarms,
      busy,
      finish: this.#finish.signal,
      cancel: parts.cancel ?? new AbortController().signal,
      log: parts.log,
      placed: (text) => parts.lines.placed(engine.context.host.workspace, text),
      heard,
      continued: (run) => this.#followNext(place, followed, run),
      left: () => this.#open.delete(followed.run),
    });
    this.#open.set(followed.run, open);
    open.show();
    return open;
  }

  #heard(place: Place, followed: FollowedRun, run: string, event: DriveEvent): void {
    const of = event.type === "agent" ? event.entry.run : event.type === "step" ? event.position.run : run;
    if (event.type === "agent") this.#open.get(of)?.follower.heard(event.entry);
    if (of === run || this.#open.has(of) || this.#opening.has(of)) return;
    const { log } = this.#parts.parts;
    void this.#followNext(place, followed, of).catch((error: unknown) => log("warn", `Run ${of} could not be followed: ${String(error)}`));
  }

  /** Another attempt at a run is a run of its own, which the conversation follows too. It is driven by the driver of the first. */
  async #followNext(place: Place, { codebase }: FollowedRun, run: string): Promise<void> {
    const { conversations } = this.#parts.parts;
    const open = await this.#openOnce(place, await conversations.followRun({ run, conversation: place.conversation, codebase }));
    await open.follower.pump();
  }
}
