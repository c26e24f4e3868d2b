import { setTimeout as sleep } from "node:timers/promises";

/** Pauses that grow. */
export class Patience {
  readonly #started: number;
  readonly #longestMs: number;
  #pauseMs = 4;
  #paused = 0;

  constructor(longestMs: number, started: number = performance.now()) {
    this.#started = started;
    this.#longestMs = longestMs;
  }

  /** How long the pauses were together. */
  get paused(): number {
    return this.#paused;
  }

  /** Since it was started. */
  elapsed(): number {
    return performance.now() - this.#started;
  }

  async pause(): Promise<void> {
    const begun = performance.now();
    await sleep(1 + Math.random() * this.#pauseMs);
    this.#paused += performance.now() - begun;
    this.#pauseMs = Math.min(this.#pauseMs * 1.5, this.#longestMs);
  }
}
