interface Lane {
  readonly waiting: (() => Promise<void>)[];
  isActive: boolean;
  /** Resolves when what was added last is done. */
  last: Promise<unknown>;
}

/** One message at a time for each conversation, so many conversations at once; the rest wait in the order in which they came. */
export class TurnQueue {
  readonly max: number;
  readonly #lanes = new Map<string, Lane>();
  /** Conversations with work that could begin, the one that has waited longest first. */
  readonly #ready: string[] = [];
  #active = 0;
  #isClosed = false;

  constructor(max = 10) {
    this.max = max;
  }

  get active(): number {
    return this.#active;
  }

  get queued(): number {
    let queued = 0;
    for (const { waiting } of this.#lanes.values()) queued += waiting.length;
    return queued;
  }

  /** How many wait in one conversation. */
  queuedIn(conversation: string): number {
    return this.#lanes.get(conversation)?.waiting.length ?? 0;
  }

  /** Resolves when the work is done, with what it rejects; false when it never began because the queue was closed. */
  add(conversation: string, work: () => Promise<void>): Promise<boolean> {
    if (this.#isClosed) return Promise.resolve(false);
    const lane = this.#lanes.get(conversation) ?? { waiting: [], isActive: false, last: Promise.resolve() };
    this.#lanes.set(conversation, lane);
    const done = new Promise<boolean>((resolve, reject) => {
      lane.waiting.push(async () => {
        if (this.#isClosed) return resolve(false);
        await work().then(() => resolve(true), reject);
      });
    });
    lane.last = done.catch(() => undefined);
    if (!lane.isActive && lane.waiting.length === 1) this.#ready.push(conversation);
    this.#begin();
    return done;
  }

  /** Resolves when what was added for the conversation by now is done. */
  async settled(conversation: string): Promise<void> {
    await this.#lanes.get(conversation)?.last;
  }

  /** What is under way comes to its end, what waits does not begin. */
  close(): void {
    this.#isClosed = true;
    this.#begin();
  }

  #begin(): void {
    while (this.#active < this.max || this.#isClosed) {
      const conversation = this.#ready.shift();
      const lane = conversation === undefined ? undefined : this.#lanes.get(conversation);
      if (conversation === undefined || lane === undefined) return;
      this.#active += 1;
      lane.isActive = true;
      void lane.waiting
        .shift()?.()
        .then(() => this.#ended(conversation, lane));
    }
  }

  #ended(conversation: string, lane: Lane): void {
    this.#active -= 1;
    lane.isActive = false;
    if (lane.waiting.length > 0) this.#ready.push(conversation);
    else this.#lanes.delete(conversation);
    this.#begin();
  }
}
