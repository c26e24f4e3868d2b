import { maskSecrets, recordsWith, type EngineContext, type RunHandle } from "../engine/index.ts";
import type { Json } from "../base/index.ts";
import type { Event } from "../kernel/index.ts";
import type { Conversations, FollowedRun, TranscriptEntry } from "../ports/index.ts";
import type { StreamingMode } from "./platform.ts";
import type { Question } from "./question-text.ts";
import { RunMessages, type RunWords } from "./run-messages.ts";
import { SpokenMessages } from "./spoken-messages.ts";

export interface FollowParts {
  readonly context: EngineContext;
  readonly conversations: Pick<Conversations, "sentRun">;
  readonly handle: RunHandle;
  readonly followed: FollowedRun;
  readonly mode: () => StreamingMode;
  readonly send: (text: string) => Promise<void>;
  /** How a question is answered, where that is not by a message. */
  readonly how: RunWords["how"];
}

type Record = { readonly position: number; readonly decoded: readonly Event[] };
type Entry = TranscriptEntry & { readonly position: number };

/**
 * Sends what happens in a run to its conversation, from the journal and the transcript, each message once: the position is kept after every one. What
 * the agent of an action said comes before the record that closes the action.
 */
export class RunFollower {
  readonly #parts: FollowParts;
  readonly #messages: RunMessages;
  readonly #spoken = new SpokenMessages();
  #record: number;
  #entry: number;
  #note: string;
  #asked: readonly Question[] = [];
  #askedBefore: readonly Question[] = [];
  #isOver = false;
  /** The action that the agent of a strand works on in this process: it may say more after its report. */
  readonly #talking = new Map<string, string>();
  #last: { readonly of: string; readonly messages: readonly string[] } | undefined;
  #pumping: Promise<void> = Promise.resolve();

  private constructor(parts: FollowParts) {
    const { context, handle, followed } = parts;
    this.#parts = parts;
    this.#record = followed.record;
    this.#entry = followed.entry;
    this.#note = followed.note;
    this.#messages = new RunMessages(handle.program, {
      called: (run, leaf) => context.leaves.ofOpen(run, leaf)?.called?.(leaf.args),
      kind: (run, leaf) => context.leaves.ofOpen(run, leaf)?.kind,
      says: (run, action) => {
        const leaf = context.leaves.ofOpen(run, action);
        return leaf !== undefined && "alone" in leaf ? leaf.alone?.(action) : undefined;
      },
      spoken: (run, action, text) => {
        const block = run.program.blocks[action.block];
        const spoken = context.leaves.ofOpen(run, action)?.spoken;
        return spoken === undefined || block?.kind !== "do" ? text : spoken(block.args, text);
      },
      how: parts.how,
    });
  }

  /** Reads what was sent before, without sending it again. */
  static async open(parts: FollowParts): Promise<RunFollower> {
    const follower = new RunFollower(parts);
    if (follower.#record > 0)
      for await (const record of follower.#records(0, follower.#record)) follower.#messages.of(follower.#maskedEvents(record.decoded));
    if (follower.#entry > 0) for await (const entry of follower.#entries(0, follower.#entry)) follower.#spoken.of(entry);
    follower.#isShown();
    follower.#askedBefore = follower.#asked;
    return follower;
  }

  get run(): string {
    return this.#parts.handle.id;
  }

  get conversation(): string {
    return this.#parts.followed.conversation;
  }

  get workflow(): string {
    return this.#parts.handle.program.name;
  }

  /** Open questions that were shown. */
  get asked(): readonly Question[] {
    return this.#asked;
  }

  /** The end of the run was sent. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** What the driver of this process hears of an agent. */
  heard({ strand, action, event }: TranscriptEntry): void {
    if (event.type === "prompt") this.#talking.set(strand, action);
    if (event.type === "result") this.#talking.delete(strand);
  }

  /** No agent works on the run in this process. */
  silent(): void {
    this.#talking.clear();
  }

  /** Sends the questions once more that were open when this was opened, and are. */
  async remind(): Promise<void> {
    for (const { id, revision } of this.#askedBefore) {
      const question = this.#asked.find((asked) => asked.id === id && asked.revision === revision);
      if (question !== undefined) await this.#parts.send(this.#messages.questionText(question));
    }
  }

  /** Nothing more is to be done in it: its end was sent, and it is not begun once more, or the run that is in its place is followed. */
  async leave(): Promise<void> {
    if (this.isOver) await this.#keep({ over: true });
  }

  /** Sends what is new. One at a time; rejects when something could not be sent, which is sent again by the next one. */
  async pump(): Promise<void> {
    this.#pumping = this.#pumping.catch(() => undefined).then(() => this.#pumpNow());
    return this.#pumping;
  }

  /** Says why the run does not continue, once for as long as nothing else happens in it. */
  async note(text: string): Promise<void> {
    const key = `note ${text}`;
    if (this.#note === key) return;
    await this.#parts.send(text);
    await this.#keep({ note: key });
  }

  async #pumpNow(): Promise<void> {
    const isStream = this.#parts.mode() === "stream";
    const unsaid = isStream ? await this.#unsaid() : [];
    // Read after the entries: the action of each of them was opened in a record that is read here.
    for await (const record of this.#records(this.#record)) {
      const closed = record.decoded.flatMap((event) => (event.type === "action_closed" ? [event.action] : []));
      const talks = [...this.#talking.values()];
      if (closed.some((action) => talks.includes(action))) break;
      if (isStream && closed.length > 0) {
        // What was said before the report may have been added since.
        unsaid.push(...(await this.#unsaid(unsaid.at(-1)?.position)));
        await this.#say(unsaid.splice(0, unsaid.findLastIndex(({ action }) => closed.includes(action)) + 1));
      }
      await this.#tell(record, isStream ? [] : closed);
    }
    await this.#say(unsaid);
  }

  async #unsaid(after = this.#entry): Promise<Entry[]> {
    const entries: Entry[] = [];
    for await (const entry of this.#entries(after)) entries.push(entry);
    return entries;
  }

  async #say(entries: readonly Entry[]): Promise<void> {
    for (const entry of entries) {
      const [text] = this.#made(`entry ${entry.position}`, () => [this.#spoken.of(this.#shown(entry)) ?? []].flat());
      if (text !== undefined) await this.#parts.send(this.#masked(text));
      // What is not shown is read again after a restart at no cost.
      if (text !== undefined) await this.#keep({ entry: entry.position });
      else this.#entry = entry.position;
    }
  }

  /** `closed`: actions whose texts are sent together, before what the record says. */
  async #tell({ position, decoded }: Record, closed: readonly string[]): Promise<void> {
    const said: string[] = [];
    for (const action of closed) said.push(...(await this.#textsOf(action)));
    const messages = [...said, ...this.#made(`record ${position}`, () => this.#messages.of(this.#maskedEvents(decoded)))];
    for (const [place, message] of messages.entries()) {
      const key = `${position}.${place}`;
      if (isSent(this.#note, position, place)) continue;
      await this.#parts.send(message);
      if (place + 1 < messages.length) await this.#keep({ note: key });
    }
    this.#isShown();
    if (messages.length > 0) await this.#keep({ record: position, note: "", over: this.#messages.isOver && !this.#mayBeginAgain() });
    else this.#record = position;
  }

  /** What was made of the records by now was sent. */
  #isShown(): void {
    this.#asked = this.#messages.asked;
    this.#isOver = this.#messages.isOver;
  }

  /** A failed run whose workflow asks for another attempt is only left when there is one, or none is left. */
  #mayBeginAgain(): boolean {
    const { program, state } = this.#parts.handle;
    return program.parts[program.main]?.onFailure?.then === "retry_run" && state.status === "failed";
  }

  async #textsOf(action: string): Promise<readonly string[]> {
    const texts: string[] = [];
    let last = 0;
    for await (const entry of this.#parts.context.transcripts.read(this.run, { action })) {
      const { event, position } = this.#shown(entry);
      if (event.type === "message" && event.text.trim() !== "") texts.push(event.text);
      last = position;
    }
    this.#entry = Math.max(this.#entry, last);
    return texts.length === 0 ? [] : [this.#masked(texts.join("\n\n"))];
  }

  async #keep(sent: Partial<Pick<FollowedRun, "record" | "entry" | "note" | "over">>): Promise<void> {
    if (sent.record !== undefined) this.#record = sent.record;
    if (sent.entry !== undefined) this.#entry = sent.entry;
    if (sent.note !== undefined) this.#note = sent.note;
    await this.#parts.conversations.sentRun(this.run, { entry: this.#entry, ...sent });
  }

  #shown<T extends Pick<Entry, "action" | "event">>(entry: T): T {
    const { action, event } = entry;
    return event.type === "message" ? { ...entry, event: { ...event, text: this.#messages.spoken(action, event.text) } } : entry;
  }

  /** What is made changes what is known, so what could not be sent is not made again. */
  #made(of: string, make: () => readonly string[]): readonly string[] {
    if (this.#last?.of !== of) this.#last = { of, messages: make() };
    return this.#last.messages;
  }

  #maskedEvents(events: readonly Event[]): readonly Event[] {
    const { program, state } = this.#parts.handle;
    return maskSecrets(events as unknown as Json, program, state) as unknown as readonly Event[];
  }

  #masked(text: string): string {
    const { program, state } = this.#parts.handle;
    return maskSecrets(text, program, state);
  }

  async *#records(after: number, upTo = Number.POSITIVE_INFINITY): AsyncGenerator<Record> {
    for await (const record of recordsWith(this.#parts.context, this.run, [""], after)) {
      if (record.position > upTo) return;
      yield record;
    }
  }

  async *#entries(after: number, upTo = Number.POSITIVE_INFINITY): AsyncGenerator<Entry> {
    for await (const entry of this.#parts.context.transcripts.read(this.run, { after })) {
      if (entry.position > upTo) return;
      yield entry;
    }
  }
}

/** Whether a message of a record was sent, as the note of the last one that was says. */
function isSent(note: string, position: number, place: number): boolean {
  const [at, last] = note.split(".").map(Number);
  return at === position && last !== undefined && place <= last;
}
