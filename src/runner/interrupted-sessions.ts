import type { AgentEvent, TranscriptEntry, Transcripts } from "../ports/index.ts";

type About = Pick<TranscriptEntry, "run" | "step" | "strand" | "agent">;

/** Conversations in which steps were interrupted, for one driver. Each entry of a transcript is read once, however long the run is. */
export class InterruptedSessions {
  readonly #transcripts: Pick<Transcripts, "read">;
  /** How far the transcript of each run was read. */
  readonly #read = new Map<string, number>();
  readonly #open = new Map<string, string>();

  constructor(transcripts: Pick<Transcripts, "read">) {
    this.#transcripts = transcripts;
  }

  /** The conversation in which the step was being done when its driver or agent was interrupted; undefined where nothing was. */
  async find(about: About): Promise<string | undefined> {
    const after = this.#read.get(about.run) ?? 0;
    for await (const { position, event, ...entry } of this.#transcripts.read(about.run, { after })) {
      this.#read.set(about.run, position);
      if (event.type === "session" && event.resumed !== "lost") this.#open.set(keyOf(entry), event.sessionId);
      if (event.type === "result" && !isInterrupted(event)) this.#open.delete(keyOf(entry));
    }
    return this.#open.get(keyOf(about));
  }
}

function keyOf({ run, step, strand, agent }: About): string {
  return JSON.stringify([run, step, strand, agent]);
}

function isInterrupted({ stop, errorKind }: Extract<AgentEvent, { readonly type: "result" }>): boolean {
  return stop === "cancelled" || errorKind === "crash" || errorKind === "transport" || errorKind === "limit" || errorKind === "overloaded";
}
