import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canonicalJson } from "../../src/base/index.ts";
import { apply, emptyState, type Event, type RunState } from "../../src/kernel/index.ts";
import type { JournalRecord } from "../../src/ports/index.ts";
import { openSqliteStore } from "../../src/store/index.ts";
import { composeEngine, type ComposedEngine, type Composition } from "./compose-engine.ts";

/** A folder of its own on which a test file opens as many engines as it likes; each is a process as far as the others can tell. */
export class AlwaysBench {
  readonly base: string = mkdtempSync(join(tmpdir(), "waymark-always-"));
  readonly #open = new Set<ComposedEngine>();

  async open(options: Omit<Composition, "base"> = {}): Promise<ComposedEngine> {
    const engine = await composeEngine({ base: this.base, ...options });
    this.#open.add(engine);
    return engine;
  }

  async shut(engine: ComposedEngine): Promise<void> {
    this.#open.delete(engine);
    await engine.close();
  }

  async close(): Promise<void> {
    for (const engine of this.#open) await engine.close();
    this.#open.clear();
    rmSync(this.base, { recursive: true, force: true });
  }

  /** The journal as somebody sees it who opens the store only now. */
  async records(run: string): Promise<readonly JournalRecord[]> {
    const store = await openSqliteStore({ folder: join(this.base, "work", ".waymark", "store") });
    try {
      return await store.readRecords(run, 0, 1_000_000);
    } finally {
      await store.close();
    }
  }

  /** The state that the journal on disk gives, and its head. Only for runs without large values. */
  async stored(run: string): Promise<{ readonly state: RunState; readonly head: number; readonly keys: readonly string[] }> {
    const records = await this.records(run);
    let state = emptyState;
    for (const record of records) for (const event of JSON.parse(record.events) as Event[]) state = apply(state, event);
    return { state, head: records.at(-1)?.position ?? 0, keys: records.flatMap(({ key }) => key ?? []) };
  }
}

/** The code a call is refused with, or `ok`. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "ok",
    (error: { readonly code?: string; readonly message?: string }) => error.code ?? error.message ?? "unknown",
  );
}

export function same(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
