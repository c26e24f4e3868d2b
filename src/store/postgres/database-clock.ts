import type { Statements } from "./postgres-connection.ts";

const askAgainMs = 2_000;

/**
 * The time of the database, as it was when it was last asked plus what passed since. What passes is measured by a clock that nobody sets, so
 * that a computer whose time of day is wrong has the right one. It never runs backwards, and never before the database's own.
 */
export class DatabaseClock {
  #answer: { readonly time: number; readonly at: number } | undefined;
  #last = -Infinity;

  async now(ask: <T>(work: (db: Statements) => Promise<T>) => Promise<T>): Promise<number> {
    if (this.#answer === undefined || performance.now() - this.#answer.at > askAgainMs) {
      const row = await ask((db) => db.get<{ now: number }>(`select ${db.now} as now`));
      this.#answer = { time: row?.now ?? 0, at: performance.now() };
    }
    this.#last = Math.max(this.#last, Math.floor(this.#answer.time + performance.now() - this.#answer.at));
    return this.#last;
  }
}
