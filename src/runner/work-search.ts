import { defined, isWaymarkError } from "../base/index.ts";
import type { WaitingRun, WorkPlace } from "../ports/index.ts";
import { withCode } from "./codes.ts";
import { endsWork } from "./ends-work.ts";
import type { WorkEvent, WorkParts, WorkRequest } from "./work-on-runs.ts";

/** How many runs one question to the store finds at most, and how many are asked in a look. */
const mostFound = 100;
const mostPages = 10;
/** The longest time for which a run is left alone, and that for which one is that only a person can change. */
const longestMs = 60_000;

type SearchRequest = Pick<WorkRequest, "allowed" | "finish" | "pollMs" | "refuses" | "watch">;

/** What a worker did in a run that it left. */
export type LeftAfter = "worked" | "nothing" | "person";

/** The store's time and what waited then. */
interface Look {
  readonly now: number;
  readonly allowed: string;
  readonly waiting: readonly WaitingRun[];
}

interface Left {
  /** Until then it is looked at again only when it has moved or has more parts; with `whatever` not at all. */
  readonly until: number;
  readonly whatever: boolean;
  /** What was allowed, where a person left it waiting: it is looked at again when that changes. */
  readonly allowed?: string;
  readonly head: number;
  readonly parts: number;
  /** How often in a row there were parts and none for this process. */
  readonly vain: number;
}

/** What the workers of one process know of where there is work. */
export class WorkSearch {
  readonly #parts: WorkParts;
  readonly #request: SearchRequest;
  readonly #left = new Map<string, Left>();
  /** Workers that are about to take a part of a run. */
  readonly #coming = new Map<string, number>();
  /** Each reason is said once for a workflow, each error once for a run. */
  readonly #said = new Set<string>();
  readonly #stopListening: () => void;
  #heard = new AbortController();
  /** A look that is under way, for all workers that want one now. */
  #looking: Promise<Look> | undefined;
  /** As of the last look. */
  #allowed = "";
  /** Where the next look continues behind the first runs. */
  #behind: WorkPlace | undefined;
  /** Until the next look, for all that found nothing. */
  #resting: Promise<void> | undefined;

  constructor(parts: WorkParts, request: SearchRequest) {
    this.#parts = parts;
    this.#request = request;
    this.#stopListening = parts.hints.listen(() => {
      const heard = this.#heard;
      this.#heard = new AbortController();
      // It may have missed what the hint is about.
      this.#looking = undefined;
      heard.abort("heard");
    });
  }

  /** A run to drive now; undefined when the work is to end. */
  async next(): Promise<WaitingRun | undefined> {
    const { finish } = this.#request;
    while (!finish.aborted) {
      // A hint that comes during a look may be about what it did not see.
      const heard = this.#heard.signal;
      const found = await this.#find();
      if (found !== undefined) return found;
      if (!heard.aborted) await this.#rest(heard);
    }
    return undefined;
  }

  /** A worker has its part of the run, or found none. */
  took(run: string): void {
    const coming = (this.#coming.get(run) ?? 1) - 1;
    if (coming > 0) this.#coming.set(run, coming);
    else this.#coming.delete(run);
  }

  /** A worker has left the run: what it left there is not for it, as far as it could see. */
  async left(run: string, after: LeftAfter): Promise<void> {
    const { store } = this.#parts.context;
    const now = await store.now();
    const [{ head, parts } = { head: 0, parts: 0 }] = await store.findWork({ limit: 1, run });
    const vain = after === "worked" || parts === 0 ? 0 : (this.#left.get(run)?.vain ?? 0) + 1;
    const pause = after === "person" ? longestMs : Math.min(this.#request.pollMs * 2 ** Math.max(0, vain - 1), longestMs);
    if (parts === 0 && after !== "person") this.#left.delete(run);
    else
      this.#left.set(run, {
        until: now + pause,
        whatever: after === "person" || vain > 2,
        head,
        parts,
        vain,
        ...(after === "person" ? { allowed: this.#allowed } : {}),
      });
  }

  /** Says what a run could not be opened or driven for. */
  failed({ run, workflow }: Pick<WaitingRun, "run" | "workflow">, error: unknown): void {
    const { code, message: why, fix } = withCode(error);
    this.#say([run, code, why], { run, workflow, why, code, ...defined({ fix }) });
  }

  close(): void {
    this.#stopListening();
  }

  /** Begins with the runs that wait longest. Where all of these are left alone it looks on behind them, and the next look where this one stopped. */
  async #find(): Promise<WaitingRun | undefined> {
    let after: WorkPlace | undefined;
    for (let page = 0; page < mostPages; page += 1) {
      const look = page === 0 ? await this.#look() : await this.#ask(after);
      const found = await this.#takeFrom(look);
      if (found !== undefined && page > 0) this.#behind = after;
      if (found !== undefined) return found;
      if (look.waiting.length < mostFound) {
        if (page > 0) this.#behind = undefined;
        return undefined;
      }
      after = (page === 0 ? this.#behind : undefined) ?? look.waiting.at(-1)?.place;
    }
    this.#behind = after;
    return undefined;
  }

  async #takeFrom(look: Look): Promise<WaitingRun | undefined> {
    const { host } = this.#parts.context;
    this.#allowed = look.allowed;
    const open = look.waiting.filter((found) => !this.#isLeft(found, look));
    // Many processes look at the same moment, and should not all want the same run.
    const shuffled = open.map((found) => ({ found, key: host.randomText(6) })).toSorted((a, b) => (a.key < b.key ? -1 : 1));
    for (const { found } of shuffled) {
      const { run, parts } = found;
      const coming = this.#coming.get(run) ?? 0;
      if (coming >= parts) continue;
      this.#coming.set(run, coming + 1);
      if (await this.#mayTake(found)) return found;
      this.took(run);
    }
    return undefined;
  }

  async #rest(heard: AbortSignal): Promise<void> {
    const { finish, pollMs } = this.#request;
    const resting = (this.#resting ??= this.#parts.context.host.alarms.wait(pollMs, AbortSignal.any([finish, heard])));
    await resting;
    if (this.#resting === resting) this.#resting = undefined;
  }

  async #look(): Promise<Look> {
    const looking = (this.#looking ??= this.#ask());
    try {
      return await looking;
    } finally {
      if (this.#looking === looking) this.#looking = undefined;
    }
  }

  async #ask(after?: WorkPlace): Promise<Look> {
    const { store } = this.#parts.context;
    // Ahead of what is judged by it.
    const allowed = await this.#request.allowed();
    return { now: await store.now(), allowed, waiting: await store.findWork({ limit: mostFound, after }) };
  }

  #isLeft({ run, head, parts }: WaitingRun, { now, allowed }: Look): boolean {
    const left = this.#left.get(run);
    if (left?.allowed !== undefined && left.allowed !== allowed) return false;
    return left !== undefined && left.until > now && (left.whatever || (left.head === head && parts <= left.parts));
  }

  async #mayTake(found: WaitingRun): Promise<boolean> {
    const { run, workflow } = found;
    try {
      const why = await this.#request.refuses(await this.#parts.context.runs.open(run));
      if (why === undefined) return true;
      this.#say([workflow, why], { run, workflow, why });
    } catch (error) {
      if (endsWork(error)) throw error;
      if (!isWaymarkError(error) || error.code !== "ENGINE_NO_RUN") this.failed(found, error);
    }
    await this.left(run, "person");
    return false;
  }

  #say(once: readonly string[], refusal: Omit<Extract<WorkEvent, { readonly type: "refuses" }>, "type">): void {
    const key = JSON.stringify(once);
    if (!this.#said.has(key)) this.#request.watch({ type: "refuses", ...refusal });
    this.#said.add(key);
  }
}
