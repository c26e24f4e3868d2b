import { isOpen, mainStrand, type Strand } from "../kernel/index.ts";
import { readLife, waitForChange, type EngineContext, type RunHandle } from "../engine/index.ts";
import { standingOf } from "../views/index.ts";
import { combineEnds } from "./combine-ends.ts";
import type { DriveEnd, DriveRequest } from "./drive-request.ts";
import { waitingEnds } from "./waiting-end.ts";
import type { Pause, Worker } from "./worker.ts";

/** How long a change that another process makes may go unnoticed, in milliseconds. */
const longestLook = 500;

type Resting = Extract<Pause, { readonly kind: "rest" | "idle" }>;

export interface PoolParts {
  readonly context: EngineContext;
  readonly handle: RunHandle;
  readonly workers: readonly Worker[];
  readonly stop: AbortController;
  /** The signal of `stop` or of who drives, as the workers have it: after it none of them begins anything. */
  readonly finish: AbortSignal;
  /** Waits until something that is blocked until a time is due, or something is free; false where nothing is due, or it is not waited for. */
  readonly waitForTime: (isFreed: () => Promise<boolean>) => Promise<boolean>;
  /** Asks the person in front; absent where nobody is. */
  readonly ask: DriveRequest["ask"];
  /** What others have is not waited for. */
  readonly leaves: boolean;
}

/**
 * Lets several workers work on one run. One that has nothing to do rests until the run changes; when all of them rest and nothing that would
 * bring more is under way, driving ends.
 */
export class WorkerPool {
  readonly #context: EngineContext;
  readonly #handle: RunHandle;
  readonly #workers: readonly Worker[];
  readonly #stop: AbortController;
  readonly #finish: AbortSignal;
  readonly #waitForTime: PoolParts["waitForTime"];
  readonly #ask: PoolParts["ask"];
  readonly #leaves: boolean;
  /** Who rests, why, and at which head of the run it looked. */
  readonly #resting = new Map<Worker, { readonly pause: Resting; readonly head: number }>();
  /** What workers came to that stopped, by their place. */
  readonly #ends = new Map<number, DriveEnd>();
  /** The person who drives interrupted it: that is the reason then. */
  #isInterrupted = false;
  #deciding: Promise<"again" | "end" | "wait"> | undefined;

  constructor({ context, handle, workers, stop, finish, waitForTime, ask, leaves }: PoolParts) {
    this.#context = context;
    this.#handle = handle;
    this.#workers = workers;
    this.#stop = stop;
    this.#finish = finish;
    this.#waitForTime = waitForTime;
    this.#ask = ask;
    this.#leaves = leaves;
  }

  /** What the workers came to; undefined when the run is over. A worker that throws lets the others come to the end of their turns first. */
  async drive(): Promise<DriveEnd | undefined> {
    const done = await Promise.allSettled(
      this.#workers.map((worker, place) =>
        this.#work(worker, place).catch((error: unknown) => {
          this.#stop.abort("failed");
          throw error;
        }),
      ),
    );
    // A person may still be asked although the run has moved.
    await this.#deciding?.catch(() => undefined);
    const failed = done.find((each) => each.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    if (this.#handle.state.status !== "running") return undefined;
    const waiting = this.#isInterrupted ? [] : await this.#waiting();
    const [first, ...others] = [...waiting, ...[...this.#ends].toSorted(([a], [b]) => a - b).map(([, end]) => end)];
    return first === undefined ? undefined : combineEnds([first, ...others]);
  }

  /** What parts wait for counts whichever worker had them: one is not "others" to another. */
  #waiting(): Promise<readonly DriveEnd[]> {
    return waitingEnds(this.#context, this.#handle, new Set(this.#workers.map(({ caller }) => caller.leaseOwner)));
  }

  async #work(worker: Worker, place: number): Promise<void> {
    for (;;) {
      // What changes while the worker looks may be what it did not see.
      const { head } = this.#handle;
      const pause = await worker.work();
      if (pause.kind === "over") return;
      // A worker that another one stopped has nothing to add.
      if (pause.kind !== "interrupted" || !this.#stop.signal.aborted) this.#ends.set(place, pause.end);
      if (pause.kind === "interrupted" && !this.#stop.signal.aborted) this.#isInterrupted = true;
      if (pause.kind === "stop") this.#stop.abort("stopped");
      if (pause.kind === "stop" || pause.kind === "interrupted") return;
      this.#resting.set(worker, { pause, head });
      if (!(await this.#rests(pause, head))) return;
      this.#resting.delete(worker);
      this.#ends.delete(place);
    }
  }

  /** Rests until there may be something to do. False when there will not be. */
  async #rests(pause: Resting, head: number): Promise<boolean> {
    for (;;) {
      if (this.#stop.signal.aborted) return this.#handle.state.status !== "running";
      if (this.#finish.aborted) return true;
      if (this.#handle.head !== head) return true;
      const decided = this.#allRest() ? await this.#decided(head) : "wait";
      // Who decides may have thought for long.
      if (decided === "end" && this.#allRest()) this.#stop.abort("over");
      else if (decided === "again") return true;
      else await waitForChange(this.#context, this.#handle, longestLook, this.#finish);
      // A holder that dies changes nothing in the run.
      if (decided === "wait" && pause.kind === "idle" && this.#allRest()) return true;
    }
  }

  /** Everybody has seen the run as it is, and has nothing to do. */
  #allRest(): boolean {
    return this.#resting.size === this.#workers.length && [...this.#resting.values()].every(({ head }) => head === this.#handle.head);
  }

  /** Decided once for all; a run that changes meanwhile is looked at again, as long as something may begin. */
  async #decided(head: number): Promise<"again" | "end" | "wait"> {
    const deciding = (this.#deciding ??= this.#decide().finally(() => (this.#deciding = undefined)));
    const over = new AbortController();
    const changed = async (): Promise<"again" | "end" | "wait"> => {
      const stop = AbortSignal.any([this.#finish, over.signal]);
      while (this.#handle.head === head && !stop.aborted) await waitForChange(this.#context, this.#handle, longestLook, stop);
      return this.#handle.head === head ? deciding : "again";
    };
    try {
      return await Promise.race([deciding, changed()]);
    } finally {
      over.abort("decided");
    }
  }

  async #decide(): Promise<"again" | "end" | "wait"> {
    const rests = [...this.#resting.values()].flatMap(({ pause }) => (pause.kind === "rest" ? [pause.end] : []));
    const ends = [...(await this.#waiting()), ...rests];
    const [question] = ends.flatMap((end) => (end.kind === "waits" ? end.questions : []));
    const ask = question === undefined ? undefined : this.#ask;
    if (ask !== undefined && question !== undefined && (await ask(this.#handle.id, question, this.#finish))) return "again";
    if (await this.#waitForTime(await this.#freed())) return "again";
    if (ask !== undefined || this.#leaves) return "end";
    const isSettled = ends.length > 0;
    for (const strand of Object.values(this.#handle.state.strands))
      if (strand.id !== mainStrand && isOpen(strand.status) && (await this.#isMoving(strand, isSettled))) return "wait";
    return "end";
  }

  /** Tells whether a holder elsewhere that is alive now has gone: that changes nothing in the run. */
  async #freed(): Promise<() => Promise<boolean>> {
    const open = Object.values(this.#handle.state.strands).filter(({ status }) => isOpen(status));
    const held = (await Promise.all(open.map(async (strand) => ((await this.#isElsewhere(strand)) ? [strand] : [])))).flat();
    return async () => (await Promise.all(held.map((strand) => this.#isElsewhere(strand)))).includes(false);
  }

  /** Whether a part may come to something by itself: the engine works on it, or a holder elsewhere. What lasts is not waited for if there is a reason to end. */
  async #isMoving(strand: Strand, isSettled: boolean): Promise<boolean> {
    const standing = standingOf(this.#handle.state, strand.id);
    if (standing.kind === "working") return !isSettled || standing.until === undefined;
    return !isSettled && this.#isElsewhere(strand);
  }

  async #isElsewhere(strand: Strand): Promise<boolean> {
    const { alive } = await readLife(this.#context, this.#handle.id, strand);
    return alive !== undefined && !this.#workers.some(({ caller }) => caller.leaseOwner === alive.owner);
  }
}
