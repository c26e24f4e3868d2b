import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { isWaymarkError } from "../../base/index.ts";
import type { Item, ItemQuery } from "../../program/index.ts";
import type { Timer } from "../../kernel/index.ts";
import type {
  BlobFacts,
  Commit,
  ItemChange,
  ItemCounts,
  ItemSelection,
  JournalRecord,
  Lease,
  RunFilter,
  RunRow,
  Store,
} from "../../ports/index.ts";
import { BlobFolder } from "../blob-folder.ts";
import { applyItemChanges } from "./item-changes.ts";
import { countItems, findItem, selectDependants, selectItems, selectLists } from "./item-rows.ts";
import { KnownRows } from "./known-rows.ts";
import { commitToRun, findRecord, findSnapshot, selectDueTimers, selectRecords, writeCommit, writeSnapshot } from "./journal-rows.ts";
import { acquireLease, beatLeases, deleteLease, findLease, selectLeases } from "./lease-rows.ts";
import { deleteRun, insertRun, requireRun, selectRuns, type RunIdentity } from "./run-rows.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { verifyRows, type Findings } from "./verify-rows.ts";

interface SqliteStoreParts {
  readonly db: SqliteConnection;
  readonly folder: string;
  readonly schema: number;
  readonly engine: string;
  readonly now: () => number;
}

/** The port on one SQLite file and a folder of blobs. Each method is one transaction; the SQL lies in the `*-rows.ts` files. */
export class SqliteStore implements Store {
  readonly #db: SqliteConnection;
  readonly #known: KnownRows;
  readonly #blobs: BlobFolder;
  readonly #facts: { readonly kind: string; readonly location: string; readonly schema: number; readonly engine: string };
  readonly #clock: () => number;
  /** Owner of run locks: this opened store, however many there are in the process. */
  readonly #owner = randomUUID();

  constructor({ db, folder, schema, engine, now }: SqliteStoreParts) {
    this.#db = db;
    this.#known = new KnownRows(db);
    this.#clock = now;
    this.#facts = { kind: "sqlite", location: folder, schema, engine };
    this.#blobs = new BlobFolder(join(folder, "blobs"), (work) => db.write(work));
  }

  async now(): Promise<number> {
    return this.#clock();
  }

  async createRun(row: RunIdentity, commit: Commit): Promise<{ readonly head: number }> {
    const db = this.#db;
    return db.write(() => {
      const now = this.#clock();
      return { head: writeCommit(db, insertRun(db, row, now), { run: row.id, commit, now }) };
    });
  }

  async readRun(id: string): Promise<RunRow | undefined> {
    return this.#db.read(() => this.#known.run(id));
  }

  async listRuns(filter: RunFilter): Promise<readonly RunRow[]> {
    return this.#db.read(() => selectRuns(this.#db, filter));
  }

  async removeRun(id: string, head?: number): Promise<boolean> {
    const removed = await this.#db.write(() => deleteRun(this.#db, id, head));
    this.#known.forget();
    return removed;
  }

  async commit(
    run: string,
    expectedHead: number,
    commit: Commit,
    options?: { readonly locked?: boolean },
  ): Promise<{ readonly ok: boolean; readonly head: number }> {
    const locked = options?.locked ?? false;
    const taken = this.#known.take(run);
    let now = 0;
    const done = await this.#db.write(() => {
      now = this.#clock();
      return commitToRun(this.#db, { run, expectedHead, commit, locked, owner: this.#owner, now });
    }, `Run \`${run}\` in the store`);
    const known = done.ok && taken.row?.head === expectedHead;
    this.#known.put(taken, known ? { head: done.head, updatedAt: now, ...commit.summary } : undefined);
    return done;
  }

  async readRecords(run: string, after: number, limit: number): Promise<readonly JournalRecord[]> {
    return this.#db.read(() => selectRecords(this.#db, run, after, limit));
  }

  async findRecord(run: string, key: string): Promise<JournalRecord | undefined> {
    return this.#db.read(() => findRecord(this.#db, run, key));
  }

  async readSnapshot(run: string): Promise<{ readonly position: number; readonly text: string } | undefined> {
    return this.#db.read(() => findSnapshot(this.#db, run));
  }

  async writeSnapshot(run: string, position: number, text: string): Promise<void> {
    return this.#db.write(() => writeSnapshot(this.#db, run, position, text));
  }

  async dropSnapshots(run: string): Promise<void> {
    await this.#db.write(() => this.#db.run("delete from snapshot where run = ?", requireRun(this.#db, run).no));
  }

  async selectItems(run: string, selection: ItemSelection): Promise<readonly Item[]> {
    return this.#db.read(() => selectItems(this.#db, this.#known.worklist(run, selection.list), selection, this.#clock()));
  }

  async countItems(run: string, list: string, query: ItemQuery): Promise<ItemCounts> {
    return this.#db.snapshot(() => countItems(this.#db, run, list, { query, now: this.#clock() }));
  }

  async readItem(run: string, list: string, id: string): Promise<Item | undefined> {
    return this.#db.read(() => findItem(this.#db, run, list, id));
  }

  async dependants(run: string, list: string, id: string): Promise<readonly string[]> {
    return this.#db.read(() => selectDependants(this.#db, run, list, id));
  }

  async itemLists(run: string): Promise<readonly string[]> {
    return this.#db.read(() => selectLists(this.#db, run));
  }

  async dropItems(run: string): Promise<void> {
    await this.#db.write(() => this.#db.run("delete from worklist where run = ?", requireRun(this.#db, run).no));
    this.#known.forget();
  }

  async applyItems(run: string, changes: readonly ItemChange[]): Promise<void> {
    return this.#db.write(() => applyItemChanges(this.#db, requireRun(this.#db, run).no, changes));
  }

  async acquire(key: string, owner: string, fence: number, ttlMs: number): Promise<{ readonly granted: boolean; readonly lease: Lease }> {
    return this.#db.write(() => acquireLease(this.#db, { key, owner, fence, ttlMs }, this.#clock()));
  }

  async readLease(key: string): Promise<Lease | undefined> {
    return this.#db.read(() => findLease(this.#db, key));
  }

  async readLeases(prefix: string): Promise<readonly Lease[]> {
    return this.#db.read(() => selectLeases(this.#db, prefix));
  }

  async beat(owner: string, ttlMs: number): Promise<number> {
    return this.#db.write(() => beatLeases(this.#db, owner, ttlMs, this.#clock()));
  }

  async releaseLease(key: string, owner: string): Promise<void> {
    return this.#db.write(() => deleteLease(this.#db, key, owner));
  }

  async dueTimers(at: number, limit: number): Promise<readonly { readonly run: string; readonly timer: Timer }[]> {
    return this.#db.read(() => selectDueTimers(this.#db, at, limit));
  }

  async putBlob(bytes: Uint8Array): Promise<BlobFacts> {
    this.#db.refuseReadonly();
    return this.#blobs.put(bytes);
  }

  async adoptBlob(path: string): Promise<BlobFacts> {
    this.#db.refuseReadonly();
    return this.#blobs.adopt(path);
  }

  async readBlob(hash: string): Promise<Uint8Array | undefined> {
    return this.#blobs.read(hash);
  }

  blobPath(hash: string): string {
    return this.#blobs.path(hash);
  }

  async collectBlobs(): Promise<{ readonly removed: number; readonly bytes: number }> {
    this.#db.refuseReadonly();
    return this.#blobs.collect((hash) => this.#db.get("select 1 from blob_ref where hash = ? limit 1", hash) !== undefined);
  }

  async describe(): Promise<{ readonly kind: string; readonly location: string; readonly schema: number; readonly engine: string }> {
    return this.#facts;
  }

  async verify(): Promise<readonly string[]> {
    const { problems, blobs } = await this.#db.snapshot(() => verifyRows(this.#db)).catch(onlyDamage);
    const missing: string[] = [];
    for (const { hash, run } of blobs)
      if (!(await this.#blobs.has(hash))) missing.push(`Run \`${run}\` refers to the blob \`${hash}\`, which is missing.`);
    return [...problems, ...missing];
  }

  async close(): Promise<void> {
    this.#db.close();
  }
}

/** A file too damaged to be checked is a finding, not a failure. */
function onlyDamage(error: unknown): Findings {
  if (!isWaymarkError(error) || error.code !== "STORE_CORRUPT") throw error;
  return { problems: [error.message], blobs: [] };
}
