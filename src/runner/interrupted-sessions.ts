import type { AgentEvent, TranscriptEntry, Transcripts } from "../ports/index.ts";

type About = Pick<TranscriptEntry, "run" | "step" | "strand" | "agent">;

/** Conversations in which steps were interrupted, for the workers of one driver. Each entry of a transcript is read once, however long the run is. */
export class InterruptedSessions {
  readonly #transcripts: Pick<Transcripts, "read">;
  /** How far the transcript of each run was read. */
  readonly #read = new Map<string, number>();
  readonly #isReported: (run: string, action: string) => Promise<boolean>;
  /** Two that read at the same time would put what came before over what came after it. */
  #reading: Promise<void> = Promise.resolve();
  readonly #last = new Map<string, { readonly session: string; readonly action: string; readonly ended: boolean }>();

  constructor(transcripts: Pick<Transcripts, "read">, isReported: (run: string, action: string) => Promise<boolean>) {
    this.#transcripts = transcripts;
    this.#isReported = isReported;
  }

  /**
   * The conversation in which the step was being done when its driver or agent was interrupted; undefined where nothing was. A turn that came
   * to its end was interrupted too where its driver died before it reported. `alone`: what was reported, in whatever way, is never continued.
   */
  async find(about: About, alone = false): Promise<string | undefined> {
    const read = this.#reading.then(() => this.#readOn(about.run));
    this.#reading = read.catch(() => undefined);
    await read;
    const found = this.#last.get(keyOf(about));
    if (found === undefined) return undefined;
    return (found.ended || alone) && (await this.#isReported(about.run, found.action)) ? undefined : found.session;
  }

  async #readOn(run: string): Promise<void> {
    const after = this.#read.get(run) ?? 0;
    for await (const { position, event, ...entry } of this.#transcripts.read(run, { after })) {
      this.#read.set(run, position);
      const key = keyOf(entry);
      if (event.type === "session" && event.resumed !== "lost")
        this.#last.set(key, { session: event.sessionId, action: entry.action, ended: false });
      const last = this.#last.get(key);
      if (event.type === "result" && last !== undefined) this.#last.set(key, { ...last, ended: !isInterrupted(event) });
    }
  }
}

function keyOf({ run, step, strand, agent }: About): string {
  return JSON.stringify([run, step, strand, agent]);
}

function isInterrupted({ stop, errorKind }: Extract<AgentEvent, { readonly type: "result" }>): boolean {
  return stop === "cancelled" || errorKind === "crash" || errorKind === "transport" || errorKind === "limit" || errorKind === "overloaded";
}
