import { createHash } from "node:crypto";
import type { WorkHints } from "../../ports/index.ts";
import type { PostgresDatabase } from "./postgres-database.ts";
import { hintChannel } from "./work-rows.ts";

const againMs = 1_000;

/** Hints of one project, on a connection that is made for the first listener and made again when it is lost. */
export class PostgresHints implements WorkHints {
  readonly #database: Pick<PostgresDatabase, "listen">;
  readonly #own: string;
  readonly #listeners = new Set<() => void>();
  #stop: (() => void) | undefined;
  #again: NodeJS.Timeout | undefined;

  constructor(database: Pick<PostgresDatabase, "listen">, project: string) {
    this.#database = database;
    this.#own = createHash("sha256").update(project).digest("hex");
  }

  listen(heard: () => void): () => void {
    // Of its own, so that one function may listen twice.
    const listener = (): void => heard();
    this.#listeners.add(listener);
    if (this.#stop === undefined && this.#again === undefined) this.#connect();
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    clearTimeout(this.#again);
    this.#stop?.();
    this.#stop = undefined;
  }

  #connect(): void {
    this.#again = undefined;
    this.#stop = this.#database.listen(
      hintChannel,
      (payload) => {
        if (payload === this.#own) for (const heard of this.#listeners) heard();
      },
      () => {
        this.#stop = undefined;
        this.#again = setTimeout(() => this.#connect(), againMs).unref();
      },
    );
  }
}
