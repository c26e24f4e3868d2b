import { isWaymarkError } from "../../base/index.ts";
import { storeLocked, storeUnreachable } from "../store-errors.ts";
import type { DriverAddress } from "./driver-address.ts";
import { Patience } from "./patience.ts";
import { isAnswer, isCollision, isLost, isReadOnly, lockWaitMs, postgresFailure } from "./postgres-failure.ts";

/** What an attempt comes to that must be made again a little later, with nothing changed. */
export const later: unique symbol = Symbol("later");

/** Whether something was sent that may have changed the database. */
export interface Sent {
  done: boolean;
}

export interface WaitOptions {
  /** How long to wait for the server before giving up. */
  readonly waitMs: number;
  /** How long at most where nothing has answered yet: the address may be wrong. */
  readonly firstWaitMs?: number | undefined;
  readonly watch?: WatchConnection | undefined;
}

/** Called once when a server has not answered for a moment, with how long it is waited for, and once when it answers again. */
export type WatchConnection = (
  event: { readonly type: "away"; readonly place: string; readonly upToMs: number } | { readonly type: "back"; readonly place: string },
) => void;

const usualFirstWaitMs = 10_000;
/** A restart that is over before is nothing to speak of. */
const unsaidMs = 1_000;
const longestPauseMs = { locked: 60, lost: 1_000 };

/** Makes attempts again while the server is away or others are in the way, up to the limits. */
export class ServerPatience {
  readonly firstWaitMs: number;
  readonly #place: string;
  readonly #options: WaitOptions;
  /** For messages; undefined before anything was sent. */
  readonly #address: () => DriverAddress | undefined;
  #wasReached = false;
  #isAway = false;

  constructor(place: string, options: WaitOptions, address: () => DriverAddress | undefined) {
    this.#place = place;
    this.#options = options;
    this.#address = address;
    this.firstWaitMs = Math.min(options.firstWaitMs ?? usualFirstWaitMs, options.waitMs);
  }

  /** The server has answered: from now on it is waited for in full. */
  reached(): void {
    this.#wasReached = true;
  }

  /** The limit that counted is named. */
  #unreachable(waitedMs: number, of: { readonly cause: unknown; readonly uncertain: boolean }): Error {
    const limitMs = !this.#wasReached && this.firstWaitMs < this.#options.waitMs ? this.firstWaitMs : undefined;
    return storeUnreachable(this.#place, waitedMs, { ...of, firstWaitMs: limitMs });
  }

  #sayAway(upToMs: number): void {
    if (this.#isAway) return;
    this.#isAway = true;
    this.#options.watch?.({ type: "away", place: this.#place, upToMs });
  }

  #sayBack(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#options.watch?.({ type: "back", place: this.#place });
  }

  /** `attempt` is made again until it comes to something; `sent.done` says after each whether it may have changed something. */
  async patiently<T>(
    attempt: () => Promise<T | typeof later>,
    { what = "The store", sent = { done: false } }: { readonly what?: string | undefined; readonly sent?: Sent } = {},
  ): Promise<T> {
    const busy = new Patience(longestPauseMs.locked);
    let lost: Patience | undefined;
    const begun = performance.now();
    // What an attempt without an answer may have done is not undone by the refusal of the next one.
    const unknown = (cause: unknown): Error => storeUnreachable(this.#place, performance.now() - begun, { cause, uncertain: true });
    for (;;) {
      const wasSent = sent.done;
      const tried = performance.now();
      try {
        const result = await attempt();
        this.#sayBack();
        if (result !== later) return result;
      } catch (error) {
        if (isLost(error)) {
          this.#wasReached ||= isAnswer(error);
          if (isReadOnly(error)) sent.done = wasSent;
          // An attempt at a server that never said anything was nothing but waiting for it.
          lost ??= new Patience(longestPauseMs.lost, this.#wasReached ? performance.now() : tried);
          const upToMs = this.#wasReached ? this.#options.waitMs : this.firstWaitMs;
          if (lost.elapsed() >= upToMs) throw this.#unreachable(lost.elapsed(), { cause: error, uncertain: sent.done });
          if (lost.elapsed() >= unsaidMs) this.#sayAway(upToMs);
          await lost.pause();
          continue;
        }
        if (!isCollision(error))
          throw wasSent && !isWaymarkError(error) ? unknown(error) : postgresFailure(error, this.#place, this.#address());
      }
      // The server has answered. Only what was sent before this attempt, or in one whose connection was lost, can have been written.
      sent.done = wasSent;
      lost = undefined;
      // A server that took long to answer was not locked for so long.
      if (busy.paused >= lockWaitMs)
        throw wasSent ? unknown(new Error("others have it locked")) : storeLocked(this.#place, busy.elapsed(), what);
      await busy.pause();
    }
  }
}
