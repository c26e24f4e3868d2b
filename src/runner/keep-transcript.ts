import type { EngineContext } from "../engine/index.ts";
import type { TranscriptEntry } from "../ports/index.ts";

type Keeping = Pick<EngineContext, "store" | "host" | "transcripts">;
type About = Pick<TranscriptEntry, "run" | "action" | "step" | "strand" | "agent">;

/** What is kept at once: a crash in the next moment must find it. */
const kept: ReadonlySet<TranscriptEntry["event"]["type"]> = new Set(["session", "usage", "result"]);
const most = 64;
/** How long what an agent does may be unseen by who watches, in milliseconds. */
const longest = 250;

/** Writes what one turn says and does, in order and in batches. A transcript that cannot be written stops no run. */
export class TranscriptKeeper {
  readonly #context: Keeping;
  readonly #about: About;
  #waiting: TranscriptEntry[] = [];
  #writing: Promise<void> = Promise.resolve();
  #soon: (() => void) | undefined;

  constructor(context: Keeping, about: About) {
    this.#context = context;
    this.#about = about;
  }

  /** Answers the entry, also of an event that is not kept: pieces of a message come again as a whole. */
  async add(event: TranscriptEntry["event"]): Promise<TranscriptEntry> {
    const entry = { ...this.#about, at: await this.#context.store.now(), event };
    if (event.type !== "text") this.#waiting.push(entry);
    if (kept.has(event.type) || this.#waiting.length >= most) await this.flush();
    else if (this.#waiting.length > 0) this.#soon ??= this.#context.host.alarms.after(longest, () => void this.flush());
    return entry;
  }

  flush(): Promise<void> {
    this.#soon?.();
    this.#soon = undefined;
    const entries = this.#waiting;
    this.#waiting = [];
    this.#writing = this.#writing.then(() => this.#write(entries));
    return this.#writing;
  }

  async #write(entries: readonly TranscriptEntry[]): Promise<void> {
    if (entries.length === 0) return;
    try {
      await this.#context.transcripts.append(entries);
    } catch (error) {
      this.#context.host.log("warn", "A transcript could not be written.", { run: this.#about.run, error: String(error) });
    }
  }
}
