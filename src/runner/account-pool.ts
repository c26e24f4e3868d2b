import type { EngineContext } from "../engine/index.ts";
import type { Pool } from "../ports/index.ts";

const minute = 60_000;

/** How long a limit is waited for that does not say when it ends: each time longer. */
const guesses = [1, 5, 15, 60].map((minutes) => minutes * minute);

/** By how much the times that two turns name may differ and be one: many providers name the time from now. */
const slack = minute;

export interface SeenLimit {
  readonly until: number;
  /** The provider said so, or it is the longest pause: when it is over, the step should be possible. */
  readonly sure: boolean;
}

/** The account whose limits an agent has. What one driver sees of it holds for all drivers of all runs in the store. */
export class AccountPool {
  readonly name: string;
  readonly #store: EngineContext["store"];
  readonly #run: string;
  #seen: Pool | undefined;
  #begunAt = 0;

  constructor({ store }: Pick<EngineContext, "store">, name: string, run: string) {
    this.#store = store;
    this.name = name;
    this.#run = run;
  }

  /** The limit that is in force now. */
  async blocked(): Promise<Pool | undefined> {
    this.#seen = await this.#store.readPool(this.name);
    return this.#seen !== undefined && this.#seen.blockedUntil > (await this.#store.now()) ? this.#seen : undefined;
  }

  /** A turn begins: what it says of a limit is news only if the limit that is known then is over. */
  async begins(): Promise<void> {
    this.#begunAt = await this.#store.now();
  }

  /**
   * An agent was refused by the limit. A time that is past already says nothing about when it ends. All turns that began before a limit was
   * over tell of the same one, in whatever run, so they wait for the same time; a later time that the provider names counts nevertheless.
   */
  async limit(reason: string, resetAt: number | undefined): Promise<SeenLimit> {
    for (;;) {
      const before = await this.#store.readPool(this.name);
      const now = await this.#store.now();
      const named = resetAt !== undefined && resetAt > now ? resetAt : undefined;
      if (before !== undefined && this.#isSame(before, named))
        return { until: before.blockedUntil, sure: before.blockedUntil > now && isSure(before) };
      const guessed = named === undefined ? (before?.guesses ?? 0) : 0;
      const blockedUntil = named ?? now + (guesses[Math.min(guessed, guesses.length - 1)] ?? minute);
      const seen = { name: this.name, blockedUntil, reason, seenBy: this.#run, guesses: named === undefined ? guessed + 1 : 0 };
      // Another turn may have reported it meanwhile.
      if ((await this.#store.blockPool(seen, before)) !== undefined) return { until: blockedUntil, sure: isSure(seen) };
    }
  }

  /** The limit is the one that is known, and says nothing new about its time. */
  #isSame({ blockedUntil, guesses: guessed }: Pool, named: number | undefined): boolean {
    if (blockedUntil <= this.#begunAt) return false;
    return named === undefined || (guessed === 0 && named <= blockedUntil + slack);
  }

  /** An agent worked: a limit that was seen before it began is over. One that another driver saw since is not. */
  async worked(): Promise<void> {
    if (this.#seen === undefined) return;
    const { seenAt } = this.#seen;
    this.#seen = undefined;
    if ((await this.#store.readPool(this.name))?.seenAt === seenAt) await this.#store.freePool(this.name);
  }
}

function isSure({ guesses: guessed }: Pick<Pool, "guesses">): boolean {
  return guessed === 0 || guessed >= guesses.length;
}
