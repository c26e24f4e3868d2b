import { isReported, type EngineContext } from "../engine/index.ts";
import type { AgentEvent, TranscriptEntry } from "../ports/index.ts";

type Keeping = Pick<EngineContext, "store" | "host" | "transcripts">;
type About = Pick<TranscriptEntry, "run" | "action" | "step" | "strand" | "agent">;

/** What is kept at once: a crash in the next moment must find it. */
const kept: ReadonlySet<TranscriptEntry["event"]["type"]> = new Set(["session", "result"]);
const most = 64;

/** Writes what one turn says and does, in batches. A transcript that cannot be written stops no run. */
export class TranscriptKeeper {
  readonly #context: Keeping;
  readonly #about: About;
  #waiting: TranscriptEntry[] = [];

  constructor(context: Keeping, about: About) {
    this.#context = context;
    this.#about = about;
  }

  /** Answers the entry, also of an event that is not kept: pieces of a message come again as a whole. */
  async add(event: TranscriptEntry["event"]): Promise<TranscriptEntry> {
    const entry = { ...this.#about, at: await this.#context.store.now(), event };
    if (event.type !== "text") this.#waiting.push(entry);
    if (kept.has(event.type) || this.#waiting.length >= most) await this.flush();
    return entry;
  }

  async flush(): Promise<void> {
    const entries = this.#waiting;
    if (entries.length === 0) return;
    this.#waiting = [];
    try {
      await this.#context.transcripts.append(entries);
    } catch (error) {
      this.#context.host.log("warn", "A transcript could not be written.", { run: this.#about.run, error: String(error) });
    }
  }
}

/**
 * The conversation in which the step was being done when its driver or agent was interrupted; undefined where nothing was. A turn that came
 * to its end was interrupted too where its driver died before it reported.
 */
export async function interruptedSession(context: EngineContext, about: Omit<About, "action">): Promise<string | undefined> {
  let last: { readonly session: string; readonly action: string; readonly ended: boolean } | undefined;
  for await (const { action, strand, agent, event } of context.transcripts.read(about.run, { step: about.step })) {
    if (strand !== about.strand || agent !== about.agent) continue;
    if (event.type === "session" && event.resumed !== "lost") last = { session: event.sessionId, action, ended: false };
    if (event.type === "result" && last !== undefined) last = { ...last, ended: !isInterrupted(event) };
  }
  if (last === undefined) return undefined;
  return last.ended && (await isReported(context, about.run, last.action)) ? undefined : last.session;
}

function isInterrupted({ stop, errorKind }: Extract<AgentEvent, { readonly type: "result" }>): boolean {
  return stop === "cancelled" || errorKind === "crash" || errorKind === "transport" || errorKind === "limit" || errorKind === "overloaded";
}
