import { randomUUID } from "node:crypto";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { isWaymarkError } from "../../base/index.ts";
import type { RunRow, Store } from "../../ports/index.ts";
import { BlobFolder } from "../blob-folder.ts";
import { decodeText } from "../stored-text.ts";
import { journalProblems, missingBlob, type JournalEnds } from "../verify-problems.ts";
import { selectWork } from "./work-rows.ts";
import { applyItemChanges, countItems, emptyList, findItem, selectDependants, selectItems, selectLists, worklistOf } from "./item-rows.ts";
import { acquireLease, beatLeases, deleteLease, deleteLeases, findLease, selectLeases } from "./lease-rows.ts";
import { deletePool, findPool, replacePool, selectPools } from "./pool-rows.ts";
import {
  commitToRun,
  deleteRun,
  findRecord,
  findRun,
  findSnapshot,
  insertRun,
  requireRun,
  selectRecords,
  selectRuns,
  writeCommit,
  writeSnapshot,
} from "./run-rows.ts";
import { readId, writeId } from "./migrate.ts";
import type { SqliteConnection, later } from "./sqlite-connection.ts";

/** A store's file that is open. */
export interface OpenedDatabase {
  readonly db: SqliteConnection;
  readonly schema: number;
  readonly engine: string;
}

/** The port on one SQLite file and a folder of blobs. Each method is one transaction; the SQL is in the `*-rows.ts` files. */
export function createSqliteStore(folder: string, now: () => number, database: Database): Store {
  const known = new KnownRows();
  const blobs = new BlobFolder(join(folder, "blobs"), (work) => database.write(work));
  return {
    now: async () => now(),
    ...runMethods(database, known, now),
    ...itemMethods(database, known, now),
    ...leaseMethods(database, now),
    ...poolMethods(database, now),
    ...blobMethods(database, blobs),
    ...identityMethods(database, join(folder, "waymark.db")),
    describe: async () => {
      const { schema, engine } = await database.readable();
      return { kind: "sqlite", location: folder, schema: database.isThere() ? schema : 0, engine };
    },
    verify: async () => {
      const { problems, blobs: references } = await database.snapshot(verifyRows).catch(onlyDamage);
      const missing: string[] = [];
      for (const { hash, run } of references) if (!(await blobs.has(hash))) missing.push(missingBlob(run, hash));
      return [...problems, ...missing];
    },
    close: () => database.close(),
  };
}

/** How the connection is made. */
interface Opening {
  isThere(): boolean;
  open(): Promise<OpenedDatabase>;
  /** One without anything, in memory. */
  empty(): Promise<OpenedDatabase>;
}

/**
 * The connection, which the first work opens; after a failure to open it the next one tries again. Work that only reads creates nothing:
 * while there is no file, it sees an empty store.
 */
export class Database {
  readonly #how: Opening;
  #opening: Promise<OpenedDatabase> | undefined;
  #opened: OpenedDatabase | undefined;
  #empty: Promise<OpenedDatabase> | undefined;

  constructor(how: Opening) {
    this.#how = how;
  }

  async opened(): Promise<OpenedDatabase> {
    this.#opening ??= this.#how.open();
    try {
      this.#opened = await this.#opening;
      return this.#opened;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  isThere(): boolean {
    return this.#opening !== undefined || this.#how.isThere();
  }

  async readable(): Promise<OpenedDatabase> {
    if (this.isThere()) return this.opened();
    this.#empty ??= this.#how.empty();
    return this.#empty;
  }

  async read<T>(work: (db: SqliteConnection) => T): Promise<T> {
    const { db } = this.#opened ?? (await this.readable());
    return db.read(() => work(db));
  }

  async snapshot<T>(work: (db: SqliteConnection) => T): Promise<T> {
    const { db } = this.#opened ?? (await this.readable());
    return db.snapshot(() => work(db));
  }

  async write<T>(work: (db: SqliteConnection) => T | typeof later, what?: string): Promise<T> {
    const { db } = this.#opened ?? (await this.opened());
    return db.write(() => work(db), what);
  }

  /** A write whose loss with the whole computer does no harm: it is not waited for on the disk. */
  async writeLightly<T>(work: (db: SqliteConnection) => T): Promise<T> {
    const { db } = this.#opened ?? (await this.opened());
    return db.writeLightly(() => work(db));
  }

  async close(): Promise<void> {
    for (const opening of [this.#opening, this.#empty]) (await opening?.catch(() => undefined))?.db.close();
  }
}

function runMethods(database: Database, known: KnownRows, now: () => number) {
  /** Owner of run locks: this opened store, however many there are in the process. */
  const owner = randomUUID();
  return {
    createRun: (row, commit) =>
      database.write((db) => {
        const at = now();
        return { head: writeCommit(db, insertRun(db, row, at), { run: row.id, commit, now: at }) };
      }),
    readRun: (id) => database.read((db) => known.run(db, id)),
    listRuns: (filter) => database.read((db) => selectRuns(db, filter)),
    findWork: (wish) => database.read((db) => selectWork(db, wish, now())),
    removeRun: async (id, head) => {
      const removed = await database.write((db) => deleteRun(db, id, head));
      known.forget();
      return removed;
    },
    commit: async (run, expectedHead, commit, { locked = false, held } = {}) => {
      const taken = known.take(run);
      let at = 0;
      const done = await database.write((db) => {
        at = now();
        return commitToRun(db, { run, expectedHead, commit, locked, held, owner, now: at });
      }, `Run \`${run}\` in the store`);
      const isKnown = done.ok && taken.row?.head === expectedHead;
      known.put(taken, isKnown ? { head: done.head, updatedAt: at, ...commit.summary } : undefined);
      return done;
    },
    readRecords: (run, after, limit) => database.read((db) => selectRecords(db, run, after, limit)),
    findRecord: (run, key) => database.read((db) => findRecord(db, run, key)),
    readSnapshot: (run) => database.read((db) => findSnapshot(db, run)),
    writeSnapshot: (run, position, text) => database.write((db) => writeSnapshot(db, run, position, text)),
    dropSnapshots: (run) => database.write((db) => void db.run("delete from snapshot where run = ?", requireRun(db, run).no)),
  } satisfies Partial<Store>;
}

function itemMethods(database: Database, known: KnownRows, now: () => number) {
  return {
    selectItems: (run, selection) => database.read((db) => selectItems(db, known.worklist(db, run, selection.list), selection, now())),
    countItems: (run, list, query) => database.snapshot((db) => countItems(db, requireRun(db, run).no, list, { query, now: now() })),
    readItem: (run, list, id) => database.read((db) => findItem(db, requireRun(db, run).no, list, id)),
    dependants: (run, list, id) => database.read((db) => selectDependants(db, requireRun(db, run).no, list, id)),
    itemLists: (run) => database.read((db) => selectLists(db, requireRun(db, run).no)),
    dropItems: async (run) => {
      await database.write((db) => db.run("delete from worklist where run = ?", requireRun(db, run).no));
      known.forget();
    },
    applyItems: (run, changes) => database.write((db) => applyItemChanges(db, requireRun(db, run).no, changes)),
  } satisfies Partial<Store>;
}

function leaseMethods(database: Database, now: () => number) {
  return {
    acquire: (key, owner, fence, ttlMs) => database.writeLightly((db) => acquireLease(db, { key, owner, fence, ttlMs }, now())),
    readLease: (key) => database.read((db) => findLease(db, key)),
    readLeases: (prefix) => database.read((db) => selectLeases(db, prefix)),
    beat: (owner, ttlMs) => database.writeLightly((db) => beatLeases(db, owner, ttlMs, now())),
    releaseLease: (key, owner) => database.writeLightly((db) => deleteLease(db, key, owner)),
    releaseLeases: (owner, prefix) => database.writeLightly((db) => deleteLeases(db, owner, prefix)),
  } satisfies Partial<Store>;
}

function poolMethods(database: Database, now: () => number) {
  return {
    blockPool: (pool, before) => database.write((db) => replacePool(db, pool, { before, now: now() })),
    readPool: (name) => database.read((db) => findPool(db, name)),
    readPools: () => database.read(selectPools),
    freePool: (name) => database.write((db) => deletePool(db, name)),
  } satisfies Partial<Store>;
}

function blobMethods(database: Database, blobs: BlobFolder) {
  return {
    putBlob: async (bytes) => (await database.opened(), blobs.put(bytes)),
    adoptBlob: async (path) => (await database.opened(), blobs.adopt(path)),
    readBlob: (hash) => blobs.read(hash),
    blobFile: (hash) => blobs.file(hash),
    collectBlobs: async () => {
      const { db } = await database.opened();
      return blobs.collect((hash) => db.get("select 1 from blob_ref where hash = ? limit 1", hash) !== undefined);
    },
  } satisfies Partial<Store>;
}

function identityMethods(database: Database, path: string) {
  // The link itself: one that leads to another store is not that store.
  const file = async (): Promise<string> => (await lstat(path, { bigint: true })).ino.toString();
  return {
    identity: async () => (database.isThere() ? { id: await database.read(readId), file: await file() } : undefined),
    identify: async (id) => {
      const kept = await database.write((db) => (writeId(db, id), readId(db)));
      return { id: kept, file: await file() };
    },
  } satisfies Partial<Store>;
}

interface Findings {
  readonly problems: readonly string[];
  /** Every reference to a blob, for the caller to follow. */
  readonly blobs: readonly { readonly hash: string; readonly run: string }[];
}

/** Checks the file, the references between rows, and that every journal runs from 1 to its head without a gap. */
function verifyRows(db: SqliteConnection): Findings {
  const problems = db
    .all<{ integrity_check: string }>("pragma integrity_check")
    .flatMap(({ integrity_check: found }) => (found === "ok" ? [] : [`The database file is damaged: ${found}.`]));
  // Rows of a damaged file may not be readable at all.
  if (problems.length > 0) return { problems, blobs: [] };
  for (const row of db.all<{ table: string; parent: string }>("pragma foreign_key_check"))
    problems.push(`A row of \`${row.table}\` refers to a row of \`${row.parent}\` that is missing.`);
  const journals = db.all<JournalEnds>(
    `select run.id, run.head, min(position) as first, max(position) as last, count(position) as n
    from run left join record on record.run = run.no group by run.no order by run.no`,
  );
  for (const journal of journals) problems.push(...journalProblems({ ...journal, id: decodeText(journal.id) }));
  const blobs = db.all<{ hash: string; run: string }>(
    "select hash, run.id as run from blob_ref join run on run.no = blob_ref.run order by run.no, hash",
  );
  return { problems, blobs: blobs.map(({ hash, run }) => ({ hash, run: decodeText(run) })) };
}

/** A file too damaged to be checked is a finding, not a failure. */
function onlyDamage(error: unknown): Findings {
  if (!isWaymarkError(error) || error.code !== "STORE_CORRUPT") throw error;
  return { problems: [error.message], blobs: [] };
}

const mostKept = 256;

interface TakenRow {
  readonly id: string;
  readonly row: RunRow | undefined;
  readonly change: number;
}

/**
 * Rows that every call asks for, kept while no other connection writes. SQLite counts the commits of other connections
 * (`data_version`); this one reports its own by `take`, `put` and `forget`.
 */
class KnownRows {
  readonly #runs = new Map<string, RunRow>();
  readonly #worklists = new Map<string, number>();
  #version: number | undefined;
  #changes = 0;

  /** Inside `read`: the run as it is now. */
  run(db: SqliteConnection, id: string): RunRow | undefined {
    this.#settle(db);
    const held = this.#runs.get(id);
    if (held !== undefined) return held;
    const row = findRun(db, id);
    if (row !== undefined) this.#runs.set(id, row);
    return row;
  }

  /** Inside `read`: the number of the list in the item tables; see `worklistOf`. Throws when there is no such run. */
  worklist(db: SqliteConnection, run: string, list: string): number {
    this.#settle(db);
    const key = `${run}\n${list}`;
    const held = this.#worklists.get(key);
    if (held !== undefined) return held;
    const no = worklistOf(db, requireRun(db, run).no, list);
    if (no !== emptyList) this.#worklists.set(key, no);
    return no;
  }

  /** This connection is about to change the run. */
  take(id: string): TakenRow {
    const row = this.#runs.get(id);
    this.#runs.delete(id);
    this.#changes += 1;
    return { id, row, change: this.#changes };
  }

  /** The run after the change; when that is not certain, because the row was not known or changed again, it is read again. */
  put({ id, row, change }: TakenRow, changes: Partial<RunRow> | undefined): void {
    if (row !== undefined && changes !== undefined && change === this.#changes) this.#runs.set(id, { ...row, ...changes });
    else this.#runs.delete(id);
  }

  /** This connection has removed rows. */
  forget(): void {
    this.#changes += 1;
    this.#runs.clear();
    this.#worklists.clear();
  }

  #settle(db: SqliteConnection): void {
    const version = db.get<{ data_version: number }>("pragma data_version")?.data_version;
    if (version === this.#version && this.#runs.size + this.#worklists.size <= mostKept) return;
    this.forget();
    this.#version = version;
  }
}
