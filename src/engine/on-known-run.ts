import { isWaymarkError } from "../base/index.ts";
import type { EngineContext, Runs } from "./context.ts";
import type { RunHandle } from "./run-cache.ts";

/** Ends a command whose run has moved since this process saw it; never leaves this file. */
class RunMoved extends Error {}

/**
 * A command that commits, on its run as this process saw it last: the commit counts only if the run is still so, which saves asking the store before.
 * What the command comes to without a commit is checked afterwards. A run that has moved is brought up to date, and the command is performed again
 * from its beginning: nothing of it was recorded.
 */
export async function onKnownRun<T>(engine: EngineContext, perform: (engine: EngineContext) => Promise<T>): Promise<T> {
  const known = new KnownRun(engine.runs);
  const first = await perform({ ...engine, runs: known.runs }).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ("error" in first && isStoreFailure(first.error)) throw first.error;
  if (!(await known.holds())) return perform(engine);
  if ("error" in first) throw first.error;
  return first.value;
}

/** Whether the store could not do what it was asked for: it says itself what became of that. A run that is gone is another matter. */
function isStoreFailure(error: unknown): boolean {
  return isWaymarkError(error) && error.code.startsWith("STORE_") && error.code !== "STORE_NO_RUN";
}

class KnownRun {
  readonly runs: Runs;
  readonly #all: Runs;
  #handle: RunHandle | undefined;
  /** The head at which it was opened; undefined once the run is known to be up to date, or to have moved. */
  #head: number | undefined;
  #hasMoved = false;

  constructor(all: Runs) {
    this.#all = all;
    this.runs = {
      open: (id) => this.#open(id),
      known: (id) => all.known(id),
      row: (id) => all.row(id),
      idOf: (named) => all.idOf(named),
      program: (hash) => all.program(hash),
      refresh: (handle) => (handle === this.#handle && this.#head !== undefined ? this.#confirm() : all.refresh(handle)),
      moved: (handle, ...to) => {
        if (handle === this.#handle) this.#isNewest();
        all.moved(handle, ...to);
      },
      forget: (id) => all.forget(id),
      settle: () => all.settle(),
      rebuild: (...given) => all.rebuild(...given),
    };
  }

  /** Whether what was done with the run was done with the newest state, or has been committed. */
  async holds(): Promise<boolean> {
    await this.#confirm().catch(() => undefined);
    return !this.#hasMoved;
  }

  /** The first run only, while it is open: what a run that has ended comes to is read in others too. */
  async #open(named: string): Promise<RunHandle> {
    const id = await this.#all.idOf(named);
    if (this.#handle?.id === id) return this.#handle;
    const known = this.#handle === undefined ? this.#all.known(id) : undefined;
    if (known?.state.status !== "running") {
      await this.#confirm();
      return this.#all.open(id);
    }
    this.#handle = known;
    this.#head = known.head;
    return known;
  }

  async #confirm(): Promise<void> {
    const [handle, head] = [this.#handle, this.#head];
    if (handle === undefined || head === undefined) return;
    this.#hasMoved = true;
    await this.#all.refresh(handle);
    if (handle.head !== head) throw new RunMoved(`Run \`${handle.id}\` has moved.`);
    this.#isNewest();
  }

  #isNewest(): void {
    this.#hasMoved = false;
    this.#head = undefined;
  }
}
