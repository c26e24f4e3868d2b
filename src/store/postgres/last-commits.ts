import type { LastCommit } from "./write-commit.ts";

const most = 100;

/** What the last commits of this process left, for the runs that it committed to lately. */
export class LastCommits {
  readonly #commits = new Map<string, LastCommit>();

  of(run: string): LastCommit | undefined {
    return this.#commits.get(run);
  }

  /** Without one the run is as nobody here knows. */
  keep(run: string, commit: LastCommit | undefined): void {
    this.#commits.delete(run);
    if (commit === undefined) return;
    this.#commits.set(run, commit);
    const [oldest] = this.#commits.keys();
    if (this.#commits.size > most && oldest !== undefined) this.#commits.delete(oldest);
  }
}
