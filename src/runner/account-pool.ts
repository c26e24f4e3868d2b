import type { EngineContext } from "../engine/index.ts";
import type { Pool } from "../ports/index.ts";

const minute = 60_000;

/** How long a limit is waited for that does not say when it ends: each time longer. */
const guesses = [1, 5, 15, 60].map((minutes) => minutes * minute);

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

  /** An agent was refused by the limit. A time that is past already says nothing about when it ends. */
  async limit(reason: string, resetAt: number | undefined): Promise<SeenLimit> {
    const now = await this.#store.now();
    const known = resetAt !== undefined && resetAt > now ? resetAt : undefined;
    const before = known === undefined ? ((await this.#store.readPool(this.name))?.guesses ?? 0) : 0;
    const pause = guesses[Math.min(before, guesses.length - 1)] ?? minute;
    const until = known ?? now + pause;
    await this.#store.blockPool({
      name: this.name,
      blockedUntil: until,
      reason,
      seenBy: this.#run,
      guesses: known === undefined ? before + 1 : 0,
    });
    return { until, sure: known !== undefined || before >= guesses.length - 1 };
  }

  /** An agent worked: a limit that was seen before it began is over. One that another driver saw since is not. */
  async worked(): Promise<void> {
    if (this.#seen === undefined) return;
    const { seenAt } = this.#seen;
    this.#seen = undefined;
    if ((await this.#store.readPool(this.name))?.seenAt === seenAt) await this.#store.freePool(this.name);
  }
}
