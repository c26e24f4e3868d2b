import type { Alarms } from "../../src/ports/index.ts";

interface Alarm {
  due: number;
  readonly every?: number;
  readonly ring: () => void;
}

/** A clock and its alarms that move only when a test says so. */
export class DrivenTime {
  readonly alarms: Alarms = {
    wait: (ms, signal) =>
      new Promise((resolve) => {
        const ring = (): void => (signal?.removeEventListener("abort", stop), resolve());
        const turnOff = this.#set({ due: this.#at + ms, ring });
        const stop = (): void => (turnOff(), resolve());
        if (signal?.aborted === true) stop();
        else signal?.addEventListener("abort", stop, { once: true });
      }),
    after: (ms, ring) => this.#set({ due: this.#at + ms, ring }),
    every: (ms, ring) => this.#set({ due: this.#at + ms, every: ms, ring }),
  };
  readonly #alarms = new Set<Alarm>();
  #at: number;

  constructor(at = Date.UTC(2026, 0, 1)) {
    this.#at = at;
  }

  now = (): number => this.#at;

  /** Moves the clock, ringing what comes due on the way, in order; what it sets off gets its turn in between. */
  async advance(ms: number): Promise<void> {
    const until = this.#at + ms;
    for (;;) {
      await settled();
      const next = [...this.#alarms].filter(({ due }) => due <= until).toSorted((a, b) => a.due - b.due)[0];
      if (next === undefined) break;
      this.#at = Math.max(this.#at, next.due);
      if (next.every === undefined) this.#alarms.delete(next);
      else next.due += next.every;
      next.ring();
    }
    this.#at = until;
    await settled();
  }

  /** How far away the nearest alarm is; undefined when none is set. */
  nearest(): number | undefined {
    const due = Math.min(...[...this.#alarms].map((alarm) => alarm.due));
    return Number.isFinite(due) ? due - this.#at : undefined;
  }

  #set(alarm: Alarm): () => void {
    this.#alarms.add(alarm);
    return () => void this.#alarms.delete(alarm);
  }
}

/** Long enough for promises and for what the event loop has ready. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
}
